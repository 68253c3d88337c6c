"""A model's graph in a notebook cell."""

from __future__ import annotations

import logging
from typing import Any

import anywidget
import traitlets

from onnxlab.model.model import Model
from onnxlab.render import assets

__all__ = ["GraphWidget"]

log = logging.getLogger(__name__)


class GraphWidget(anywidget.AnyWidget):
    """The interactive graph of a model.

    The widget's state is small: the page asks for the script that draws, once, and for the model,
    by messages over the comm. So saving a notebook saves neither.

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

    _esm = traitlets.Unicode().tag(sync=True)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)
    colour_by = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    _core = traitlets.Unicode().tag(sync=True)
    _revision = traitlets.Int(0).tag(sync=True)

    def __init__(self, model: Model, *, document: bytes, **traits: Any) -> None:
        self._model = model
        self._document = document
        super().__init__(_esm=assets.widget_js(), _core=assets.core_hash(), **traits)
        self.on_msg(self._receive)

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

    def _receive(self, _widget: object, message: object, buffers: list[memoryview]) -> None:
        if not isinstance(message, dict) or "onnxlab" not in message:
            return
        try:
            answer = self._answer(message["onnxlab"], buffers)
        except Exception as error:
            log.exception("a request of a view failed")
            self.send({"id": message.get("id"), "error": f"{type(error).__name__}: {error}"})
        else:
            self.send({"id": message.get("id")}, buffers=answer)

    def _answer(self, asked: object, buffers: list[memoryview]) -> list[bytes]:
        if asked == "core":
            return [assets.core_js().encode(), assets.core_css().encode()]
        if asked == "document":
            return [self._document]
        if asked == "request":
            from onnxlab.wire.requests import answer_bytes

            return [answer_bytes(self._model, bytes(buffers[0]))]
        raise ValueError(f"a view asks for core, document or request, not for {asked!r}")
