"""The panel that shows what the enabled passes do, with the buttons that measure it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import ipywidgets as widgets

from onnxlab.experiments.effect import Effect
from onnxlab.notebook.passes_html import effect_html, message_html, operators_html

__all__ = ["EffectPanel"]


class EffectPanel(widgets.VBox):  # type: ignore[misc]
    """Numbers before and after, bars by operator, progress, and the code.

    Parameters
    ----------
    on_measure, on_cancel
        Called when the user asks for it.
    on_save
        Called with the path under which the optimised model is to be saved.
    path
        The path to offer for that.
    code
        Returns the code to show.
    """

    def __init__(
        self,
        *,
        on_measure: Callable[[], None],
        on_cancel: Callable[[], None],
        on_save: Callable[[str], None],
        path: str,
        code: Callable[[], str],
    ) -> None:
        super().__init__(layout=widgets.Layout(flex="1 1 340px", min_width="0"))
        self._code_of = code
        self._is_measuring = False
        auto = widgets.Layout(width="auto")
        self.measure = widgets.Button(
            description="Measure",
            icon="clock-o",
            tooltip="Measure latency and agreement of the outputs",
            layout=auto,
        )
        self.measure.on_click(lambda _: on_measure())
        self.cancel = widgets.Button(description="Cancel", icon="times", layout=auto)
        self.cancel.on_click(lambda _: on_cancel())
        self.code = widgets.ToggleButton(
            description="Code",
            icon="code",
            tooltip="Python code that makes a session with these passes",
            layout=auto,
        )
        self.code.observe(lambda _: self._show_code(), "value")
        self.save = widgets.ToggleButton(
            description="Save", icon="download", tooltip="Save the optimised model", layout=auto
        )
        self.path = widgets.Text(path, layout=widgets.Layout(flex="1 1 160px", width="auto"))
        self.save_now = widgets.Button(description="Save here", layout=auto)
        self.save_now.on_click(lambda _: on_save(self.path.value))
        saving = widgets.HBox([self.path, self.save_now], layout=_row())
        _set_shown(saving, False)
        self.save.observe(lambda change: _set_shown(saving, change["new"]), "value")
        self._bar = widgets.IntProgress(layout=widgets.Layout(width="110px", height="18px"))
        self._doing = widgets.HTML()
        self._work = widgets.HBox([self.cancel, self._bar, self._doing], layout=_row())
        _set_shown(self._work, False)
        self._message = widgets.HTML()
        self._numbers = widgets.HTML()
        self._operators = widgets.HTML()
        self._listing = widgets.HTML()
        buttons = widgets.HBox([self.measure, self.code, self.save, self._work], layout=_row())
        self.children = [
            self._numbers,
            buttons,
            saving,
            self._message,
            self._listing,
            self._operators,
        ]

    @property
    def text(self) -> str:
        """All that it shows, as HTML."""
        parts = (self._numbers, self._message, self._doing, self._listing, self._operators)
        return "".join(part.value for part in parts)

    def show(self, effect: Effect) -> None:
        """Show an effect as far as it is known."""
        self._numbers.value = effect_html(effect, is_measuring=self._is_measuring)
        self._operators.value = operators_html(effect)
        self.measure.disabled = self._is_measuring or bool(effect.error)
        self.save_now.disabled = bool(effect.error)
        self._show_code()

    def say(self, message: str, *, is_problem: bool = False) -> None:
        """Show a sentence, or none."""
        self._message.value = message_html(message, is_problem=is_problem) if message else ""

    def begin(self) -> None:
        """Show that a measurement has begun."""
        self._is_measuring = True
        self.measure.disabled = True
        self.progress("waiting", 0, 0)
        _set_shown(self._work, True)

    def progress(self, message: str, done: int = 0, total: int = 0) -> None:
        """Show how far a measurement is."""
        self._bar.max, self._bar.value = max(total, 1), done
        self._doing.value = message_html(message)

    def end(self) -> None:
        """Show that nothing is being measured."""
        self._is_measuring = False
        _set_shown(self._work, False)
        self._doing.value = ""

    def _show_code(self) -> None:
        is_open = self.code.value
        self._listing.value = f"<pre>{escape(self._code_of())}</pre>" if is_open else ""


def _row() -> widgets.Layout:
    return widgets.Layout(align_items="center", flex_flow="row wrap")


def _set_shown(box: widgets.Box, is_shown: bool) -> None:
    box.layout.display = "" if is_shown else "none"
