"""A profile in words."""

from __future__ import annotations

from onnxlab.mapping.origin import OriginKind
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.quantity import format_interval, format_share
from onnxlab.profiling.tally import tally, wall_us

__all__ = ["cell_line", "one_line"]


def one_line(profile: Profile) -> str:
    """Return the model's name and what each provider did with it."""
    cells = " · ".join(cell_line(profile, cell) for cell in profile.cells)
    return f"{profile.model.name}: {cells}"


def cell_line(profile: Profile, cell: Cell, *, failure: str = "") -> str:
    """Return a provider's wall time, its kernels and how much of their time is attributed.

    Parameters
    ----------
    profile
        The profile.
    cell
        What one provider did.
    failure
        What to say of a failure; its reason where not given.
    """
    parts = [cell.label]
    if cell.steady_sessions:
        parts[0] += f" {format_interval(wall_us(cell, seed=profile.options.seed))}"
    if cell.is_attributed:
        counted = tally(cell, profile.model.table)
        rest_us = counted.kind_us(OriginKind.UNATTRIBUTED)
        attributed = format_share(1 - counted.share(rest_us))
        kernels = f"{len(cell.kernels):,} kernel{'' if len(cell.kernels) == 1 else 's'}"
        parts.append(f"{kernels}, {attributed} of the time attributed")
    if cell.error:
        parts.append(failure or f"failed: {cell.error}")
    return ", ".join(parts)
