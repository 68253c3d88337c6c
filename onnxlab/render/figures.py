"""Charts of a profile, as plain plotly figures.

Plotly reads some tags, entities and LaTeX in any text, so every text of the model is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from onnxlab.mapping.origin import OriginKind
from onnxlab.model.table import GraphTable
from onnxlab.model.text import elide, visible
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.quantity import format_interval, format_share, format_us
from onnxlab.profiling.tally import RegionTally, Tally, runtime_us, tally

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["KINDS", "figure", "plain"]

_LABEL_CHARACTERS = 60
_HOVER_CHARACTERS = 200
_BARS = 20
_LEAVES = 400

# One hue for the model's own nodes, one for what the runtime adds, grey for what is left over.
_PROVIDER_COLOURS = ("#2f6fb0", "#7a9e3f", "#8a63a8", "#3a9a9a")
_INSERTED_COLOUR = "#c9873a"
_REST_COLOUR = "#9a9a9a"
_SCOPE_COLOUR = "#eef1f4"
_TEXT_COLOUR = "#24292f"
_GRID_COLOUR = "#e3e6ea"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Column:
    """One provider that ran."""

    cell: Cell
    counted: Tally
    colour: str


def figure(profile: Profile, kind: str = "treemap") -> go.Figure:
    """Return a chart of where the time goes.

    Parameters
    ----------
    profile
        At least one of its providers must have run.
    kind
        ``treemap``: scopes and nodes by area, one map per provider. ``bar``: the costliest
        nodes with their intervals. ``ops``: time by operator.

    Raises
    ------
    ValueError
        There is no such kind, or no provider ran.
    """
    import plotly.graph_objects as go

    if kind not in KINDS:
        raise ValueError(f"there is no figure {kind!r}: choose one of {', '.join(KINDS)}")
    columns = _columns(profile)
    if not columns:
        reason = "; ".join(cell.error for cell in profile.cells if cell.error)
        raise ValueError(f"no provider ran, so there is nothing to draw: {reason}")
    chart = go.Figure()
    chart.update_layout(
        font={"color": _TEXT_COLOUR, "size": 12},
        paper_bgcolor="#ffffff",
        plot_bgcolor="#ffffff",
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        hoverlabel={"align": "left", "namelength": -1},
    )
    KINDS[kind](chart, profile, columns)
    return chart


def plain(text: str, limit: int = _LABEL_CHARACTERS, /) -> str:
    """Return a model's text so that plotly shows just it."""
    return html.escape(elide(visible(text), limit), quote=False).replace("$", "&#36;")


def _columns(profile: Profile) -> list[_Column]:
    return [
        _Column(
            cell=cell,
            counted=tally(cell, profile.model.table),
            colour=_PROVIDER_COLOURS[position % len(_PROVIDER_COLOURS)],
        )
        for position, cell in enumerate(profile.cells)
        if cell.is_attributed
    ]


# Treemap


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tile:
    id: str
    parent: str
    label: str
    time_us: float
    colour: str
    hover: str


def _treemap(chart: go.Figure, profile: Profile, columns: list[_Column]) -> None:
    width = 1 / len(columns)
    for position, column in enumerate(columns):
        tiles = list(_tiles(profile, column))
        chart.add_treemap(
            ids=[tile.id for tile in tiles],
            parents=[tile.parent for tile in tiles],
            labels=[tile.label for tile in tiles],
            values=[tile.time_us for tile in tiles],
            customdata=[tile.hover for tile in tiles],
            hovertemplate="%{customdata}<extra></extra>",
            marker={
                "colors": [tile.colour for tile in tiles],
                "line": {"width": 1, "color": "#ffffff"},
                "pad": {"t": 18, "l": 2, "r": 2, "b": 2},
            },
            branchvalues="remainder",
            tiling={"pad": 1},
            pathbar={"visible": False},
            domain={"x": [position * width, (position + 1) * width - 0.01]},
        )
    chart.update_layout(height=480, title={"text": "Where the time goes", "x": 0.01})


