from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from onnxlab.profiling.stats import low_estimates, session_interval


@given(
    stn.arrays(
        np.int64,
        st.tuples(st.integers(1, 40), st.integers(1, 4)),
        elements=st.integers(0, 10_000),
    )
)
def test_interval_of_low_estimates_holds_the_estimate(samples: np.ndarray) -> None:
    found = low_estimates(samples)
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()
    assert (samples.min(axis=0) <= found.low).all()
    assert (found.high <= samples.max(axis=0)).all()


def test_low_estimates_ignore_preempted_runs() -> None:
    quiet = np.full((20, 1), 100, np.int64)
    disturbed = quiet.copy()
    disturbed[::3] = 5_000
    assert low_estimates(disturbed).value[0] == low_estimates(quiet).value[0] == 100


def test_low_estimates_cover_the_true_quantile_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    samples = generator.integers(0, 1_000_000, (50, 2_000))
    found = low_estimates(samples)
    covered = (found.low <= 100_000) & (found.high >= 100_000)
    assert covered.mean() > 0.93


def test_low_estimates_need_a_run() -> None:
    with pytest.raises(ValueError, match="no runs"):
        low_estimates(np.zeros((0, 3), np.int64))


def test_session_interval_is_the_median_of_session_medians() -> None:
    sessions = [np.array([1, 10, 1000]), np.array([20, 20, 20]), np.array([12, 12, 13])]
    found = session_interval(sessions, seed=0)
    assert found.value == 12
    assert found.low <= 12 <= found.high


def test_session_interval_is_as_wide_as_the_sessions_differ() -> None:
    generator = np.random.default_rng(2)
    alike = [generator.normal(1000, 5, 200).astype(np.int64) for _ in range(6)]
    apart = [times + 100 * number for number, times in enumerate(alike)]
    narrow = session_interval(alike, seed=0)
    wide = session_interval(apart, seed=0)
    assert wide.high - wide.low > 10 * (narrow.high - narrow.low)


def test_session_interval_is_the_same_for_the_same_seed() -> None:
    sessions = [np.arange(10, 30), np.arange(12, 40)]
    assert session_interval(sessions, seed=3) == session_interval(sessions, seed=3)


@pytest.mark.parametrize("sessions", [[], [np.zeros(0, np.int64)]])
def test_session_interval_needs_runs(sessions: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="needs a run"):
        session_interval(sessions, seed=0)
