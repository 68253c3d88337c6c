"""Reading ONNX Runtime's profile: which kernel ran how often, and for how long itself.

The runtime records an event when it ends, so the list is in order of ends: what an event contains
stands before it. Nesting is ``model_run`` > kernels > ``SequentialExecutor::Execute`` (once per
iteration of a body) > kernels, and so on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Event", "Trace", "TracedKernel", "parse"]

Event: TypeAlias = Mapping[str, Any]
Int64: TypeAlias = npt.NDArray[np.int64]

_KERNEL_SUFFIX = "_kernel_time"
_EXECUTE = "SequentialExecutor::Execute"


@dataclass(frozen=True, slots=True, order=True)
class TracedKernel:
    """One kernel of a session, however often it ran.

    Attributes
    ----------
    name
        Node name; ``<op_type>_<node_index>`` for a node without one.
    op_type, provider
        Its operator and where it ran.
    node_index
        The runtime's index of the node in its graph, -1 where unknown.
    inside
        Names of the control-flow kernels around it, outermost first.
    siblings
        Names of all kernels that ran in the same execution of the same body; told apart, they
        tell the branches of an If apart. Empty in the main graph.
    """

    name: str
    op_type: str
    provider: str
    node_index: int
    inside: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """The kernels of each complete run.

    Attributes
    ----------
    kernels
        Every kernel that ran, in order of first appearance.
    self_us, calls
        Time and number of calls, ``[runs × kernels]``. A control-flow kernel's time is without
        that of the bodies it executes.
    run_us
        The runtime's own duration of each run.
    is_truncated
        Whether the profiler dropped events; the runs that it cut are left out.
    """

    kernels: tuple[TracedKernel, ...]
    self_us: Int64
    calls: Int64
    run_us: Int64
    is_truncated: bool

    @property
    def total_us(self) -> Int64:
        """Self time of all kernels, per run."""
        total: Int64 = self.self_us.sum(axis=1, dtype=np.int64)
        return total


@dataclass(slots=True)
class _Span:
    """A kernel or the execution of a body, with what it contains."""

    name: str
    start_us: int
    duration_us: int
    event: Event
    is_kernel: bool
    children: list[_Span] = field(default_factory=list)


def parse(events: Iterable[Event]) -> Trace:
    """Sort a profile's events into runs, kernels and self times.

    Parameters
    ----------
    events
        The profile as the runtime wrote it. Events are told apart by category, so nodes may be
        named like the runtime's own events; fence events of old versions are left out.

    Returns
    -------
    Trace
        Events outside of runs belong to none and are left out.
    """
    stacks: dict[object, list[_Span]] = defaultdict(list)
    runs: list[list[_Span]] = []
    run_us: list[int] = []
    is_truncated = False
    for event in events:
        category, name = event.get("cat"), str(event.get("name", ""))
        if name == "profile_truncated" and category != "Node":
            is_truncated = True
        elif category == "Session" and name == "model_run":
            runs.append(_take_run(stacks, int(event["ts"])))
            run_us.append(int(event["dur"]))
        elif category == "Session" and name == _EXECUTE:
            _nest(stacks[event.get("tid")], _span(event, name, is_kernel=False))
        elif category == "Node" and name.endswith(_KERNEL_SUFFIX):
            kernel = name.removesuffix(_KERNEL_SUFFIX)
            _nest(stacks[event.get("tid")], _span(event, kernel, is_kernel=True))
    return _tabulate(runs, run_us, is_truncated=is_truncated)


def _span(event: Event, name: str, *, is_kernel: bool) -> _Span:
    return _Span(name, int(event["ts"]), int(event["dur"]), event, is_kernel)


def _nest(stack: list[_Span], span: _Span) -> None:
    """Make the spans that ended within a new one its children.

    Only executions stand directly in kernels, and only kernels in executions: that settles the
    cases that whole microseconds leave open.
    """
    first = len(stack)
    while (
        first
        and stack[first - 1].is_kernel != span.is_kernel
        and stack[first - 1].start_us >= span.start_us
    ):
        first -= 1
    span.children = stack[first:]
    del stack[first:]
    stack.append(span)


def _take_run(stacks: dict[object, list[_Span]], start_us: int) -> list[_Span]:
    """Return what ended since the last run and began within this one, on any thread."""
    spans = [span for stack in stacks.values() for span in stack if span.start_us >= start_us]
    stacks.clear()
    spans.sort(key=lambda span: span.start_us)
    return spans


def _tabulate(runs: list[list[_Span]], run_us: list[int], *, is_truncated: bool) -> Trace:
    columns: dict[TracedKernel, int] = {}
    cells: list[tuple[int, int, int]] = []
    for run, spans in enumerate(runs):
        for kernel, duration_us in _kernels(spans):
            cells.append((run, columns.setdefault(kernel, len(columns)), duration_us))
    shape = len(runs), len(columns)
    self_us, calls = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    if cells:
        run_rows, kernel_columns, durations = np.array(cells, np.int64).T
        np.add.at(self_us, (run_rows, kernel_columns), durations)
        np.add.at(calls, (run_rows, kernel_columns), 1)
    return Trace(
        kernels=tuple(columns),
        self_us=self_us,
        calls=calls,
        run_us=np.array(run_us, np.int64),
        is_truncated=is_truncated,
    )


def _kernels(spans: list[_Span]) -> Iterable[tuple[TracedKernel, int]]:
    """Yield each call of a kernel with its self time.

    The outermost execution is the run itself; one on another thread is that of a body whose
    kernel is unknown, and its kernels count as the main graph's.
    """
    pending: list[tuple[_Span, tuple[str, ...], tuple[str, ...]]] = [
        (span, (), ()) for span in reversed(spans)
    ]
    while pending:
        span, inside, siblings = pending.pop()
        if not span.is_kernel:
            names = tuple(sorted({c.name for c in span.children})) if inside else ()
            pending.extend((child, inside, names) for child in reversed(span.children))
            continue
        bodies = sum(child.duration_us for child in span.children)
        pending.extend((c, (*inside, span.name), ()) for c in reversed(span.children))
        yield _kernel(span, inside, siblings), span.duration_us - bodies


def _kernel(span: _Span, inside: tuple[str, ...], siblings: tuple[str, ...]) -> TracedKernel:
    args = span.event.get("args") or {}
    index = str(args.get("node_index", ""))
    return TracedKernel(
        name=span.name,
        op_type=str(args.get("op_name", "")),
        provider=str(args.get("provider", "")),
        node_index=int(index) if index.isdigit() else -1,
        inside=inside,
        siblings=siblings,
    )
