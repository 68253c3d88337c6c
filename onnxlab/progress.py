"""The one interface through which long work reports how far it is.

Renderers live above: rich in a terminal (`onnxlab.render.console`), ipywidgets in a notebook
(`onnxlab.notebook.progress`).
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "silent"]


class Progress(Protocol):
    """Called as work advances.

    Parameters
    ----------
    message
        What is being done now, in plain words.
    done, total
        Steps finished and steps in all; ``total`` is 0 while unknown.
    """

    def __call__(self, message: str, done: int = 0, total: int = 0) -> None: ...  # noqa: D102


def silent(message: str, done: int = 0, total: int = 0) -> None:
    """Report nothing."""
