"""Colours of charts for a dark page, from those for a light one."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["darkened", "themes"]

_DARK_INK, _LIGHT_INK = "#15181c", "#f2f4f6"
_BLACKEST, _RANGE = 0.1, 0.85


def themes(chart: go.Figure) -> dict[str, dict[str, list[Any]]]:
    """Return what to restyle the treemaps of a chart with, in a light and in a dark page."""
    light: dict[str, list[Any]] = {
        "marker.colors": [],
        "marker.line.color": [],
        "textfont.color": [],
    }
    dark: dict[str, list[Any]] = {name: [] for name in light}
    for trace in chart.data:
        colours = [darkened(colour) for colour in trace.marker.colors]
        light["marker.colors"].append(list(trace.marker.colors))
        light["marker.line.color"].append(trace.marker.line.color)
        light["textfont.color"].append(list(trace.textfont.color))
        dark["marker.colors"].append(colours)
        dark["marker.line.color"].append(_DARK_INK)
        dark["textfont.color"].append([_ink(colour) for colour in colours])
    return {"light": light, "dark": dark}


def darkened(colour: str) -> str:
    """Turn lightness around: what is pale on white is dim on black.

    Examples
    --------
    >>> darkened("#ffffff")
    '#1a1a1a'
    """
    hue, lightness, saturation = colorsys.rgb_to_hls(*_rgb(colour))
    rgb = colorsys.hls_to_rgb(hue, _BLACKEST + _RANGE * (1 - lightness), saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)


def _ink(colour: str) -> str:
    red, green, blue = _rgb(colour)
    return _DARK_INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else _LIGHT_INK


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue
