"""From counted microseconds to estimates: kernels, the regions they make up, and what is left.

The kernel is the unit: every other number is a sum of kernels' estimates, so the tables add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from onnxlab.mapping.origin import Insertion, KernelOrigin, OriginKind
from onnxlab.model.table import GraphTable
from onnxlab.model.text import elide
from onnxlab.profiling.attribute import KernelRecord
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.stats import (
    QUANTILE,
    Estimates,
    Interval,
    low_estimates,
    session_interval,
)

__all__ = [
    "RegionTally",
    "Tally",
    "cpu_per_wall",
    "quiet_wall_us",
    "runtime_us",
    "tally",
    "wall_us",
]

_NAMED_OPS = 4
_LABEL_CHARACTERS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionTally:
    """Kernels that together run the same original nodes, or are inserted for the same one.

    Attributes
    ----------
    label
        What ran, such as ``Conv+Relu``.
    kind, nodes, lead, owner, insertion
        As in `onnxlab.mapping.origin.KernelOrigin`; rows of the original table.
    kernels
        Positions in the cell's kernels.
    time
        Microseconds per run.
    """

    label: str
    kind: OriginKind
    nodes: tuple[int, ...]
    lead: int | None
    owner: int | None
    insertion: Insertion | None
    kernels: tuple[int, ...]
    time: Interval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """The estimates of one cell, in microseconds per run.

    Attributes
    ----------
    kernels
        One element per kernel of the cell.
    regions
        Longest first.
    total_us
        The sum over all kernels.
    """

    kernels: Estimates
    regions: tuple[RegionTally, ...]
    total_us: float

    def kind_us(self, *kinds: OriginKind) -> float:
        """Return the time of all regions of some kinds."""
        times = (region.time.value for region in self.regions if region.kind in kinds)
        return sum(times, start=0.0)

    def share(self, time_us: float) -> float:
        """Return a time's share of all kernel time."""
        return time_us / self.total_us if self.total_us else 0.0


def tally(cell: Cell, table: GraphTable) -> Tally:
    """Return the estimates of a cell whose kernels were attributed."""
    estimates = low_estimates(cell.self_us)
    groups: dict[tuple[object, ...], list[int]] = {}
    for position, kernel in enumerate(cell.kernels):
        groups.setdefault(_region_key(kernel.origin), []).append(position)
    regions = [_region(cell.kernels, group, estimates, table) for group in groups.values()]
    regions.sort(key=lambda region: -region.time.value)
    return Tally(kernels=estimates, regions=tuple(regions), total_us=float(estimates.value.sum()))


def wall_us(cell: Cell, *, seed: int) -> Interval:
    """Return the steady wall time of a run in a fresh session, in microseconds; NaN if none."""
    if not cell.steady_sessions:
        nan = float("nan")
        return Interval(value=nan, low=nan, high=nan)
    wall = session_interval([session.run_ns for session in cell.steady_sessions], seed=seed)
    return Interval(value=wall.value / 1e3, low=wall.low / 1e3, high=wall.high / 1e3)


def quiet_wall_us(cell: Cell) -> float:
    """Return the wall time of an undisturbed run, in microseconds; NaN if unknown.

    The median over sessions of the same quantile that kernels are given by, so that the two can
    be compared where other work disturbs most runs.
    """
    quiet = [np.quantile(session.run_ns, QUANTILE) for session in cell.steady_sessions]
    return float(np.median(quiet)) / 1e3 if quiet else float("nan")


def runtime_us(cell: Cell, counted: Tally) -> float:
    """Return what an undisturbed run takes outside of its kernels.

    Negative where the profiler's own cost, which lies inside the kernels' times, is larger.
    """
    return quiet_wall_us(cell) - counted.total_us


def cpu_per_wall(cell: Cell) -> float:
    """Return the cores kept busy in steady runs: CPU time over wall time; NaN if unknown."""
    wall_ns = sum(int(session.run_ns.sum()) for session in cell.steady_sessions)
    cpu_ns = sum(int(session.cpu_ns.sum()) for session in cell.steady_sessions)
    return cpu_ns / wall_ns if wall_ns else float("nan")


def _region_key(origin: KernelOrigin) -> tuple[object, ...]:
    if origin.nodes:
        return origin.nodes
    return (origin.kind, origin.owner, origin.insertion)


def _region(
    kernels: Sequence[KernelRecord], group: list[int], estimates: Estimates, table: GraphTable
) -> RegionTally:
    origin = kernels[group[0]].origin
    lead = origin.lead
    if lead is None and origin.nodes:
        lead = origin.nodes[0]
    time = Interval(
        value=float(np.sum(estimates.value[group])),
        low=float(np.sum(estimates.low[group])),
        high=float(np.sum(estimates.high[group])),
    )
    return RegionTally(
        label=_label(origin, [kernels[position] for position in group], table),
        kind=origin.kind,
        nodes=origin.nodes,
        lead=lead,
        owner=origin.owner,
        insertion=origin.insertion,
        kernels=tuple(group),
        time=time,
    )


def _label(origin: KernelOrigin, kernels: list[KernelRecord], table: GraphTable) -> str:
    """Name a region by what a reader knows: the original operators, while they are few."""
    if origin.nodes and len(origin.nodes) <= _NAMED_OPS:
        return elide("+".join(table.op(row) for row in origin.nodes), _LABEL_CHARACTERS)
    ran = elide(_joined(kernel.op_type for kernel in kernels), _LABEL_CHARACTERS)
    return f"{ran} ({len(origin.nodes)} nodes)" if origin.nodes else ran


def _joined(ops: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(ops))
    shown = "+".join(distinct[:_NAMED_OPS])
    return shown + ("+…" if len(distinct) > _NAMED_OPS else "")
