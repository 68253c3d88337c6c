"""The widget of an `Optimization`: switches on the left, their effect on the right."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from onnxlab.errors import Cancelled, OnnxlabError
from onnxlab.experiments.effect import Effect
from onnxlab.experiments.optimization import Optimization
from onnxlab.model.model import Model
from onnxlab.notebook.latest import Latest
from onnxlab.notebook.passes_effect import EffectPanel
from onnxlab.notebook.passes_html import style_html
from onnxlab.notebook.passes_list import PassList
from onnxlab.passes.pipeline import PRESETS

__all__ = ["PassesWidget"]

_log = logging.getLogger(__name__)


class PassesWidget(widgets.VBox):  # type: ignore[misc]
    """Switch passes and see what each does.

    Switching answers with counts at once; latency fills in when it is measured. All work runs
    beside the kernel's main thread, and what a newer switch has overtaken is dropped.

    Parameters
    ----------
    optimization
        What is shown and switched; it stays usable from code.
    """

    def __init__(self, optimization: Optimization) -> None:
        super().__init__()
        self.optimization = optimization
        self._counting: Latest[None] = Latest(self._count)
        self._measuring: Latest[threading.Event] = Latest(self._measure)
        self._finding: Latest[str] = Latest(self._find)
        self._found = ""  # the preset whose acting passes are shown
        self._saving: Latest[str] = Latest(self._save)
        self._stop: threading.Event | None = None  # of the measurement that still counts
        self._is_wanted = False  # a measurement, of whatever is switched on by then
        self.passes = PassList(self._switch)
        self.effect = EffectPanel(
            on_measure=self._start_measuring,
            on_cancel=self._cancel,
            on_save=self._start_saving,
            path=_path_to_offer(optimization.model),
            code=optimization.code,
        )
        self.add_class("onnxlab-passes")
        self.children = [widgets.HTML(style_html()), self._arrange()]
        self._refresh()

    def wait(self, timeout_s: float = 60.0) -> bool:
        """Wait until all work is done; return whether that came about."""
        work: tuple[Latest[Any], ...] = (
            self._counting,
            self._finding,
            self._measuring,
            self._saving,
        )
        return all(one.wait(timeout_s) for one in work)

    def _arrange(self) -> widgets.Box:
        self.search = widgets.Text(
            placeholder="Search passes",
            continuous_update=True,
            layout=widgets.Layout(flex="1 1 120px", width="auto"),
        )
        self.search.observe(lambda change: self.passes.filter(change["new"]), "value")
        self.preset = widgets.Dropdown(
            options=[(f"ORT {name}", name) for name in PRESETS],
            value=self.optimization.preset_name if self.optimization.enabled else "none",
            tooltip="What ONNX Runtime does at this level",
            layout=widgets.Layout(width="auto"),
        )
        self.preset.observe(self._choose_preset, "value")
        self.reset = widgets.Button(
            icon="undo",
            tooltip="Switch everything back to the preset",
            layout=widgets.Layout(width="36px"),
        )
        self.reset.on_click(self._choose_preset)
        row = widgets.Layout(align_items="center")
        top = widgets.HBox([self.search, self.preset, self.reset], layout=row)
        left = widgets.VBox(
            [top, self.passes], layout=widgets.Layout(flex="1 1 300px", min_width="0")
        )
        columns = widgets.HBox([left, self.effect], layout=widgets.Layout(flex_flow="row wrap"))
        columns.add_class("onnxlab-columns")
        return columns

    # What the user does: handled in the kernel's main thread, where it only starts work.

    def _switch(self, pass_ids: tuple[str, ...], enabled: bool) -> None:
        on = self.optimization.enabled
        changed = [pass_id for pass_id in pass_ids if (pass_id in on) != enabled]
        for pass_id in changed:
            self.optimization.toggle(pass_id, enabled)
        if changed:
            self._refresh()

    def _choose_preset(self, _: Any) -> None:
        self.optimization.preset(self.preset.value)
        self._refresh()

    def _start_measuring(self) -> None:
        self._is_wanted = True
        self._stop = threading.Event()
        self.effect.begin()
        self._measuring.submit(self._stop)

    def _cancel(self) -> None:
        stop, self._is_wanted = self._stop, False
        if stop is None:  # it would have begun anew after a switch
            self.effect.end()
        else:
            stop.set()
            self.optimization.cancel()

    def _start_saving(self, path: str) -> None:
        self.effect.say("Saving …")
        self._saving.submit(path)

    def _refresh(self) -> None:
        overtaken, self._stop = self._stop, None
        if overtaken is not None:
            overtaken.set()
        self._counting.submit(None)

    # Work, in threads of its own. A widget's request is where any error has to end.

    def _count(self, _: None) -> None:
        try:
            self.passes.show(self.optimization.enabled)
            effect = self.optimization.known_effect
            self._is_wanted &= not effect.error
            self.effect.show(effect)
            self.effect.say("")
            self._finding.submit(self.optimization.preset_name)
        except Exception as error:  # noqa: BLE001
            self._is_wanted = False
            self.effect.say(_sentence(error), is_problem=True)
        if self._is_wanted and self._stop is None:
            self._start_measuring()
        elif not self._is_wanted:
            self.effect.end()

    def _find(self, preset_name: str) -> None:
        try:
            if preset_name != self._found:
                self.passes.say("Finding out which passes act …")
            actions = self.optimization.actions()
            self.passes.show(self.optimization.enabled, actions)
            self.passes.say("" if actions else "No pass acts on this model.")
            self._found = preset_name
        except Exception as error:  # noqa: BLE001
            self.passes.say(_sentence(error))

    def _measure(self, stop: threading.Event) -> None:
        def update(effect: Effect) -> None:
            if not stop.is_set():
                self.effect.show(effect)

        def progress(message: str, done: int = 0, total: int = 0) -> None:
            if not stop.is_set():
                self.effect.progress(message, done, total)

        message, is_problem = "", False
        try:
            self.optimization.measure(progress=progress, on_update=update, is_cancelled=stop.is_set)
        except Cancelled:
            message = "Cancelled."
        except Exception as error:  # noqa: BLE001
            message, is_problem = _sentence(error), True
        if self._stop is stop:
            self._stop, self._is_wanted = None, False
            self.effect.end()
            self.effect.show(self.optimization.known_effect)
            self.effect.say(message, is_problem=is_problem)

    def _save(self, path: str) -> None:
        try:
            self.effect.say(str(self.optimization.save(path)))
        except Exception as error:  # noqa: BLE001
            self.effect.say(_sentence(error), is_problem=True)


def _path_to_offer(model: Model) -> str:
    name = Path(model.name.replace("/", "_").replace("\\", "_") or "model").stem
    return f"{name}.optimised.onnx"


def _sentence(error: Exception) -> str:
    if isinstance(error, OnnxlabError | ValueError | OSError):
        return str(error)
    _log.exception("the passes' widget failed", exc_info=error)
    return f"{type(error).__name__}: {error}"
