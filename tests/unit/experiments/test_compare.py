from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from onnxlab.errors import Cancelled, SessionError
from onnxlab.experiments.compare import Arm, Comparison, Plan, compare
from onnxlab.experiments.ratio import Verdict
from onnxlab.progress import Progress, silent
from onnxlab.runtime.session import Runnable, SessionSpec, TimedSession

MODEL = Runnable(data=b"model")
PAIRS = [("arm", "base")]


class FakeTimer:
    """Sessions of 1 ms times a factor per level, 1 % apart, without any waiting."""

    def __init__(self, factors: Mapping[str, float], *, seed: int = 0) -> None:
        self.factors = factors
        self.generator = np.random.default_rng(seed)
        self.order: list[str] = []
        self.runs: list[int] = []

    def time(
        self,
        runnable: Runnable,
        spec: SessionSpec,
        feeds: Mapping[str, Any],
        *,
        runs: int,
        warmup: int = 5,
        budget_s: float | None = None,
        progress: Progress = silent,
    ) -> TimedSession:
        self.order.append(spec.level)
        self.runs.append(runs)
        level_ns = 1e6 * self.factors[spec.level] * np.exp(self.generator.normal(0, 0.01))
        run_ns = (level_ns * (1 + self.generator.exponential(0.03, runs))).astype(np.int64)
        return TimedSession(
            load_ns=5_000_000,
            first_run_ns=1,
            run_ns=run_ns,
            cpu_ns=run_ns,
            peak_rss_bytes=0,
            providers=(),
        )


def arms() -> dict[str, Arm]:
    return {
        "base": Arm(runnable=MODEL, spec=SessionSpec(level="none")),
        "arm": Arm(runnable=MODEL, spec=SessionSpec(level="all")),
    }


def test_a_faster_arm_is_found_and_the_times_are_kept() -> None:
    result = compare(FakeTimer({"none": 1, "all": 0.8}), arms(), {}, pairs=PAIRS)
    found = result.ratios["arm", "base"]
    assert found.verdict is Verdict.FASTER
    assert found.value == pytest.approx(0.8, rel=0.02)
    assert result.stopped == "interval"
    assert result.samples["base"].median_run_ns == pytest.approx(1.02e6, rel=0.02)
    assert result.samples["base"].median_load_ns == 5e6


def test_each_round_makes_one_session_of_each_arm_in_changing_order() -> None:
    timer = FakeTimer({"none": 1, "all": 1})
    result = compare(timer, arms(), {}, pairs=PAIRS, plan=Plan(max_rounds=12, width=0))
    assert result.stopped == "rounds"
    assert result.rounds == 12
    rounds = [tuple(timer.order[i : i + 2]) for i in range(0, len(timer.order), 2)]
    assert all(sorted(pair) == ["all", "none"] for pair in rounds)
    assert len(set(rounds[1:])) == 2
    assert len(rounds) == 13  # the first is dropped
    assert len(result.samples["arm"].run_ns) == 12


def test_no_fewer_than_six_rounds_and_no_stop_on_significance() -> None:
    result = compare(
        FakeTimer({"none": 1, "all": 0.1}), arms(), {}, pairs=PAIRS, plan=Plan(width=9.0)
    )
    assert result.rounds == 6
    few = compare(
        FakeTimer({"none": 1, "all": 0.1}), arms(), {}, pairs=PAIRS, plan=Plan(budget_s=0)
    )
    assert few.stopped == "budget"
    assert few.rounds == 2
    assert few.ratios["arm", "base"].verdict is Verdict.UNDECIDED


def test_slow_models_get_fewer_runs_a_session() -> None:
    timer = FakeTimer({"none": 100, "all": 100})
    compare(timer, arms(), {}, pairs=PAIRS, plan=Plan(max_rounds=2, session_s=0.5))
    assert set(timer.runs[2:]) <= {3, 4, 5}


def test_the_state_is_told_after_each_round() -> None:
    seen: list[Comparison] = []
    compare(
        FakeTimer({"none": 1, "all": 0.9}),
        arms(),
        {},
        pairs=PAIRS,
        plan=Plan(max_rounds=8, width=0),
        on_round=seen.append,
    )
    assert [state.rounds for state in seen] == list(range(1, 9))
    assert all(state.stopped == "" for state in seen)


def test_cancelling_keeps_the_finished_rounds() -> None:
    timer = FakeTimer({"none": 1, "all": 1})
    result = compare(timer, arms(), {}, pairs=PAIRS, is_cancelled=lambda: len(timer.order) >= 9)
    assert result.stopped == "cancelled"
    assert result.rounds == 3
    assert len(result.samples["arm"].run_ns) == len(result.samples["base"].run_ns) == 3
    assert result.ratios["arm", "base"].verdict is Verdict.UNDECIDED


class Failing(FakeTimer):
    def __init__(self, error: Exception, *, after: int) -> None:
        super().__init__({"none": 1, "all": 1})
        self.error = error
        self.after = after

    def time(self, runnable: Runnable, spec: SessionSpec, *args: Any, **kw: Any) -> TimedSession:
        if spec.level == "all" and len(self.order) >= self.after:
            raise self.error
        return super().time(runnable, spec, *args, **kw)


@pytest.mark.parametrize("after", [0, 5])
def test_an_arm_that_fails_is_a_row_and_ends_only_its_own_pairs(after: int) -> None:
    timer = Failing(SessionError("no"), after=after)
    more = arms() | {"third": Arm(runnable=MODEL, spec=SessionSpec(level="none"))}
    pairs = [*PAIRS, ("third", "base")]
    result = compare(timer, more, {}, pairs=pairs, plan=Plan(max_rounds=6))
    assert result.samples["arm"].error == "no"
    assert list(result.ratios) == [("third", "base")]
    alone = compare(Failing(SessionError("no"), after=0), arms(), {}, pairs=PAIRS)
    assert alone.stopped == "failed"


def test_a_session_that_is_cancelled_from_another_thread_ends_it_quietly() -> None:
    result = compare(Failing(Cancelled("x"), after=6), arms(), {}, pairs=PAIRS)
    assert result.stopped == "cancelled"
