"""The built scripts and styles, for whoever puts them into a page."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from onnxlab.errors import OnnxlabError

__all__ = [
    "chart_js",
    "core_css",
    "core_hash",
    "core_js",
    "plotly_hash",
    "plotly_js",
    "report_js",
    "widget_js",
]

STATIC = Path(__file__).parent.parent / "static"


def core_js() -> str:
    """Return the module that draws models, for the widget's loader."""
    return _read("core.js")


def core_css() -> str:
    """Return the style of the view, for the widget and the report."""
    return _read("core.css")


def plotly_js() -> str:
    """Return plotly.js with our charts alone, as a script that sets ``onnxlabPlotly``."""
    return _read("plotly.js")


def report_js() -> str:
    """Return the report's script; it needs `core_css`, and `plotly_js` before it for charts."""
    return _read("report.js")


def widget_js() -> str:
    """Return the loader of the graph's widget."""
    return _read("widget.js")


def chart_js() -> str:
    """Return the loader of the chart's widget."""
    return _read("chart.js")


@cache
def core_hash() -> str:
    """Return what names this build of the core, so that a page loads it once."""
    return _hash(core_js() + core_css())


@cache
def plotly_hash() -> str:
    """Return what names this build of `plotly_js`."""
    return _hash(plotly_js())


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


@cache
def _read(name: str) -> str:
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except OSError as error:
        raise OnnxlabError(
            f"{name} is not built: run `make build` in the checkout, or install onnxlab with pip"
        ) from error
