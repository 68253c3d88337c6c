"""Measuring one provider: wall time in fresh sessions, then node times in a profiled one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from onnxlab.errors import ChildCrashed, FileChanged, ModelError, OnnxlabError, SessionError
from onnxlab.mapping.instrument import instrument
from onnxlab.mapping.provenance import provenance
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.profiling.attribute import attribute
from onnxlab.profiling.cell import Cell, SessionTimes
from onnxlab.profiling.options import Level, MeasureOptions
from onnxlab.profiling.plan import (
    Plan,
    first_plan,
    run_s,
    session_count,
    steady_plan,
    traced_plan,
)
from onnxlab.profiling.trace import parse
from onnxlab.runtime.catalog import choose
from onnxlab.runtime.session import Runnable, Runner, SessionSpec

__all__ = ["CellMeasurement", "Job"]

# How far the work is when these steps begin.
_TRACE_AT = 0.7
_ATTRIBUTE_AT = 0.95

_TRUNCATED = "The profiler dropped events; runs that are not complete were left out."
_LOOPS = frozenset({"Loop", "Scan", "SequenceMap"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What every provider is measured with.

    Attributes
    ----------
    model, runnable
        The model, and what its unprofiled sessions are made of: its own file.
    options, feeds
        How to measure, and on which inputs.
    runner
        Runs the sessions.
    report
        Told what is being done, and which share of the provider's work is done.
    """

    model: Model
    runnable: Runnable
    options: MeasureOptions
    feeds: Mapping[str, Any]
    runner: Runner
    report: Callable[[str, float], None]


class CellMeasurement:
    """Measures one provider; what is measured before a failure stands."""

    def __init__(self, label: str, job: Job) -> None:
        self._job = job
        self._runnable = job.runnable
        self._cell = Cell(
            label=label, provider=choose(label).entry.ort_name, level=job.options.level
        )

    def run(self) -> Cell:
        """Return what was measured, with ``error`` where something failed."""
        try:
            self._time()
            self._trace()
        except OnnxlabError as error:
            self._cell = replace(self._cell, error=str(error))
        try:
            self._job.model.check_unchanged()
        except FileChanged as error:  # what was measured may be another model
            self._cell = replace(self._emptied(), error=str(error))
        return self._cell

    def _time(self) -> None:
        options = self._job.options
        first = self._first_session()
        plan = steady_plan(options, first)
        count = session_count(options, first)
        for number in range(1, count):
            self._job.report(f"session {number + 1} of {count}", _TRACE_AT * number / count)
            self._add_session(plan)

    def _first_session(self) -> SessionTimes:
        """Make the session that is dropped, in another way where the one asked for fails."""
        plan = first_plan(self._job.options)
        self._job.report("first session", 0.0)
        try:
            return self._add_session(plan)
        except (SessionError, ChildCrashed) as error:
            refusal = error
        asked, untouched = self._cell, self._runnable
        for way, level, runnable in self._other_ways():
            note = f"Measured {way}, since otherwise it fails: {refusal}."
            self._cell, self._runnable = replace(asked, level=level, notes=(note,)), runnable
            try:
                return self._add_session(plan)
            except OnnxlabError:
                self._cell, self._runnable = asked, untouched
        raise refusal

    def _other_ways(self) -> Iterator[tuple[str, Level, Runnable]]:
        level = self._job.options.level
        if level != "none":
            yield "with optimisation off", "none", self._runnable
        try:
            copy = instrument(self._job.model).runnable
        except ModelError:  # too large for a copy: what went wrong first is what to tell
            return
        yield "on a copy whose nodes have names of their own", level, copy

    def _add_session(self, plan: Plan) -> SessionTimes:
        job = self._job
        timed = job.runner.time(
            self._runnable,
            self._spec(),
            job.feeds,
            runs=plan.runs,
            warmup=plan.warmup,
            budget_s=plan.budget_s,
        )
        self._check_provider(timed.providers)
        session = SessionTimes(
            load_ns=timed.load_ns,
            first_run_ns=timed.first_run_ns,
            run_ns=timed.run_ns,
            cpu_ns=timed.cpu_ns,
            peak_rss_bytes=timed.peak_rss_bytes,
        )
        self._cell = replace(self._cell, sessions=(*self._cell.sessions, session))
        return session

    def _trace(self) -> None:
        job = self._job
        job.report("profiled session", _TRACE_AT)
        runnable = instrument(job.model).runnable
        plan = traced_plan(
            job.options,
            run_s=min(run_s(session) for session in self._cell.sessions),
            kernels=self._kernels_per_run(runnable),
        )
        traced = job.runner.trace(
            runnable, self._spec(), job.feeds, runs=plan.runs, warmup=plan.warmup
        )
        job.report("tracing kernels back to nodes", _ATTRIBUTE_AT)
        if traced.optimised_path is None:
            raise SessionError(f"{self._cell.label} saved no optimised model to trace back")
        optimised = load(traced.optimised_path)
        trace = parse(traced.events)
        found = attribute(job.model, optimised, trace, provenance(job.model, optimised))
        self._cell = replace(
            self._cell,
            kernels=found.kernels,
            self_us=found.self_us,
            fates=found.fates,
            notes=(*self._cell.notes, *([_TRUNCATED] if trace.is_truncated else [])),
        )
        if found.kernels:  # none run where everything was computed in advance
            self._check_provider(self._cell.ran_on)

    def _kernels_per_run(self, runnable: Runnable) -> int:
        """Return how many kernels a run executes, at most; counted where there are loops."""
        table = self._job.model.table
        if not any(table.op(row) in _LOOPS for row in range(table.node_count)):
            return table.node_count
        counted = self._job.runner.trace(
            runnable, self._spec(), self._job.feeds, runs=1, warmup=0, save_optimised=False
        )
        return int(parse(counted.events).calls.sum())

    def _spec(self) -> SessionSpec:
        options = self._job.options
        return SessionSpec(
            provider=self._cell.label, level=self._cell.level, threads=options.threads
        )

    def _check_provider(self, providers: tuple[str, ...]) -> None:
        """Refuse results that would stand under the name of a provider that did nothing."""
        if self._cell.provider not in providers:
            self._cell = self._emptied()
            used = ", ".join(providers) or "none"
            raise SessionError(f"no node ran on {self._cell.provider}; providers used: {used}")

    def _emptied(self) -> Cell:
        cell = self._cell
        return Cell(label=cell.label, provider=cell.provider, level=cell.level)
