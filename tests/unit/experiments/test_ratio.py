from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxlab.experiments.ratio import Ratio, Verdict, judge, ratio


def sessions(
    generator: np.random.Generator, count: int, *, mean_ns: float, spread: float
) -> list[np.ndarray]:
    """Fresh sessions that differ by ``spread``, with runs disturbed upwards."""
    levels = mean_ns * np.exp(generator.normal(0, spread, count))
    return [(level * (1 + generator.exponential(0.05, 20))).astype(np.int64) for level in levels]


def verdicts(factor: float, *, spread: float, rounds: int, trials: int = 100) -> Counter[Verdict]:
    generator = np.random.default_rng(7)
    found: Counter[Verdict] = Counter()
    for _ in range(trials):
        baseline = sessions(generator, rounds, mean_ns=1e6, spread=spread)
        arm = sessions(generator, rounds, mean_ns=1e6 * factor, spread=spread)
        found[ratio(baseline, arm, seed=0).verdict] += 1
    return found


@pytest.mark.parametrize(("spread", "rounds"), [(0.01, 6), (0.02, 6), (0.02, 20)])
def test_equal_arms_are_rarely_called_different(spread: float, rounds: int) -> None:
    found = verdicts(1.0, spread=spread, rounds=rounds)
    assert found[Verdict.FASTER] + found[Verdict.SLOWER] <= 7


@pytest.mark.parametrize(("spread", "rounds"), [(0.01, 8), (0.02, 20)])
def test_five_percent_are_found(spread: float, rounds: int) -> None:
    assert verdicts(0.95, spread=spread, rounds=rounds)[Verdict.FASTER] >= 95
    assert verdicts(1 / 0.95, spread=spread, rounds=rounds)[Verdict.SLOWER] >= 95


def test_equal_arms_are_called_the_same_once_there_are_enough_rounds() -> None:
    assert verdicts(1.0, spread=0.01, rounds=24)[Verdict.SAME] >= 90


def test_one_disturbed_session_does_not_decide() -> None:
    generator = np.random.default_rng(1)
    baseline = sessions(generator, 10, mean_ns=1e6, spread=0.002)
    arm = sessions(generator, 10, mean_ns=1e6, spread=0.002)
    arm[3] = arm[3] * 3
    assert ratio(baseline, arm, seed=0).value == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.985, 1.015, Verdict.SAME),
        (0.981, 0.99, Verdict.SAME),
        (0.90, 0.99, Verdict.FASTER),
        (1.01, 1.10, Verdict.SLOWER),
        (0.97, 1.01, Verdict.UNDECIDED),
    ],
)
def test_the_verdict_follows_from_the_interval(low: float, high: float, verdict: Verdict) -> None:
    assert judge(low, high) is verdict


@given(st.integers(0, 2**31), st.integers(2, 12), st.floats(0.2, 5))
def test_the_interval_holds_the_value_and_swapping_arms_inverts_it(
    seed: int, rounds: int, factor: float
) -> None:
    generator = np.random.default_rng(seed)
    baseline = sessions(generator, rounds, mean_ns=1e6, spread=0.01)
    arm = sessions(generator, rounds, mean_ns=1e6 * factor, spread=0.01)
    there, back = ratio(baseline, arm, seed=0), ratio(arm, baseline, seed=0)
    assert there.low <= there.value <= there.high
    assert there.value * back.value == pytest.approx(1)
    assert there.rounds == rounds


def test_the_same_seed_gives_the_same_interval() -> None:
    generator = np.random.default_rng(3)
    arms = [sessions(generator, 6, mean_ns=1e6, spread=0.01) for _ in range(2)]
    assert ratio(*arms, seed=5) == ratio(*arms, seed=5)


def test_rounds_must_match_and_be_two_or_more() -> None:
    one = [np.array([1, 2, 3])]
    with pytest.raises(ValueError, match="two rounds"):
        ratio(one, one, seed=0)
    with pytest.raises(ValueError, match="1 sessions of the baseline and 2 of the arm"):
        ratio(one, one * 2, seed=0)


def test_a_ratio_reads_as_a_sentence() -> None:
    found = Ratio(value=0.712, low=0.69, high=0.731, rounds=8)
    assert str(found) == "0.712× (0.69-0.731), faster"
