"""The treemap: scopes and nodes by the time they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from onnxlab.mapping.origin import OriginKind
from onnxlab.model.table import GraphTable
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.quantity import format_share, format_us
from onnxlab.profiling.tally import RegionTally, runtime_us
from onnxlab.render.chart_parts import (
    INSERTED_COLOUR,
    REST_COLOUR,
    SCOPE_COLOUR,
    Column,
    hover_name,
    hover_text,
    lead_address,
    plain,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["add_treemaps"]

_LEAVES = 400
_LEAST_SHARE = 0.002
_GAP = 0.01  # between two maps
_ROOT = "scope 0"
_DARK_TEXT = "#111418"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tile:
    id: str
    parent: str
    label: str
    time_us: float
    colour: str
    hover: str
    address: str = ""  # of the node that leads
    nodes: str = ""  # the rows of all that ran, the lead's first


def add_treemaps(chart: go.Figure, profile: Profile, columns: list[Column]) -> None:
    """Draw a map for each provider, side by side."""
    width = (1 + _GAP) / len(columns)
    for position, column in enumerate(columns):
        tiles = list(_tiles(profile, column))
        chart.add_treemap(
            ids=[tile.id for tile in tiles],
            parents=[tile.parent for tile in tiles],
            labels=[tile.label for tile in tiles],
            values=[tile.time_us for tile in tiles],
            customdata=[[tile.hover, tile.address, tile.nodes] for tile in tiles],
            hovertemplate="%{customdata[0]}<extra></extra>",
            marker={
                "colors": [tile.colour for tile in tiles],
                "line": {"width": 1, "color": "#ffffff"},
                "pad": {"t": 18, "l": 2, "r": 2, "b": 2},
            },
            textfont={"color": [_text_colour(tile.colour) for tile in tiles]},
            branchvalues="remainder",
            tiling={"pad": 1},
            pathbar={"visible": False},
            domain={"x": [position * width, (position + 1) * width - _GAP]},
        )
    chart.update_layout(
        height=480,
        title={"text": "Where the time goes", "x": 0.01},
        uniformtext={"minsize": 9, "mode": "hide"},
    )


def _tiles(profile: Profile, column: Column) -> Iterator[_Tile]:
    counted = column.counted
    root = f"{plain(profile.model.name)} on {plain(column.cell.label)}"
    yield _branch(_ROOT, "", root, f"{root}<br>{format_us(counted.total_us)} in kernels")
    large = [
        region
        for region in counted.regions[:_LEAVES]
        if region.lead is not None and counted.share(region.time.value) >= _LEAST_SHARE
    ]
    shown = {0}
    for region in large:
        yield from _scope_tiles(profile.model.table, region.lead, shown)
        strength = region.time.value / large[0].time.value
        yield _region_tile(
            profile,
            column,
            region,
            parent=_nearest_scope(profile.model.table, region.lead, shown),
            colour=_mix(column.colour, strength),
        )
    yield from _small_tiles(profile, column, skip={region.kernels for region in large}, shown=shown)
    yield from _inserted_tiles(column)
    unattributed_us = counted.kind_us(OriginKind.UNATTRIBUTED)
    yield from _rest_tile("unattributed", unattributed_us)
    yield from _rest_tile("runtime, outside kernels", runtime_us(column.cell, counted))


def _scope_tiles(table: GraphTable, lead: int | None, shown: set[int]) -> Iterator[_Tile]:
    """Yield the scopes around a node that are not there yet, outermost first."""
    chain: list[int] = []
    scope = _scope_of(table, lead)
    while scope not in shown:
        chain.append(scope)
        shown.add(scope)
        scope = int(table.scope_parent[scope])
    for scope in reversed(chain):
        name = table.strings[table.scope_name[scope]]
        parent = _scope_id(int(table.scope_parent[scope]))
        yield _branch(_scope_id(scope), parent, plain(name), hover_name(name))


def _small_tiles(
    profile: Profile, column: Column, *, skip: set[tuple[int, ...]], shown: set[int]
) -> Iterator[_Tile]:
    """Yield one tile for all the small regions in each scope that has a large one."""
    times_us: dict[str, list[float]] = {}
    for region in column.counted.regions:
        if region.lead is not None and region.kernels not in skip:
            scope = _nearest_scope(profile.model.table, region.lead, shown)
            times_us.setdefault(scope, []).append(region.time.value)
    for scope, small_us in times_us.items():
        label = f"{len(small_us):,} small<br>{format_us(sum(small_us))}"
        yield _Tile(
            id=f"{scope} small",
            parent=scope,
            label=label,
            time_us=sum(small_us),
            colour=_mix(column.colour, 0.0),
            hover=label.replace("small", "small regions"),
        )


def _inserted_tiles(column: Column) -> Iterator[_Tile]:
    """Yield what the runtime inserted, one tile a kind."""
    groups: dict[str, list[RegionTally]] = {}
    for region in column.counted.regions:
        if region.insertion is not None:
            groups.setdefault(str(region.insertion), []).append(region)
    if groups:
        text = "inserted by the runtime"
        yield _branch("inserted", _ROOT, text, text)
    for insertion, regions in groups.items():
        time_us = sum(region.time.value for region in regions)
        kernels = sum(len(region.kernels) for region in regions)
        yield _Tile(
            id=f"inserted {insertion}",
            parent="inserted",
            label=f"{insertion}<br>{format_us(time_us)}",
            time_us=time_us,
            colour=INSERTED_COLOUR,
            hover=f"{insertion}, inserted by the runtime<br>{format_us(time_us)}, "
            f"{format_share(column.counted.share(time_us))}<br>{kernels:,} kernels",
        )


def _rest_tile(label: str, time_us: float) -> Iterator[_Tile]:
    if isfinite(time_us) and time_us > 0:
        yield _Tile(
            id=label,
            parent=_ROOT,
            label=label,
            time_us=time_us,
            colour=REST_COLOUR,
            hover=f"{label}<br>{format_us(time_us)}",
        )


def _nearest_scope(table: GraphTable, lead: int | None, shown: set[int]) -> str:
    scope = _scope_of(table, lead)
    while scope not in shown:
        scope = int(table.scope_parent[scope])
    return _scope_id(scope)


def _scope_of(table: GraphTable, lead: int | None) -> int:
    return 0 if lead is None else int(table.node_scope[lead])


def _scope_id(scope: int) -> str:
    return f"scope {scope}"


def _branch(identity: str, parent: str, label: str, hover: str) -> _Tile:
    return _Tile(
        id=identity, parent=parent, label=label, time_us=0.0, colour=SCOPE_COLOUR, hover=hover
    )


def _region_tile(
    profile: Profile, column: Column, region: RegionTally, *, parent: str, colour: str
) -> _Tile:
    return _Tile(
        id=f"region {region.kernels[0]}",
        parent=parent,
        label=f"{_short_label(profile.model.table, region)}<br>{format_us(region.time.value)}",
        time_us=region.time.value,
        colour=colour,
        hover=hover_text(profile, column, region),
        address=lead_address(profile, region),
        nodes=_rows(region),
    )


def _rows(region: RegionTally) -> str:
    return " ".join(map(str, sorted(region.nodes, key=lambda row: row != region.lead)))


def _short_label(table: GraphTable, region: RegionTally) -> str:
    """Name the node that leads a region and how many it runs beside: tiles are small."""
    if region.lead is None:
        return plain(region.label)
    beside = len(region.nodes) - 1
    return plain(table.op(region.lead)) + (f" +{beside}" if beside else "")


def _text_colour(background: str) -> str:
    """Return white or nearly black, whichever stands out more (WCAG 2.2, relative luminance)."""
    luminance = _luminance(background)
    on_white = (1.0 + 0.05) / (luminance + 0.05)
    on_dark = (luminance + 0.05) / (_luminance(_DARK_TEXT) + 0.05)
    return "#ffffff" if on_white > on_dark else _DARK_TEXT


def _luminance(colour: str) -> float:
    linear = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (part / 255 for part in _channels(colour))
    )
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return red, green, blue


def _mix(colour: str, strength: float) -> str:
    """Return a colour between a light tint of it and itself."""
    part = 0.25 + 0.75 * strength
    tinted = (round(255 + (channel - 255) * part) for channel in _channels(colour))
    return "#" + "".join(f"{channel:02x}" for channel in tinted)
