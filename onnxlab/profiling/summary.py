"""The table with one row per provider. Its columns are documented at `Profile.summary`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from onnxlab.mapping.origin import OriginKind
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.tally import cpu_per_wall, quiet_wall_us, runtime_us, tally, wall_us

__all__ = ["summary"]

_KERNEL_COLUMNS = (
    "kernels_us",
    "node_us",
    "inserted_us",
    "unattributed_us",
    "attributed",
    "runtime_us",
)


def summary(profile: Profile) -> pd.DataFrame:
    """Return `Profile.summary`."""
    rows = [_summary_row(profile, cell) for cell in profile.cells]
    index = pd.Index([cell.label for cell in profile.cells], name="provider", dtype="str")
    return pd.DataFrame(rows, index=index)


def _summary_row(profile: Profile, cell: Cell) -> dict[str, object]:
    wall = wall_us(cell, seed=profile.options.seed)
    steady = cell.steady_sessions
    return {
        "ran_on": ", ".join(cell.ran_on),
        "level": cell.level,
        "error": cell.error,
        "wall_us": wall.value,
        "wall_low_us": wall.low,
        "wall_high_us": wall.high,
        "quiet_wall_us": quiet_wall_us(cell),
        "cpu_per_wall": cpu_per_wall(cell),
        "load_us": _median_us([session.load_ns for session in steady]),
        "first_run_us": _median_us([session.first_run_ns for session in steady]),
        **_kernel_summary(profile, cell),
        "sessions": len(steady),
        "runs": sum(len(session.run_ns) for session in steady),
        "profiled_runs": cell.self_us.shape[0],
        "peak_rss_bytes": max((session.peak_rss_bytes for session in cell.sessions), default=0),
    }


def _kernel_summary(profile: Profile, cell: Cell) -> dict[str, object]:
    if not cell.is_attributed:
        nan = float("nan")
        names = [
            "kernels_us",
            "node_us",
            "inserted_us",
            "unattributed_us",
            "attributed",
            "runtime_us",
        ]
        return {"kernels": 0, **dict.fromkeys(names, nan)}
    counted = tally(cell, profile.model.table)
    unattributed_us = counted.kind_us(OriginKind.UNATTRIBUTED)
    return {
        "kernels": len(cell.kernels),
        "kernels_us": counted.total_us,
        "node_us": counted.kind_us(OriginKind.NODE, OriginKind.REGION),
        "inserted_us": counted.kind_us(OriginKind.INSERTED),
        "unattributed_us": unattributed_us,
        "attributed": 1 - counted.share(unattributed_us),
        "runtime_us": runtime_us(cell, counted),
    }


def _median_us(times_ns: list[int]) -> float:
    return float(np.median(times_ns)) / 1e3 if times_ns else float("nan")