def _tiles(profile: Profile, column: _Column) -> Iterator[_Tile]:
    counted = column.counted
    root = f"{plain(profile.model.name)} on {plain(column.cell.label)}"
    yield _branch("root", "", root, f"{root}<br>{format_us(counted.total_us)} in kernels")
    scopes: set[str] = set()
    costliest = max((region.time.value for region in counted.regions), default=0.0)
    for region in counted.regions[:_LEAVES]:
        if region.lead is not None:
            parent = f"scope {profile.model.table.node_scope[region.lead]}"
            yield from _scope_tiles(profile.model.table, region.lead, scopes)
            colour = _mix(column.colour, region.time.value / costliest if costliest else 0.0)
            yield _region_tile(profile, column, region, parent=parent, colour=colour)
    yield from _rest_tiles(profile, column)


def _scope_tiles(table: GraphTable, row: int, seen: set[str]) -> Iterator[_Tile]:
    """Yield the scopes around a node that are not there yet, outermost first."""
    chain: list[int] = []
    scope = int(table.node_scope[row])
    while scope >= 0 and f"scope {scope}" not in seen:
        chain.append(scope)
        seen.add(f"scope {scope}")
        scope = int(table.scope_parent[scope])
    for scope in reversed(chain):
        parent = int(table.scope_parent[scope])
        label = table.strings[table.scope_name[scope]] if parent >= 0 else "model"
        yield _branch(
            f"scope {scope}",
            f"scope {parent}" if parent >= 0 else "root",
            plain(label),
            plain(label, _HOVER_CHARACTERS),
        )


def _rest_tiles(profile: Profile, column: _Column) -> Iterator[_Tile]:
    """Yield what stands apart: inserted kernels, the small ones, what is not attributed."""
    counted = column.counted
    inserted = [r for r in counted.regions[:_LEAVES] if r.kind is OriginKind.INSERTED]
    if inserted:
        text = "inserted by the runtime"
        yield _branch("inserted", "root", text, text)
    for region in inserted:
        yield _region_tile(profile, column, region, parent="inserted", colour=_INSERTED_COLOUR)
    small = [r for r in counted.regions[_LEAVES:] if r.kind is not OriginKind.UNATTRIBUTED]
    rest = {
        f"{len(small):,} smaller": sum(region.time.value for region in small),
        "unattributed": counted.kind_us(OriginKind.UNATTRIBUTED),
        "runtime, outside kernels": runtime_us(column.cell, counted),
    }
    for label, time_us in rest.items():
        if isfinite(time_us) and time_us > 0:
            hover = f"{label}<br>{format_us(time_us)}"
            yield _Tile(
                id=label,
                parent="root",
                label=label,
                time_us=time_us,
                colour=_REST_COLOUR,
                hover=hover,
            )


def _branch(identity: str, parent: str, label: str, hover: str) -> _Tile:
    return _Tile(
        id=identity, parent=parent, label=label, time_us=0.0, colour=_SCOPE_COLOUR, hover=hover
    )


def _region_tile(
    profile: Profile, column: _Column, region: RegionTally, *, parent: str, colour: str
) -> _Tile:
    return _Tile(
        id=f"region {region.kernels[0]}",
        parent=parent,
        label=f"{plain(region.label)}<br>{format_us(region.time.value)}",
        time_us=region.time.value,
        colour=colour,
        hover=_hover(profile, column, region),
    )


# Bars


def _bar(chart: go.Figure, profile: Profile, columns: list[_Column]) -> None:
    rows = _costliest_leads(columns)
    labels = [_node_label(profile, row) for row in rows]
    for column in columns:
        by_lead = {region.lead: region for region in reversed(column.counted.regions)}
        regions = [by_lead.get(row) for row in rows]
        _add_bars(chart, column, labels, [_bar_of(profile, column, region) for region in regions])
    _finish_bars(chart, len(rows) * len(columns), title="The costliest nodes")


def _ops(chart: go.Figure, profile: Profile, columns: list[_Column]) -> None:
    totals = [_time_by_op(profile, column.counted) for column in columns]
    order = sorted({op for total in totals for op in total}, key=lambda op: -_largest(totals, op))
    shown = order[:_BARS]
    for column, total in zip(columns, totals, strict=True):
        bars = [
            _Bar(
                time_us=total.get(op, 0.0),
                hover=f"{plain(op)} on {plain(column.cell.label)}<br>"
                f"{format_us(total.get(op, 0.0))}, "
                f"{format_share(column.counted.share(total.get(op, 0.0)))}",
            )
            for op in shown
        ]
        _add_bars(chart, column, [plain(op) for op in shown], bars)
    _finish_bars(chart, len(shown) * len(columns), title="Time by operator")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bar:
    time_us: float
    hover: str
    above_us: float = 0.0
    below_us: float = 0.0


