"""A profile's chart in a notebook cell."""

from __future__ import annotations

from typing import Any

import traitlets

from onnxlab.notebook.page_widget import PageWidget
from onnxlab.render import assets

__all__ = ["ChartWidget"]


class ChartWidget(PageWidget):
    """A chart in the notebook's colours, whose tiles select nodes.

    Parameters
    ----------
    figure
        The chart as `onnxlab.render.figures.page_figure` returns it.

    Attributes
    ----------
    selected
        Rows of the selected nodes, both ways: their tiles are marked.
    height
        Height in pixels.
    """

    height = traitlets.Int(360).tag(sync=True)
    _plotly = traitlets.Unicode().tag(sync=True)

    def __init__(self, figure: str, **traits: Any) -> None:
        self._figure = figure
        super().__init__(_esm=assets.chart_js(), _plotly=assets.plotly_hash(), **traits)

    def _answer(self, asked: object, buffers: list[memoryview]) -> list[bytes]:  # noqa: ARG002
        if asked == "plotly":
            return [assets.plotly_js().encode()]
        if asked == "figure":
            return [self._figure.encode()]
        raise ValueError(f"a chart asks for plotly or figure, not for {asked!r}")
