"""Progress where the user is: a bar in the notebook, in the terminal, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic
from typing import Any

from onnxlab.progress import Progress, silent

__all__ = ["default_progress", "in_notebook", "notebook_progress"]

_MOMENT_S = 0.4


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this code."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def default_progress() -> AbstractContextManager[Progress]:
    """Return what shows progress to whoever is there."""
    if in_notebook():
        return notebook_progress()
    if sys.stderr.isatty():
        from onnxlab.render.console import terminal_progress

        return terminal_progress()
    return nullcontext(silent)


@contextmanager
def notebook_progress() -> Iterator[Progress]:
    """Show a bar below the cell while work takes more than a moment; it leaves nothing behind."""
    import ipywidgets
    from IPython.display import display

    bar = ipywidgets.IntProgress(min=0, max=1, layout=ipywidgets.Layout(width="14em"))
    label = ipywidgets.Label()
    box = ipywidgets.HBox([bar, label])
    started_s = monotonic()
    handle: Any = None

    def report(message: str, done: int = 0, total: int = 0) -> None:
        nonlocal handle
        # An unknown total fills the bar and leaves it unmarked: busy, not finished.
        bar.max, bar.value = (total, done) if total else (1, 1)
        bar.bar_style = "info" if total else ""
        label.value = f"{message} ({done} of {total})" if total else message
        if handle is None and (total or monotonic() - started_s > _MOMENT_S):
            handle = display(box, display_id=True)  # type: ignore[no-untyped-call]

    try:
        yield report
    finally:
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)
        for widget in (box, bar, label):
            widget.close()
