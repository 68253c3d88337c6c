from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from onnxlab.profiling.cell import SessionTimes
from onnxlab.profiling.options import MeasureOptions
from onnxlab.profiling.plan import first_plan, run_s, session_count, steady_plan, traced_plan


def session(*, load_ms: float, run_ms: float) -> SessionTimes:
    return SessionTimes(
        load_ns=int(load_ms * 1e6),
        first_run_ns=int(run_ms * 1e6),
        run_ns=np.array([run_ms * 1e6] * 3, np.int64),
        cpu_ns=np.array([run_ms * 1e6] * 3, np.int64),
        peak_rss_bytes=0,
    )


def test_a_fast_model_gets_all_sessions_and_runs() -> None:
    fast = session(load_ms=20, run_ms=0.05)
    options = MeasureOptions()
    assert session_count(options, fast) == 7
    assert steady_plan(options, fast).runs == 1000
    assert traced_plan(options, run_s=5e-5, kernels=100).runs == 50


def test_a_slow_model_gets_fewer_but_enough() -> None:
    slow = session(load_ms=500, run_ms=1500)
    options = MeasureOptions()
    assert session_count(options, slow) == 4
    assert steady_plan(options, slow).runs == 3
    assert steady_plan(options, slow).warmup == 2
    assert traced_plan(options, run_s=1.5, kernels=100).runs == 5


def test_a_run_of_many_kernels_is_profiled_fewer_times() -> None:
    options = MeasureOptions(budget=60)
    assert traced_plan(options, run_s=1e-3, kernels=5_000).runs == 10
    assert traced_plan(options, run_s=1e-3, kernels=1_000_000).runs == 5


def test_what_the_user_asks_for_is_done() -> None:
    options = MeasureOptions(runs=8, warmup=0, sessions=3)
    first = session(load_ms=500, run_ms=1500)
    assert session_count(options, first) == 3
    for plan in (first_plan(options), steady_plan(options, first)):
        assert (plan.runs, plan.warmup, plan.budget_s) == (8, 0, None)
    assert traced_plan(options, run_s=1.0, kernels=1).runs == 8


@given(load_ms=st.floats(0, 2000), run_ms=st.floats(0.02, 500), budget=st.floats(0.5, 60))
def test_the_steady_sessions_keep_to_the_budget_unless_the_least_runs_take_longer(
    load_ms: float, run_ms: float, budget: float
) -> None:
    options = MeasureOptions(budget=budget)
    first = session(load_ms=load_ms, run_ms=run_ms)
    plan = steady_plan(options, first)
    sessions = session_count(options, first) - 1
    least_s = sessions * (load_ms / 1e3 + 3 * run_s(first))
    assert sessions * plan.runs * run_s(first) <= max(budget, least_s) * 1.001
