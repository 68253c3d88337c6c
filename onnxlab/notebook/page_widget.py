"""What widgets have in common: the page asks them for what it draws, over the comm."""

from __future__ import annotations

import logging
from typing import Any

import anywidget
import traitlets

__all__ = ["PageWidget"]

log = logging.getLogger(__name__)


class PageWidget(anywidget.AnyWidget):
    """A widget with a small state, which saving a notebook saves.

    Its script is a loader that asks by messages for what is large: the scripts that draw, once per
    page, and what they draw. A subclass answers in `_answer`.

    Attributes
    ----------
    selected
        Rows of the selected nodes, both ways.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._receive)

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
        """Return what the page asked for, or raise."""
        raise NotImplementedError
