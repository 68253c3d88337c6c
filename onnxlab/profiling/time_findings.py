"""What one provider's kernel times say should be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

import numpy as np

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.mapping.origin import Fate, Insertion, OriginKind
from onnxlab.model.table import NodeFlag
from onnxlab.model.text import visible
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.quantity import format_share, format_us
from onnxlab.profiling.tally import RegionTally, Tally, cpu_per_wall, runtime_us, tally, wall_us

__all__ = ["find_in_times"]

_ADDRESSES = 100  # as many as a Finding holds
_NAMED = 3
_NAME_CHARACTERS = 60
_HOT_SHARE = 0.2
_CPU = "CPUExecutionProvider"
_BUSY_SHARE = 0.9
_WORTH_SHARE = 0.01  # of all kernel time
_TINY_US = 5.0  # about three times what the profiler itself costs per kernel
_TINY_SHARE = 0.25
_SLOW_FIRST_RATIO = 3.0
_SLOW_FIRST_US = 1_000.0
_SLOW_LOAD_US = 1_000_000.0
_RESIDUAL_SHARE = 0.2

_REMEDIES = {
    Insertion.LAYOUT: "Compare with level='extended', which keeps the model's own layout.",
    Insertion.CAST: "Keep the nodes around it in one precision, or export the model in it.",
    Insertion.COPY: "Keep neighbouring nodes on one provider.",
    Insertion.QUANTIZE: "Quantise the nodes between, or leave all of them in float.",
    Insertion.SHAPE: "Export with the shape that the operator takes.",
}
_INSERTED = {
    Insertion.LAYOUT: "Changing the memory layout",
    Insertion.CAST: "Casting between precisions",
    Insertion.COPY: "Copying between devices",
    Insertion.QUANTIZE: "Quantising and dequantising",
    Insertion.SHAPE: "Reshaping",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Attributed:
    """A cell with what is computed from it."""

    profile: Profile
    cell: Cell
    counted: Tally
    wall_us: float

    def where(self) -> str:
        """Name the provider where there are several."""
        return f" on {self.cell.label}" if len(self.profile.cells) > 1 else ""

    def addresses(self, rows: Iterable[int | None]) -> tuple[str, ...]:
        """Return distinct addresses of rows, at most as many as a finding holds."""
        distinct = dict.fromkeys(row for row in rows if row is not None)
        return tuple(self.profile.model.addresses[row] for row in list(distinct)[:_ADDRESSES])


def find_in_times(profile: Profile, cell: Cell) -> Iterator[Finding]:
    """Yield the findings of a provider whose kernels were attributed."""
    data = _Attributed(
        profile=profile,
        cell=cell,
        counted=tally(cell, profile.model.table),
        wall_us=wall_us(cell, seed=profile.options.seed).value,
    )
    for check in _CHECKS:
        yield from check(data)


def _hot_regions(data: _Attributed) -> Iterator[Finding]:
    """Name the fewest regions that take half of the time, three at most."""
    hot: list[RegionTally] = []
    time_us = 0.0
    for region in data.counted.regions:
        if region.lead is not None and len(hot) < _NAMED and data.counted.share(time_us) < 0.5:
            hot.append(region)
            time_us += region.time.value
    if not time_us or len(data.counted.regions) == 1:  # one of one says nothing
        return
    share = data.counted.share(time_us)
    regions = _count(len(data.counted.regions), "region")
    names = ", ".join(_named(data, region) for region in hot)
    if share < _HOT_SHARE:
        hazard = f"No node stands out{data.where()}: the costliest of {regions} are {names}."
        remedy = "Look at whole scopes and operators, in the treemap or by op."
        why = f"Together these take {format_share(share)} of the kernel time."
    else:
        hazard = (
            f"{format_share(share)} of the kernel time{data.where()} goes to {len(hot)} of "
            f"{regions}: {names}."
        )
        remedy = "Start here."
        why = "Whatever makes these faster counts; the rest hardly does."
    yield Finding(
        code="hot-nodes",
        severity=Severity.INFO,
        hazard=hazard,
        remedy=remedy,
        why=why,
        addresses=data.addresses(region.lead for region in hot),
        count=len(hot),
    )


def _named(data: _Attributed, region: RegionTally) -> str:
    model = data.profile.model
    row = region.lead or 0
    name = visible(model.table.name(row)) or f"at {model.addresses[row]}"
    if len(name) > _NAME_CHARACTERS:
        end = name[-_NAME_CHARACTERS:]  # the end of a long path tells nodes apart
        name = f"…{end[max(end.find('/'), 0) :]}"
    return f"{region.label} {name} ({format_us(region.time.value)})"


def _inserted(data: _Attributed) -> Iterator[Finding]:
    for insertion in Insertion:
        regions = [r for r in data.counted.regions if r.insertion is insertion]
        time_us = sum(region.time.value for region in regions)
        if data.counted.share(time_us) < _WORTH_SHARE:
            continue
        kernels = sum(len(region.kernels) for region in regions)
        yield Finding(
            code=f"inserted-{insertion}",
            severity=Severity.WARNING,
            hazard=(
                f"{_INSERTED[insertion]}{data.where()} costs {format_us(time_us)}, "
                f"{format_share(data.counted.share(time_us))} of the kernel time, "
                f"in {_count(kernels, 'kernel')} that the runtime inserted."
            ),
            remedy=_REMEDIES[insertion],
            why="The model does not ask for it; the runtime does it for the nodes named.",
            addresses=data.addresses(region.owner for region in regions),
            count=len(regions),
            # Another layout pays for itself elsewhere: what it saves is not known from this.
            saving_us=None if insertion is Insertion.LAYOUT else time_us,
        )


def _tiny_kernels(data: _Attributed) -> Iterator[Finding]:
    times_us = data.counted.kernels.value
    tiny = np.flatnonzero(times_us < _TINY_US)
    time_us = float(times_us[tiny].sum())
    if data.counted.share(time_us) < _TINY_SHARE or len(tiny) < 2:
        return
    leads = (data.cell.kernels[position].origin.lead for position in tiny.tolist())
    yield Finding(
        code="tiny-kernels",
        severity=Severity.INFO,
        hazard=(
            f"{len(tiny)} of {len(times_us)} kernels{data.where()} take less than "
            f"{format_us(_TINY_US)} each, together "
            f"{format_share(data.counted.share(time_us))} of the kernel time."
        ),
        remedy="Run larger batches, or fuse small operators when you export.",
        why="Most of such a time is the cost of starting the kernel, and of measuring it.",
        addresses=data.addresses(leads),
        count=len(tiny),
    )


def _start(data: _Attributed) -> Iterator[Finding]:
    sessions = data.cell.steady_sessions
    if not sessions:
        return
    first_us = float(np.median([session.first_run_ns for session in sessions])) / 1e3
    load_us = float(np.median([session.load_ns for session in sessions])) / 1e3
    if first_us > _SLOW_FIRST_RATIO * data.wall_us and first_us > _SLOW_FIRST_US:
        yield Finding(
            code="slow-first-run",
            severity=Severity.INFO,
            hazard=(
                f"The first run{data.where()} takes {format_us(first_us)}, "
                f"a steady one {format_us(data.wall_us)}."
            ),
            remedy="Run once before the model has to answer.",
            why="Memory is reserved and caches are filled in the first run.",
        )
    if load_us > _SLOW_LOAD_US:
        yield Finding(
            code="slow-load",
            severity=Severity.INFO,
            hazard=f"Making a session{data.where()} takes {format_us(load_us)}.",
            remedy="Save the optimised model and load that one without optimising.",
            why=f"That is as long as {load_us / data.wall_us:,.0f} runs.",
        )


def _fates(data: _Attributed) -> Iterator[Finding]:
    constant = data.profile.model.table.node_flags & NodeFlag.CONSTANT
    folded = [
        row for row, fate in enumerate(data.cell.fates) if fate is Fate.FOLDED and not constant[row]
    ]
    if folded:
        yield Finding(
            code="folded-nodes",
            severity=Severity.INFO,
            hazard=(
                f"{_count(len(folded), 'node')} {_be(len(folded))} computed when the session is "
                f"made{data.where()}, not in each run."
            ),
            remedy="Nothing to do; saving the optimised model makes sessions start faster.",
            why="All their inputs are constant.",
            addresses=data.addresses(folded),
            count=len(folded),
        )
    idle = [row for row, fate in enumerate(data.cell.fates) if fate is Fate.NOT_EXECUTED]
    if idle:
        yield Finding(
            code="not-executed",
            severity=Severity.INFO,
            hazard=f"No run reached {_count(len(idle), 'node')}{data.where()}.",
            remedy="Give inputs= that take the other branches too.",
            why="They stand in branches or loops that these inputs do not enter.",
            addresses=data.addresses(idle),
            count=len(idle),
        )


def _left_over(data: _Attributed) -> Iterator[Finding]:
    unattributed_us = data.counted.kind_us(OriginKind.UNATTRIBUTED)
    if unattributed_us > 0:
        yield Finding(
            code="unattributed-time",
            severity=Severity.WARNING,
            hazard=(
                f"{format_us(unattributed_us)} of kernel time{data.where()} could not be traced "
                f"back to a node."
            ),
            remedy="Look at the kernels of kind 'unattributed' in the profile's kernels table.",
            why="The runtime rewrote the model in a way that left no trace.",
        )
    residual_us = runtime_us(data.cell, data.counted)
    if not isfinite(residual_us) or abs(residual_us) < _RESIDUAL_SHARE * data.counted.total_us:
        return
    if residual_us > 0 and _was_preempted(data):
        return  # the other work explains it
    if residual_us > 0:
        hazard = f"{format_us(residual_us)} of a run{data.where()} lies outside its kernels."
        why = "The runtime itself takes it: starting kernels, moving inputs and outputs."
    else:
        hazard = (
            f"The kernels{data.where()} add up to {format_us(-residual_us)} more than a run "
            f"without the profiler takes."
        )
        why = "The profiler's own cost, 1 to 2 µs a kernel, lies inside the kernels' times."
    yield Finding(
        code="runtime-residual",
        severity=Severity.INFO,
        hazard=hazard,
        remedy="Trust the wall time for the whole, and shares among the larger kernels.",
        why=why,
    )


def _was_preempted(data: _Attributed) -> bool:
    one_core = data.cell.provider == _CPU and data.profile.options.threads == 1
    return one_core and cpu_per_wall(data.cell) < _BUSY_SHARE


def _preemption(data: _Attributed) -> Iterator[Finding]:
    if _was_preempted(data):
        busy = format_share(cpu_per_wall(data.cell))
        yield Finding(
            code="preempted",
            severity=Severity.WARNING,
            hazard=f"The model had a core for only {busy} of the time it ran.",
            remedy="Measure again on a quieter machine.",
            why="Other work took the core, so wall times are longer than the model needs.",
        )


def _fallback(data: _Attributed) -> Iterator[Finding]:
    elsewhere = [
        position
        for position, kernel in enumerate(data.cell.kernels)
        if data.cell.provider and kernel.provider != data.cell.provider
    ]
    if not elsewhere:
        return
    time_us = float(data.counted.kernels.value[elsewhere].sum())
    yield Finding(
        code="provider-fallback",
        severity=Severity.WARNING,
        hazard=(
            f"{len(elsewhere)} of {len(data.cell.kernels)} kernels asked for on "
            f"{data.cell.label} ran elsewhere, in {format_us(time_us)}."
        ),
        remedy="Replace these operators by ones that the provider has.",
        why="The provider has no kernel for them; each change of provider may cost a copy.",
        addresses=data.addresses(data.cell.kernels[position].origin.lead for position in elsewhere),
        count=len(elsewhere),
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


_CHECKS: tuple[Callable[[_Attributed], Iterator[Finding]], ...] = (
    _hot_regions,
    _preemption,
    _fallback,
    _inserted,
    _tiny_kernels,
    _start,
    _fates,
    _left_over,
)
