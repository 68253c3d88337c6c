"""Bars: the costliest nodes, and time by operator."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING

from onnxlab.mapping.origin import OriginKind
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.quantity import format_share, format_us
from onnxlab.profiling.tally import RegionTally, Tally
from onnxlab.render.chart_parts import (
    GRID_COLOUR,
    INSERTED_COLOUR,
    LABEL_CHARACTERS,
    REST_COLOUR,
    TEXT_COLOUR,
    Column,
    hover_text,
    lead_address,
    plain,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["add_node_bars", "add_op_bars"]

_BARS = 20


def add_node_bars(chart: go.Figure, profile: Profile, columns: list[Column]) -> None:
    """Draw the nodes on which most time stands, each provider beside the others."""
    rows = _costliest_leads(columns)
    labels = [_node_label(profile, row) for row in rows]
    for column in columns:
        by_lead = {region.lead: region for region in reversed(column.counted.regions)}
        regions = [by_lead.get(row) for row in rows]
        _add_bars(chart, column, labels, [_bar_of(profile, column, region) for region in regions])
    _finish_bars(chart, len(rows) * len(columns), title="The costliest nodes")


def add_op_bars(chart: go.Figure, profile: Profile, columns: list[Column]) -> None:
    """Draw the time of all nodes of an operator, and of what the runtime inserted."""
    totals = [_time_by_op(profile, column.counted) for column in columns]
    largest: dict[str, float] = {}
    for total in totals:
        for op, time_us in total.items():
            largest[op] = max(largest.get(op, 0.0), time_us)
    shown = sorted(largest, key=lambda op: -largest[op])[:_BARS]
    for column, total in zip(columns, totals, strict=True):
        bars = [_op_bar(column, op, total.get(op, 0.0)) for op in shown]
        _add_bars(chart, column, [plain(op) for op in shown], bars)
    _finish_bars(chart, len(shown) * len(columns), title="Time by operator")


def _op_bar(column: Column, op: str, time_us: float) -> _Bar:
    share = format_share(column.counted.share(time_us))
    colours = {OriginKind.INSERTED: INSERTED_COLOUR, OriginKind.UNATTRIBUTED: REST_COLOUR}
    kind = next((kind for kind in colours if op.startswith(f"{kind}: ")), None)
    return _Bar(
        time_us=time_us,
        hover=f"{plain(op)} on {plain(column.cell.label)}<br>{format_us(time_us)}, {share}",
        colour=column.colour if kind is None else colours[kind],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bar:
    time_us: float
    hover: str
    colour: str
    address: str = ""  # of a node to select
    above_us: float = 0.0
    below_us: float = 0.0


def _bar_of(profile: Profile, column: Column, region: RegionTally | None) -> _Bar:
    if region is None:
        return _Bar(time_us=0.0, hover="", colour=column.colour)
    return _Bar(
        time_us=region.time.value,
        hover=hover_text(profile, column, region),
        address=lead_address(profile, region),
        colour=column.colour,
        above_us=region.time.high - region.time.value,
        below_us=region.time.value - region.time.low,
    )


def _add_bars(chart: go.Figure, column: Column, labels: list[str], bars: list[_Bar]) -> None:
    chart.add_bar(
        orientation="h",
        name=plain(column.cell.label),
        # Equal labels would be stacked on one another: the axis counts, the ticks name.
        y=list(range(len(bars))),
        x=[bar.time_us for bar in bars],
        customdata=[[bar.hover, bar.address] for bar in bars],
        hovertemplate="%{customdata[0]}<extra></extra>",
        marker={"color": [bar.colour for bar in bars]},
        error_x={
            "array": [bar.above_us for bar in bars],
            "arrayminus": [bar.below_us for bar in bars],
            "color": TEXT_COLOUR,
            "thickness": 1,
            "width": 3,
            "visible": any(bar.above_us or bar.below_us for bar in bars),
        },
    )
    chart.update_yaxes(tickvals=list(range(len(labels))), ticktext=labels)


def _finish_bars(chart: go.Figure, bars: int, *, title: str) -> None:
    longest_us = max((time_us for bar in chart.data for time_us in bar.x), default=0.0)
    ticks = _ticks_us(longest_us)
    chart.update_xaxes(
        title="time per run",
        gridcolor=GRID_COLOUR,
        rangemode="tozero",
        tickvals=ticks,
        ticktext=[format_us(tick) if tick else "0" for tick in ticks],
    )
    chart.update_yaxes(autorange="reversed", automargin=True, ticklabelstandoff=6)
    chart.update_layout(
        title={"text": title, "x": 0.01},
        height=110 + 22 * max(bars, 3),
        barmode="group",
        bargap=0.3,
        showlegend=len(chart.data) > 1,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 1.0, "xanchor": "right"},
    )


def _ticks_us(longest_us: float) -> list[float]:
    """Return three to six round times from 0 on."""
    if longest_us <= 0:
        return [0.0]
    decade = 10.0 ** floor(log10(longest_us))
    step = next(s for s in (decade / 5, decade / 2, decade, 2 * decade) if longest_us / s <= 5)
    return [step * number for number in range(int(longest_us / step) + 1)]


def _costliest_leads(columns: list[Column]) -> list[int]:
    largest: dict[int, float] = {}
    for column in columns:
        for region in column.counted.regions:
            if region.lead is not None:
                largest[region.lead] = max(largest.get(region.lead, 0.0), region.time.value)
    return sorted(largest, key=lambda row: -largest[row])[:_BARS]


def _time_by_op(profile: Profile, counted: Tally) -> dict[str, float]:
    total: dict[str, float] = {}
    for region in counted.regions:
        if region.lead is None:
            op = f"{region.kind}: {region.label}"
        else:
            op = profile.model.table.op(region.lead)
        total[op] = total.get(op, 0.0) + region.time.value
    return total


def _node_label(profile: Profile, row: int) -> str:
    table = profile.model.table
    name = table.name(row) or profile.model.addresses[row]
    # The end of a long path tells nodes apart.
    short = name if len(name) <= LABEL_CHARACTERS else f"…{name[-LABEL_CHARACTERS:]}"
    return f"{plain(table.op(row))}  {plain(short, LABEL_CHARACTERS + 1)}"
