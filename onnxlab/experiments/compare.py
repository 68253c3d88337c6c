"""Timing several arms against each other in rounds of fresh sessions.

Each round makes one fresh session per arm, in random order. The first session of a child runs
slower than those that follow and is dropped. Rounds go on until every interval is narrow enough
or the budget is spent, never until a difference is significant.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

import numpy as np

from onnxlab.errors import (
    Cancelled,
    ChildCrashed,
    ChildTimeout,
    MemoryLimitExceeded,
    SessionError,
)
from onnxlab.experiments.ratio import MIN_ROUNDS, Int64, Ratio, ratio
from onnxlab.progress import Progress, silent
from onnxlab.runtime.session import Runnable, SessionSpec, TimedSession

__all__ = ["Arm", "Comparison", "Plan", "Samples", "Timer", "compare"]

_FAILURES = (SessionError, ChildCrashed, ChildTimeout, MemoryLimitExceeded)
_TRIAL_RUNS = 3
_LEAST_ROUNDS = 2  # below, there is no ratio at all


class Timer(Protocol):
    """The part of `onnxlab.runtime.session.Runner` that a comparison needs."""

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
        """Time a fresh session."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One of the things that are compared."""

    runnable: Runnable
    spec: SessionSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long a comparison goes on.

    Attributes
    ----------
    budget_s
        Time to spend, about; two rounds are made in any case.
    width
        Stop when no interval is wider than this.
    min_rounds, max_rounds
        Rounds before the width is looked at, and at most.
    runs
        Runs in a session at most; fewer where a run takes long.
    session_s
        Time for the runs of one session, about.
    seed
        Seed of the order of the arms and of the bootstrap.
    """

    budget_s: float = 20.0
    width: float = 0.02
    min_rounds: int = MIN_ROUNDS
    max_rounds: int = 60
    runs: int = 50
    session_s: float = 0.3
    seed: int = 0


@dataclass(slots=True, kw_only=True)
class Samples:
    """What the fresh sessions of one arm took; position by position, those of one round.

    Attributes
    ----------
    run_ns
        Wall time of the runs of each session.
    load_ns
        Time to make each session.
    error
        Why the arm cannot run; empty where it can.
    """

    run_ns: list[Int64] = field(default_factory=list)
    load_ns: list[int] = field(default_factory=list)
    error: str = ""

    @property
    def median_run_ns(self) -> float | None:
        """Median of the sessions' medians."""
        medians = [float(np.median(runs)) for runs in self.run_ns]
        return float(np.median(medians)) if medians else None

    @property
    def median_load_ns(self) -> float | None:
        """Median time to make a session."""
        return float(np.median(self.load_ns)) if self.load_ns else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The state of a comparison after some rounds.

    Attributes
    ----------
    samples
        What was measured, by arm.
    ratios
        Ratio of each pair (arm, baseline) that has two rounds or more.
    rounds
        Finished rounds.
    stopped
        Why it ended: ``interval``, ``budget``, ``rounds``, ``cancelled``, or ``failed`` where no
        pair of arms runs; empty while it goes on.
    """

    samples: Mapping[str, Samples]
    ratios: Mapping[tuple[str, str], Ratio]
    rounds: int
    stopped: str = ""


def compare(
    timer: Timer,
    arms: Mapping[str, Arm],
    feeds: Mapping[str, Any],
    *,
    pairs: Sequence[tuple[str, str]],
    plan: Plan = Plan(),
    progress: Progress = silent,
    on_round: Callable[[Comparison], None] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Comparison:
    """Time arms against each other.

    Parameters
    ----------
    timer
        Where sessions run.
    arms
        What to compare, by name.
    feeds
        The inputs, the same for all.
    pairs
        Which arm is set against which baseline.
    plan
        How long to go on.
    progress
        Told what is being done.
    on_round
        Told the state after each round.
    is_cancelled
        Asked between sessions; what is there by then is returned.
    """
    race = _Race(timer, arms, feeds, pairs=pairs, plan=plan, is_cancelled=is_cancelled)
    stopped = race.trial(progress)
    while not stopped:
        progress(f"round {race.rounds + 1} of fresh sessions", *race.steps())
        stopped = race.round()
        if on_round is not None and not stopped:
            on_round(race.state())
        stopped = stopped or race.is_over()
    return race.state(stopped)


class _Race:
    def __init__(
        self,
        timer: Timer,
        arms: Mapping[str, Arm],
        feeds: Mapping[str, Any],
        *,
        pairs: Sequence[tuple[str, str]],
        plan: Plan,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._timer = timer
        self._arms = arms
        self._feeds = feeds
        self._pairs = pairs
        self._plan = plan
        self._is_cancelled = is_cancelled
        self._random = random.Random(plan.seed)
        self._start_s = monotonic()
        self._samples = {name: Samples() for name in arms}
        self._runs = plan.runs
        self._warmup = 5
        self._ratios: dict[tuple[str, str], Ratio] = {}
        self.rounds = 0

    def trial(self, progress: Progress) -> str:
        """Run each arm once, drop the times, and learn which arms fail and how long a run takes."""
        progress("warming up", 0, 0)
        slowest_ns = 0.0
        for name in self._arms:
            session = self._session(name, runs=_TRIAL_RUNS, warmup=1)
            if session is None:
                continue
            if isinstance(session, str):
                return session
            slowest_ns = max(slowest_ns, float(np.median(session.run_ns)))
        if slowest_ns:
            fitting = int(self._plan.session_s * 1e9 / slowest_ns)
            self._runs = min(self._plan.runs, max(_TRIAL_RUNS, fitting))
            self._warmup = min(5, max(1, fitting // 4))
        return "" if self._open_pairs() else "failed"

    def round(self) -> str:
        """Make one fresh session of each arm; an unfinished round leaves nothing behind."""
        order = self._running()
        self._random.shuffle(order)
        sessions: dict[str, TimedSession] = {}
        for name in order:
            session = self._session(name, runs=self._runs, warmup=self._warmup)
            if isinstance(session, str):
                return session
            if session is not None:
                sessions[name] = session
        for name, session in sessions.items():
            self._samples[name].run_ns.append(session.run_ns)
            self._samples[name].load_ns.append(session.load_ns)
        self.rounds += 1
        self._ratios = self._current_ratios()
        return ""

    def is_over(self) -> str:
        """Return why there is nothing more to do, or nothing."""
        if not self._open_pairs():
            return "failed"
        is_narrow = all(ratio.width <= self._plan.width for ratio in self._ratios.values())
        if self.rounds >= self._plan.min_rounds and is_narrow:
            return "interval"
        if self.rounds >= self._plan.max_rounds:
            return "rounds"
        is_spent = self._elapsed_s() >= self._plan.budget_s
        return "budget" if is_spent and self.rounds >= _LEAST_ROUNDS else ""

    def state(self, stopped: str = "") -> Comparison:
        """Return what is known by now."""
        return Comparison(
            samples=self._samples, ratios=dict(self._ratios), rounds=self.rounds, stopped=stopped
        )

    def steps(self) -> tuple[int, int]:
        """Return how far the budget is spent, in tenths of a second."""
        budget = self._plan.budget_s
        return int(10 * min(self._elapsed_s(), budget)), int(10 * budget)

    def _running(self) -> list[str]:
        return [name for name, samples in self._samples.items() if not samples.error]

    def _open_pairs(self) -> list[tuple[str, str]]:
        running = self._running()
        return [pair for pair in self._pairs if pair[0] in running and pair[1] in running]

    def _session(self, name: str, *, runs: int, warmup: int) -> TimedSession | str | None:
        """Return a session, ``cancelled``, or None where the arm failed."""
        if self._is_cancelled():
            return "cancelled"
        arm = self._arms[name]
        try:
            return self._timer.time(arm.runnable, arm.spec, self._feeds, runs=runs, warmup=warmup)
        except Cancelled:
            return "cancelled"
        except _FAILURES as error:
            self._samples[name] = Samples(error=str(error))
            return None

    def _current_ratios(self) -> dict[tuple[str, str], Ratio]:
        found = {}
        for arm, baseline in self._open_pairs():
            ours, theirs = self._samples[arm].run_ns, self._samples[baseline].run_ns
            if len(ours) > 1:
                found[arm, baseline] = ratio(theirs, ours, seed=self._plan.seed)
        return found

    def _elapsed_s(self) -> float:
        return monotonic() - self._start_s
