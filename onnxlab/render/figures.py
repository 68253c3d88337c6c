"""Charts of a profile, as plain plotly figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from onnxlab.profiling.profile import Profile
from onnxlab.render.bars import add_node_bars, add_op_bars
from onnxlab.render.chart_parts import TEXT_COLOUR, Column, columns_of
from onnxlab.render.dark import themes
from onnxlab.render.treemap import add_treemaps

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["KINDS", "figure", "page_figure"]

KINDS: dict[str, Callable[[Any, Profile, list[Column]], None]] = {
    "treemap": add_treemaps,
    "bar": add_node_bars,
    "ops": add_op_bars,
}
"""What draws each chart, by the word that `figure` takes."""


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
    columns = columns_of(profile)
    if not columns:
        reason = "; ".join(cell.error for cell in profile.cells if cell.error)
        raise ValueError(f"no provider ran, so there is nothing to draw: {reason}")
    chart = go.Figure()
    chart.update_layout(
        font={"color": TEXT_COLOUR, "size": 12},
        paper_bgcolor="#ffffff",
        plot_bgcolor="#ffffff",
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        hoverlabel={"align": "left", "namelength": -1},
    )
    KINDS[kind](chart, profile, columns)
    return chart


def page_figure(profile: Profile, *, height_px: int) -> str:
    """Return the treemap as JSON for a page of ours, which gives it a heading and colours."""
    chart = figure(profile, "treemap")
    margin = {"l": 0, "r": 0, "t": 0, "b": 0}
    chart.update_layout(title=None, margin=margin, height=height_px, meta=themes(chart))
    return str(chart.to_json())
