"""How many sessions and runs a budget allows."""

from __future__ import annotations

from dataclasses import dataclass

from onnxlab.profiling.cell import SessionTimes
from onnxlab.profiling.options import MeasureOptions

__all__ = ["Plan", "first_plan", "session_count", "steady_plan", "traced_plan"]

# Shares of the budget; the first session only finds out how long a run takes.
_FIRST = 0.05
_STEADY = 0.65
_TRACED = 0.3

_SESSIONS = (4, 7)  # the first of them is dropped
_RUNS = (3, 1000)
_WARMUP = (2, 5)
# Ten runs give the 10th percentile within 1.5 % of the shares, fifty within 0.8 %.
_TRACED_RUNS = (5, 50)
_PROFILER_S_PER_KERNEL = 5e-6
_TRACED_KERNELS = 50_000  # their events take about 2 s to write, read and sort


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The runs of one session.

    Attributes
    ----------
    runs, warmup
        Runs that count, and runs before them, the first run included.
    budget_s
        Stop after so many seconds of runs that count; None for no such limit.
    """

    runs: int
    warmup: int
    budget_s: float | None


def first_plan(options: MeasureOptions) -> Plan:
    """Return the plan of the session that is dropped."""
    if options.runs is not None:
        return _fixed(options, options.runs)
    warmup = _WARMUP[0] if options.warmup is None else options.warmup
    return Plan(runs=_RUNS[0], warmup=warmup, budget_s=_FIRST * options.budget)


def session_count(options: MeasureOptions, first: SessionTimes) -> int:
    """Return how many sessions to make, the first one included."""
    if options.sessions is not None:
        return options.sessions
    one_s = _load_s(first) + (_RUNS[0] + _WARMUP[0]) * run_s(first)
    return _within(_STEADY * options.budget / one_s, _SESSIONS)


def steady_plan(options: MeasureOptions, first: SessionTimes) -> Plan:
    """Return the plan of each session that counts."""
    if options.runs is not None:
        return _fixed(options, options.runs)
    share_s = _STEADY * options.budget / (session_count(options, first) - 1) - _load_s(first)
    share_s = max(share_s, _RUNS[0] * run_s(first))
    return Plan(
        runs=_within(share_s / run_s(first), _RUNS),
        warmup=_warmup(options, share_s / run_s(first)),
        budget_s=share_s,
    )


def traced_plan(options: MeasureOptions, *, run_s: float, kernels: int) -> Plan:
    """Return the plan of the profiled session, whose runs cost more with every kernel."""
    possible = min(
        _TRACED * options.budget / (run_s + kernels * _PROFILER_S_PER_KERNEL),
        _TRACED_KERNELS / max(kernels, 1),
    )
    runs = _within(possible, _TRACED_RUNS)
    if options.runs is not None:
        runs = min(options.runs, _TRACED_RUNS[1])
    return Plan(runs=runs, warmup=_warmup(options, possible), budget_s=None)


def run_s(session: SessionTimes) -> float:
    """Return the fastest run of a session in seconds: what a plan can rely on."""
    return max(float(session.run_ns.min()) / 1e9, 1e-6)


def _load_s(session: SessionTimes) -> float:
    return session.load_ns / 1e9


def _fixed(options: MeasureOptions, runs: int) -> Plan:
    warmup = _WARMUP[1] if options.warmup is None else options.warmup
    return Plan(runs=runs, warmup=warmup, budget_s=None)


def _warmup(options: MeasureOptions, possible_runs: float) -> int:
    """Spend a quarter of the runs on warming up, within bounds."""
    return _within(possible_runs / 4, _WARMUP) if options.warmup is None else options.warmup


def _within(number: float, bounds: tuple[int, int]) -> int:
    least, most = bounds
    return max(least, min(most, int(number)))
