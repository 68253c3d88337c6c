"""The checkboxes of the passes, grouped by level, those that act on the model first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping

import ipywidgets as widgets

from onnxlab.notebook.passes_html import message_html, row_html
from onnxlab.passes.catalog import LEVELS, PassRecord, search
from onnxlab.passes.ort import Action
from onnxlab.passes.pipeline import switchable

__all__ = ["PassList"]

_STATE_ICONS = {True: "check-square", False: "square-o", None: "minus-square"}
Switch = Callable[[tuple[str, ...], bool], None]


class PassList(widgets.VBox):  # type: ignore[misc]
    """Switches of all passes.

    Parameters
    ----------
    on_switch
        Told passes and the state they are to have; it ignores those that have it already.
    """

    def __init__(self, on_switch: Switch) -> None:
        super().__init__()
        self.add_class("onnxlab-rows")
        self._groups = [
            _Group(level, [record for record in switchable() if record.level == level], on_switch)
            for level in range(1, len(LEVELS))
        ]
        self._nothing = widgets.HTML(message_html("No pass matches."))
        self._lock = threading.Lock()  # the user searches while a thread shows what passes do
        self._actions: Mapping[str, Action] = {}
        self._message = widgets.HTML()
        self.children = self._visible()

    def say(self, message: str) -> None:
        """Show a sentence above the passes, or none."""
        self._message.value = message_html(message) if message else ""
        with self._lock:
            self.children = self._visible()

    def show(self, enabled: Collection[str], actions: Mapping[str, Action] | None = None) -> None:
        """Show which passes are on and, where that is known anew, what they do."""
        with self._lock:
            if actions is not None:
                self._actions = actions
            for group in self._groups:
                group.show(enabled, self._actions)

    def filter(self, query: str) -> None:
        """Show only the passes that match a search, whether they act or not."""
        found = {record.id for record in search(query)} if query.strip() else None
        with self._lock:
            for group in self._groups:
                group.filter(found)
            self.children = self._visible()

    def _visible(self) -> list[widgets.Widget]:
        boxes = [group.box for group in self._groups if group.is_visible]
        return ([self._message] if self._message.value else []) + (boxes or [self._nothing])


class _Group:
    """One level: a head with three states, the rows of acting passes, the others on demand."""

    def __init__(self, level: int, records: list[PassRecord], on_switch: Switch) -> None:
        self.records = records
        self.is_visible = True
        self._level = level
        self._on_switch = on_switch
        self._enabled: Collection[str] = ()
        self._actions: Mapping[str, Action] = {}
        self._found: Collection[str] | None = None
        self._is_open = False
        self._rows: dict[str, _Row] = {}
        self._head = widgets.Button(layout=widgets.Layout(width="100%", height="26px"))
        self._head.on_click(self._switch_all)
        self._more = widgets.Button(layout=widgets.Layout(width="auto", height="24px"))
        self._more.on_click(self._open)
        head, more = widgets.Box([self._head]), widgets.Box([self._more])
        head.add_class("onnxlab-head")
        more.add_class("onnxlab-more")
        self._body = widgets.VBox()
        self._more_box = more
        self.box = widgets.VBox([head, self._body])

    def show(self, enabled: Collection[str], actions: Mapping[str, Action]) -> None:
        self._enabled, self._actions = enabled, actions
        self._draw()

    def filter(self, found: Collection[str] | None) -> None:
        self._found = found
        self.is_visible = found is None or any(record.id in found for record in self.records)
        self._draw()

    def _draw(self) -> None:
        acting = [record for record in self.records if record.id in self._actions]
        acting.sort(key=lambda record: -abs(self._actions[record.id].delta_nodes or 0))
        idle = [record for record in self.records if record.id not in self._actions]
        if self._found is not None:
            shown = [record for record in acting + idle if record.id in self._found]
        else:
            shown = acting + idle if self._is_open else acting
        rows = [self._row(record) for record in shown]
        for row, record in zip(rows, shown, strict=True):
            row.show(record.id in self._enabled, self._actions.get(record.id))
        do = "does" if len(idle) == 1 else "do"
        others = f"{len(idle)} that {do} not act"
        self._more.description = f"hide {others}" if self._is_open else others
        self._more.icon = "angle-up" if self._is_open else "angle-down"
        has_more = bool(idle) and self._found is None
        self._body.children = [row.box for row in rows] + ([self._more_box] if has_more else [])
        self._draw_head(len(acting))

    def _draw_head(self, acting: int) -> None:
        state = self._state()
        acts = "acts" if acting == 1 else "act"
        self._head.icon = _STATE_ICONS[state]
        self._head.description = (
            f"Level {self._level}, {LEVELS[self._level]}: {acting} of {len(self.records)} {acts}"
        )
        on = {True: "all on", False: "all off", None: "some on"}[state]
        self._head.tooltip = f"{on}; click to switch all {'off' if state else 'on'}"

    def _row(self, record: PassRecord) -> _Row:
        if record.id not in self._rows:
            self._rows[record.id] = _Row(record, self._on_switch)
        return self._rows[record.id]

    def _state(self) -> bool | None:
        on = sum(record.id in self._enabled for record in self.records)
        return {0: False, len(self.records): True}.get(on)

    def _switch_all(self, _: object) -> None:
        self._on_switch(tuple(record.id for record in self.records), self._state() is not True)

    def _open(self, _: object) -> None:
        self._is_open = not self._is_open
        self._draw()


class _Row:
    """One pass: its checkbox and what it does to the graph."""

    def __init__(self, record: PassRecord, on_switch: Switch) -> None:
        self._record = record
        self._on_switch = on_switch
        self._checkbox = widgets.Checkbox(
            description=record.id,
            indent=False,
            tooltip=f"{record.description}\n{record.example}",
            layout=widgets.Layout(width="auto"),
        )
        self._checkbox.observe(self._switched, "value")
        self._text = widgets.HTML()
        self.box = widgets.HBox([self._checkbox, self._text])
        self.box.add_class("onnxlab-row")

    def show(self, is_on: bool, action: Action | None) -> None:
        self._checkbox.value = is_on
        self._text.value = row_html(self._record, action)

    def _switched(self, change: Mapping[str, bool]) -> None:
        self._on_switch((self._record.id,), change["new"])
