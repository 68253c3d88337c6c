"""How fast a variant is, against all passes off and against its preset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from onnxlab.experiments.compare import Arm, Comparison, Plan, Samples, Timer, compare
from onnxlab.experiments.ratio import Ratio
from onnxlab.passes.ort import Variant, session_spec
from onnxlab.progress import Progress, silent
from onnxlab.runtime.session import Runnable

__all__ = ["SAME_GRAPH", "Latency", "measure_latency"]

SAME_GRAPH = Ratio(value=1.0, low=1.0, high=1.0, rounds=0)
"""The ratio of two variants with one graph, which are never timed against each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Times of a variant and of what it is set against.

    Attributes
    ----------
    to_baseline, to_preset
        Ratio to all passes off, and to the preset; None where one of both does not run or no
        two rounds are finished.
    run_ns, baseline_run_ns
        Median time of a run.
    load_ns, baseline_load_ns
        Median time to make a session of the original with these passes.
    rounds
        Rounds of fresh sessions it rests on.
    stopped
        Why it ended, as in `onnxlab.experiments.compare.Comparison`; empty while it goes on.
    """

    to_baseline: Ratio | None = None
    to_preset: Ratio | None = None
    run_ns: float | None = None
    baseline_run_ns: float | None = None
    load_ns: float | None = None
    baseline_load_ns: float | None = None
    rounds: int = 0
    stopped: str = ""


def measure_latency(
    timer: Timer,
    runnable: Runnable,
    feeds: Mapping[str, Any],
    *,
    variant: Variant,
    baseline: Variant,
    whole: Variant,
    threads: int,
    plan: Plan,
    progress: Progress = silent,
    on_update: Callable[[Latency], None] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Latency:
    """Time the distinct graphs among a variant, all passes off, and its whole preset.

    Sessions are made from the original with the passes switched, as in deployment.
    """
    distinct = {v.graph: v for v in (baseline, whole, variant) if not v.error}
    arms = {
        graph: Arm(runnable=runnable, spec=session_spec(v.pipeline, threads=threads))
        for graph, v in distinct.items()
    }
    others = [v.graph for v in (baseline, whole) if not v.error and v.graph != variant.graph]
    pairs = [(variant.graph, other) for other in dict.fromkeys(others)]

    def latency(state: Comparison) -> Latency:
        return _latency(state, variant=variant, baseline=baseline, whole=whole)

    state = compare(
        timer,
        arms,
        feeds,
        pairs=pairs,
        plan=plan,
        progress=progress,
        on_round=None if on_update is None else lambda state: on_update(latency(state)),
        is_cancelled=is_cancelled,
    )
    return latency(state)


def _latency(state: Comparison, *, variant: Variant, baseline: Variant, whole: Variant) -> Latency:
    def to(other: Variant) -> Ratio | None:
        if other.graph == variant.graph:
            return SAME_GRAPH
        return state.ratios.get((variant.graph, other.graph))

    own = state.samples.get(variant.graph, Samples())
    off = state.samples.get(baseline.graph, Samples())
    return Latency(
        to_baseline=to(baseline),
        to_preset=to(whole),
        run_ns=own.median_run_ns,
        baseline_run_ns=off.median_run_ns,
        load_ns=own.median_load_ns,
        baseline_load_ns=off.median_load_ns,
        rounds=state.rounds,
        stopped=state.stopped,
    )
