"""A model's graph in a notebook cell."""

from __future__ import annotations

from typing import Any

import traitlets

from onnxlab.model.model import Model
from onnxlab.notebook.page_widget import PageWidget
from onnxlab.render import assets

__all__ = ["GraphWidget"]


class GraphWidget(PageWidget):
    """The interactive graph of a model.

    Parameters
    ----------
    model
        The model, which answers the view's requests for details.
    document
        An encoded `onnxlab.wire.schema.ViewDocument` of it.

    Attributes
    ----------
    selected
        Rows of the selected nodes, both ways; `selection` gives their addresses.
    colour_by
        Key of the metric by which nodes are coloured, or None.
    height
        Height in pixels.
    """

    colour_by = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    _core = traitlets.Unicode().tag(sync=True)
    _revision = traitlets.Int(0).tag(sync=True)

    def __init__(self, model: Model, *, document: bytes, **traits: Any) -> None:
        self._model = model
        self._document = document
        super().__init__(_esm=assets.widget_js(), _core=assets.core_hash(), **traits)

    def __repr__(self) -> str:
        return f"{self._model.name} · {self._model.summary}"

    @property
    def selection(self) -> list[str]:
        """Addresses of the selected nodes."""
        return [self._model.address(row) for row in self.selected]

    def select(self, *addresses: str) -> None:
        """Select nodes by their addresses, in every view of this widget."""
        self.selected = [self._model.row(address) for address in addresses]

    def show_document(self, document: bytes, /) -> None:
        """Show another document of the same model, say one with a profile."""
        self._document = document
        self._revision += 1

    def _answer(self, asked: object, buffers: list[memoryview]) -> list[bytes]:
        if asked == "core":
            return [assets.core_js().encode(), assets.core_css().encode()]
        if asked == "document":
            return [self._document]
        if asked == "request":
            from onnxlab.wire.requests import answer_bytes

            return [answer_bytes(self._model, bytes(buffers[0]))]
        raise ValueError(f"a view asks for core, document or request, not for {asked!r}")