def _bar_of(profile: Profile, column: _Column, region: RegionTally | None) -> _Bar:
    if region is None:
        return _Bar(time_us=0.0, hover="")
    return _Bar(
        time_us=region.time.value,
        hover=_hover(profile, column, region),
        above_us=region.time.high - region.time.value,
        below_us=region.time.value - region.time.low,
    )


def _add_bars(chart: go.Figure, column: _Column, labels: list[str], bars: list[_Bar]) -> None:
    chart.add_bar(
        orientation="h",
        name=plain(column.cell.label),
        # Equal labels would be stacked on one another: the axis counts, the ticks name.
        x=[bar.time_us for bar in bars],
        y=list(range(len(bars))),
        customdata=[bar.hover for bar in bars],
        hovertemplate="%{customdata}<extra></extra>",
        marker={"color": column.colour},
        error_x={
            "array": [bar.above_us for bar in bars],
            "arrayminus": [bar.below_us for bar in bars],
            "color": _TEXT_COLOUR,
            "thickness": 1,
            "width": 3,
            "visible": any(bar.above_us or bar.below_us for bar in bars),
        },
    )
    chart.update_yaxes(tickvals=list(range(len(labels))), ticktext=labels)


def _finish_bars(chart: go.Figure, bars: int, *, title: str) -> None:
    chart.update_xaxes(title="µs per run", gridcolor=_GRID_COLOUR, rangemode="tozero")
    chart.update_yaxes(autorange="reversed", automargin=True, ticklabelstandoff=6)
    chart.update_layout(
        title={"text": title, "x": 0.01},
        height=110 + 22 * max(bars, 3),
        barmode="group",
        bargap=0.3,
        showlegend=len(chart.data) > 1,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 1.0, "xanchor": "right"},
    )


def _costliest_leads(columns: list[_Column]) -> list[int]:
    largest: dict[int, float] = {}
    for column in columns:
        for region in column.counted.regions:
            if region.lead is not None:
                largest[region.lead] = max(largest.get(region.lead, 0.0), region.time.value)
    return sorted(largest, key=lambda row: -largest[row])[:_BARS]


def _time_by_op(profile: Profile, counted: Tally) -> dict[str, float]:
    total: dict[str, float] = {}
    for region in counted.regions:
        op = (
            f"{region.kind} {region.label}"
            if region.lead is None
            else profile.model.table.op(region.lead)
        )
        total[op] = total.get(op, 0.0) + region.time.value
    return total


def _largest(totals: Iterable[dict[str, float]], op: str) -> float:
    return max(total.get(op, 0.0) for total in totals)


# Text


def _node_label(profile: Profile, row: int) -> str:
    table = profile.model.table
    name = table.name(row) or profile.model.addresses[row]
    # The end of a long path tells nodes apart.
    short = name if len(name) <= _LABEL_CHARACTERS else f"…{name[-_LABEL_CHARACTERS:]}"
    return f"{plain(table.op(row))}  {plain(short, _LABEL_CHARACTERS + 1)}"


def _hover(profile: Profile, column: _Column, region: RegionTally) -> str:
    lines = [
        f"<b>{plain(region.label, _HOVER_CHARACTERS)}</b>",
        f"{format_interval(region.time)} on {plain(column.cell.label)}, "
        f"{format_share(column.counted.share(region.time.value))}",
    ]
    row = region.owner if region.lead is None else region.lead
    if row is not None:
        prefix = "inserted for " if region.kind is OriginKind.INSERTED else ""
        name = profile.model.table.name(row)
        address = profile.model.addresses[row]
        lines.append(prefix + plain(f"{name} at {address}".strip(), _HOVER_CHARACTERS))
    if len(region.nodes) > 1:
        lines.append(f"runs {len(region.nodes)} nodes")
    return "<br>".join(lines)


def _mix(colour: str, strength: float) -> str:
    """Return a colour between a light tint of it and itself."""
    part = 0.25 + 0.75 * strength
    channels = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (channel - 255) * part):02x}" for channel in channels)


KINDS: dict[str, Callable[[Any, Profile, list[_Column]], None]] = {
    "treemap": _treemap,
    "bar": _bar,
    "ops": _ops,
}
"""The charts there are, by the word that `figure` takes."""
