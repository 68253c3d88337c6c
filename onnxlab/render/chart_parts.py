"""What the charts of a profile share: providers, colours, and text that plotly does not interpret.

Plotly reads some tags, entities and LaTeX in any text, so every text of the model is escaped.
"""

from __future__ import annotations

import html
from dataclasses import dataclass

from onnxlab.mapping.origin import OriginKind
from onnxlab.model.text import elide, visible
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.quantity import format_interval, format_share
from onnxlab.profiling.tally import RegionTally, Tally, tally

__all__ = [
    "GRID_COLOUR",
    "INSERTED_COLOUR",
    "LABEL_CHARACTERS",
    "REST_COLOUR",
    "SCOPE_COLOUR",
    "TEXT_COLOUR",
    "Column",
    "columns_of",
    "hover_name",
    "hover_text",
    "lead_address",
    "plain",
]

LABEL_CHARACTERS = 60
HOVER_CHARACTERS = 200

# One hue for the model's own nodes, one for what the runtime adds, grey for what is left over.
PROVIDER_COLOURS = ("#2f6fb0", "#7a9e3f", "#8a63a8", "#3a9a9a")
INSERTED_COLOUR = "#c9873a"
REST_COLOUR = "#9a9a9a"
SCOPE_COLOUR = "#eef1f4"
TEXT_COLOUR = "#24292f"
GRID_COLOUR = "#e3e6ea"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """One provider that ran."""

    cell: Cell
    counted: Tally
    colour: str


def columns_of(profile: Profile) -> list[Column]:
    """Return the providers that ran, each with a colour of its own."""
    return [
        Column(
            cell=cell,
            counted=tally(cell, profile.model.table),
            colour=PROVIDER_COLOURS[position % len(PROVIDER_COLOURS)],
        )
        for position, cell in enumerate(profile.cells)
        if cell.is_attributed
    ]


def plain(text: str, limit: int = LABEL_CHARACTERS, /) -> str:
    """Return a model's text so that plotly shows just it."""
    return _escaped(elide(visible(text), limit))


def hover_name(text: str, /) -> str:
    """Return a model's text as `plain` does, in short lines for the box under the pointer."""
    shown = elide(visible(text), HOVER_CHARACTERS)
    starts = range(0, len(shown), LABEL_CHARACTERS)
    return "<br>".join(_escaped(shown[start : start + LABEL_CHARACTERS]) for start in starts)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace("$", "&#36;")


def hover_text(profile: Profile, column: Column, region: RegionTally) -> str:
    """Return what a region shows under the pointer: label, time, share, node."""
    lines = [
        f"<b>{hover_name(region.label)}</b>",
        f"{format_interval(region.time)} on {plain(column.cell.label)}, "
        f"{format_share(column.counted.share(region.time.value))}",
    ]
    row = region.owner if region.lead is None else region.lead
    if row is not None:
        prefix = "inserted for " if region.kind is OriginKind.INSERTED else ""
        name = profile.model.table.name(row)
        address = profile.model.addresses[row]
        lines.append(prefix + f"{hover_name(name)} at {hover_name(address)}".strip())
    if len(region.nodes) > 1:
        lines.append(f"runs {len(region.nodes)} nodes")
    return "<br>".join(lines)


def lead_address(profile: Profile, region: RegionTally) -> str:
    """Return the address of the node that a region's time stands on; empty without one."""
    return "" if region.lead is None else profile.model.addresses[region.lead]
