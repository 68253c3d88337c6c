"""The tables of a profile. Their columns are documented at `Profile`'s properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from onnxlab.mapping.origin import OriginKind
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.tally import tally

__all__ = ["kernels", "nodes", "regions", "runs"]

_KERNEL_COLUMNS = [
    "provider",
    "name",
    "op_type",
    "ran_on",
    "kind",
    "insertion",
    "region",
    "nodes",
    "owner",
    "calls",
    "time_us",
    "low_us",
    "high_us",
    "share",
    "evidence",
]
_REGION_COLUMNS = [
    "provider",
    "region",
    "kind",
    "insertion",
    "lead",
    "owner",
    "nodes",
    "kernels",
    "time_us",
    "low_us",
    "high_us",
    "share",
]
_NUMBERS = ("calls", "time_us", "low_us", "high_us", "share")
_RUN_COLUMNS = [
    "provider",
    "phase",
    "session",
    "run",
    "counted",
    "wall_ns",
    "cpu_ns",
    "node_us",
    "region_us",
    "inserted_us",
    "unattributed_us",
    "kernels_us",
]
_KIND_COLUMNS = {
    OriginKind.NODE: "node_us",
    OriginKind.REGION: "region_us",
    OriginKind.INSERTED: "inserted_us",
    OriginKind.UNATTRIBUTED: "unattributed_us",
}


def nodes(profile: Profile) -> pd.DataFrame:
    """Return `Profile.nodes`."""
    table = profile.model.table
    rows = range(table.node_count)
    columns: dict[str, Any] = {
        "name": [table.name(row) for row in rows],
        "op_type": [table.op(row) for row in rows],
        "scope": list(profile.model.scopes),
        **_unmeasured_columns(table.node_count),
    }
    for position, cell in enumerate(_attributed(profile)):
        suffix = f".{cell.label}" if position else ""
        columns |= {name + suffix: data for name, data in _node_columns(profile, cell).items()}
    index = pd.Index(profile.model.addresses, name="address", dtype="str")
    return pd.DataFrame(columns, index=index)


def _unmeasured_columns(count: int) -> dict[str, Any]:
    """Return what stands in the columns of a provider where no provider ran."""
    texts = {name: [""] * count for name in ("fate", "region", "region_lead", "ran_on")}
    times = {name: np.full(count, np.nan) for name in ("time_us", "low_us", "high_us", "share")}
    return {**texts, **times}


def _node_columns(profile: Profile, cell: Cell) -> dict[str, Any]:
    count = profile.model.table.node_count
    counted = tally(cell, profile.model.table)
    texts: dict[str, list[str]] = {
        name: [""] * count for name in ("region", "region_lead", "ran_on")
    }
    times = {name: np.full(count, np.nan) for name in ("time_us", "low_us", "high_us")}
    for region in counted.regions:
        if region.lead is None:
            continue
        lead = profile.model.addresses[region.lead]
        ran_on = cell.kernels[region.kernels[0]].provider
        for row in region.nodes:
            if not texts["region"][row]:
                texts["region"][row] = region.label
                texts["region_lead"][row] = lead
                texts["ran_on"][row] = ran_on
        for name, time_us in zip(
            times, (region.time.value, region.time.low, region.time.high), strict=True
        ):
            times[name][region.lead] = np.nansum([times[name][region.lead], time_us])
    share = times["time_us"] / counted.total_us if counted.total_us else times["time_us"]
    return {"fate": [str(fate) for fate in cell.fates], **texts, **times, "share": share}


def kernels(profile: Profile) -> pd.DataFrame:
    """Return `Profile.kernels`."""
    rows = [row for cell in _attributed(profile) for row in _kernel_rows(profile, cell)]
    return _frame(rows, _KERNEL_COLUMNS)


def _kernel_rows(profile: Profile, cell: Cell) -> Iterator[tuple[object, ...]]:
    counted = tally(cell, profile.model.table)
    labels = {position: region.label for region in counted.regions for position in region.kernels}
    estimates = counted.kernels
    for position, kernel in enumerate(cell.kernels):
        origin = kernel.origin
        time_us = float(estimates.value[position])
        yield (
            cell.label,
            kernel.name,
            kernel.op_type,
            kernel.provider,
            str(origin.kind),
            str(origin.insertion or ""),
            labels[position],
            _addresses(profile, origin.nodes),
            _address(profile, origin.owner),
            kernel.calls,
            time_us,
            float(estimates.low[position]),
            float(estimates.high[position]),
            counted.share(time_us),
            origin.evidence,
        )


def regions(profile: Profile) -> pd.DataFrame:
    """Return `Profile.regions`."""
    rows = [
        (
            cell.label,
            region.label,
            str(region.kind),
            str(region.insertion or ""),
            _address(profile, region.lead),
            _address(profile, region.owner),
            _addresses(profile, region.nodes),
            len(region.kernels),
            region.time.value,
            region.time.low,
            region.time.high,
            counted.share(region.time.value),
        )
        for cell in _attributed(profile)
        for counted in (tally(cell, profile.model.table),)
        for region in counted.regions
    ]
    return _frame(rows, _REGION_COLUMNS)


def runs(profile: Profile) -> pd.DataFrame:
    """Return `Profile.runs`."""
    rows = [row for cell in profile.cells for row in (*_timed_rows(cell), *_profiled_rows(cell))]
    frame = pd.DataFrame(rows, columns=pd.Index(_RUN_COLUMNS))
    return frame.astype(dict.fromkeys(_RUN_COLUMNS[5:], "Int64"))


def _timed_rows(cell: Cell) -> Iterator[tuple[object, ...]]:
    no_kernels = (None,) * 5
    for number, session in enumerate(cell.sessions):
        counted = number > 0
        yield (cell.label, "load", number, 0, counted, session.load_ns, None, *no_kernels)
        yield (cell.label, "first run", number, 0, counted, session.first_run_ns, None, *no_kernels)
        for run, (wall_ns, cpu_ns) in enumerate(
            zip(session.run_ns.tolist(), session.cpu_ns.tolist(), strict=True)
        ):
            yield (cell.label, "steady", number, run, counted, wall_ns, cpu_ns, *no_kernels)


def _profiled_rows(cell: Cell) -> Iterator[tuple[object, ...]]:
    kinds = np.array([list(_KIND_COLUMNS).index(kernel.origin.kind) for kernel in cell.kernels])
    session = len(cell.sessions)
    for run, times_us in enumerate(cell.self_us):
        sums = [int(times_us[kinds == kind].sum()) for kind in range(len(_KIND_COLUMNS))]
        yield (cell.label, "profiled", session, run, True, None, None, *sums, sum(sums))


def _frame(rows: Sequence[tuple[object, ...]], columns: list[str]) -> pd.DataFrame:
    """Return a table whose numbers are numbers even where it has no rows."""
    frame = pd.DataFrame(rows, columns=pd.Index(columns))
    return frame.astype({name: "float64" for name in _NUMBERS if name in columns})


def _attributed(profile: Profile) -> list[Cell]:
    return [cell for cell in profile.cells if cell.is_attributed]


def _address(profile: Profile, row: int | None) -> str:
    return "" if row is None else profile.model.addresses[row]


def _addresses(profile: Profile, rows: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(profile.model.addresses[row] for row in rows)
