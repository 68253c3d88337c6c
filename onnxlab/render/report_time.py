"""Where the time goes, as rows of the report's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onnxlab.mapping.origin import Insertion, OriginKind
from onnxlab.model.text import visible
from onnxlab.profiling.quantity import format_interval, format_share, format_us
from onnxlab.profiling.tally import RegionTally, Tally, quiet_wall_us, runtime_us, tally

if TYPE_CHECKING:
    from onnxlab.profiling.cell import Cell
    from onnxlab.profiling.profile import Profile

__all__ = ["InsertedRow", "Ledger", "NodeRow", "NodeTime", "Part", "inserted_rows", "ledger"]
__all__ += ["node_rows"]

_NODES = 200
_INSERTED = 50

_WHAT_FOR = {
    Insertion.LAYOUT: "memory layout",
    Insertion.CAST: "precision",
    Insertion.COPY: "copy between devices",
    Insertion.QUANTIZE: "quantisation",
    Insertion.SHAPE: "shape",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTime:
    """What a node's region took on one provider; widths are percentages of the longest."""

    time: str
    time_us: float
    share: str
    width: float
    ran_as: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A node on which time stands; one time per provider, None where there is none."""

    address: str
    name: str
    op: str
    scope: str
    times: tuple[NodeTime | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a run; ``kind`` is node, inserted, unattributed or runtime."""

    label: str
    kind: str
    time: str
    share: str
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What a run is made of on one provider."""

    label: str
    title: str
    parts: tuple[Part, ...]
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertedRow:
    """Kernels that the runtime inserted for one node."""

    provider: str
    what_for: str
    kernels: str
    count: int
    address: str
    name: str
    time: str
    time_us: float
    share: str


def node_rows(profile: Profile, cells: Sequence[Cell]) -> tuple[tuple[NodeRow, ...], int]:
    """Return the costliest nodes, and how many nodes carry time in all."""
    leads: dict[int, list[NodeTime | None]] = {}
    weight: dict[int, float] = {}
    for position, cell in enumerate(cells):
        counted = tally(cell, profile.model.table)
        longest = max((r.time.value for r in counted.regions if r.lead is not None), default=0.0)
        for region in counted.regions:
            if region.lead is None:
                continue
            times = leads.setdefault(region.lead, [None] * len(cells))
            times[position] = times[position] or _node_time(region, counted, longest)
            share = counted.share(region.time.value)
            weight[region.lead] = max(weight.get(region.lead, 0.0), share)
    costliest = sorted(leads, key=lambda row: -weight[row])[:_NODES]
    return tuple(_node_row(profile, row, leads[row]) for row in costliest), len(leads)


def _node_time(region: RegionTally, counted: Tally, longest: float) -> NodeTime:
    return NodeTime(
        time=format_interval(region.time),
        time_us=region.time.value,
        share=format_share(counted.share(region.time.value)),
        width=round(100 * region.time.value / longest, 2) if longest else 0.0,
        ran_as=region.label,
    )


def _node_row(profile: Profile, row: int, times: Sequence[NodeTime | None]) -> NodeRow:
    table = profile.model.table
    return NodeRow(
        address=profile.model.addresses[row],
        name=visible(table.name(row)),
        op=visible(table.op(row)),
        scope=visible(profile.model.scopes[row]),
        times=tuple(times),
    )


def ledger(profile: Profile, cell: Cell) -> Ledger:
    """Return what an undisturbed run of a provider is made of."""
    counted = tally(cell, profile.model.table)
    times = [("the model's nodes", "node", counted.kind_us(OriginKind.NODE, OriginKind.REGION))]
    for insertion, text in _WHAT_FOR.items():
        regions = [r for r in counted.regions if r.insertion is insertion]
        times.append((f"inserted: {text}", "inserted", sum(r.time.value for r in regions)))
    times.append(("unattributed", "unattributed", counted.kind_us(OriginKind.UNATTRIBUTED)))
    rest_us = runtime_us(cell, counted)
    times.append(("runtime, outside kernels", "runtime", max(rest_us, 0.0)))
    total_us = sum(time_us for _, _, time_us in times)
    what = "kernels of a run, profiled" if rest_us < 0 else "an undisturbed run"
    parts = (
        Part(
            label=label,
            kind=kind,
            time=format_us(time_us),
            share=format_share(time_us / total_us),
            width=round(100 * time_us / total_us, 3),
        )
        for label, kind, time_us in times
        if time_us > 0 or kind == "unattributed"
    )
    return Ledger(
        label=cell.label,
        title=f"{what}: {format_us(total_us)}",
        parts=tuple(parts) if total_us else (),
        remark=_residual(cell, rest_us),
    )


def _residual(cell: Cell, rest_us: float) -> str:
    if not rest_us < 0:
        return ""
    return (
        f"Without the profiler an undisturbed run takes {format_us(quiet_wall_us(cell))}: "
        f"{format_us(-rest_us)} less than its kernels add up to. That is the profiler's own cost, "
        "which lies inside the kernels' times."
    )


def inserted_rows(profile: Profile, cells: Sequence[Cell]) -> tuple[InsertedRow, ...]:
    """Return what the runtime inserted, costliest first."""
    rows = []
    for cell in cells:
        counted = tally(cell, profile.model.table)
        for region in counted.regions:
            if region.insertion is not None and region.owner is not None:
                rows.append(_inserted_row(profile, cell, counted, region))
    rows.sort(key=lambda row: -row.time_us)
    return tuple(rows[:_INSERTED])


def _inserted_row(profile: Profile, cell: Cell, counted: Tally, region: RegionTally) -> InsertedRow:
    owner = region.owner or 0
    insertion = region.insertion or Insertion.SHAPE
    return InsertedRow(
        provider=cell.label,
        what_for=_WHAT_FOR[insertion],
        kernels=region.label,
        count=len(region.kernels),
        address=profile.model.addresses[owner],
        name=visible(profile.model.table.name(owner)),
        time=format_interval(region.time),
        time_us=region.time.value,
        share=format_share(counted.share(region.time.value)),
    )
