"""The pieces of text that the passes' widget shows, as HTML with everything escaped."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from importlib.resources import files

from onnxlab.experiments.effect import Effect, signed
from onnxlab.passes.catalog import PassRecord
from onnxlab.passes.ort import Action

__all__ = ["effect_html", "message_html", "operators_html", "row_html", "style_html"]

_MAX_OPERATORS = 14


def style_html() -> str:
    """Return the style sheet."""
    css = files(__package__).joinpath("passes.css").read_text(encoding="utf-8")
    return f"<style>{css}</style>"


def row_html(record: PassRecord, action: Action | None) -> str:
    """Return what stands beside a pass's checkbox: an example, and what it does to this model."""
    title = escape(record.description)
    example = f'<span class="onnxlab-quiet" title="{title}">{escape(record.example)}</span>'
    return f'<div class="onnxlab-row-text">{example}{_action_html(action)}</div>'


def _action_html(action: Action | None) -> str:
    if action is None:
        return ""
    if action.delta_nodes:
        unit = "node" if abs(action.delta_nodes) == 1 else "nodes"
        return _span("", f"{signed(action.delta_nodes)} {unit}", title=action.note)
    if action.note.startswith("the graph is the same"):
        return _span("onnxlab-quiet", "same graph", title=action.note)
    if action.note:
        text = "loads without it" if "loads" in action.note else "fails without it"
        return _span("onnxlab-problem", text, title=action.note)
    return _span("onnxlab-quiet", "acts" if action.delta_nodes is None else "changes nodes")


def effect_html(effect: Effect, *, is_measuring: bool) -> str:
    """Return the effect as a small table."""
    head = f"<h3>original → {escape(effect.name)}</h3>"
    if effect.error:
        return head + message_html(f"failed: {effect.error}", is_problem=True)
    told = replace(effect, saved=()).rows  # what was saved is told when it is
    rows = [_row(*row) for row in told if row[0] != "interface" or effect.variant.interface]
    if effect.latency is None:
        pending = "measuring …" if is_measuring else "not measured yet"
        rows.append(_row("latency", "", "", pending))
    return f"{head}<table>{''.join(rows)}</table>"


def operators_html(effect: Effect) -> str:
    """Return nodes by operator before and after, as numbers and bars."""
    if effect.error or effect.baseline.error:
        return ""
    frame = effect.operators
    shown = frame.head(_MAX_OPERATORS)
    largest = max(int(frame[["before", "after"]].to_numpy().max(initial=1)), 1)
    rows = "".join(
        _operator_row(str(name), int(before), int(after), largest)
        for name, before, after in zip(shown.index, shown["before"], shown["after"], strict=True)
    )
    rest = len(frame) - len(shown)
    more = f'<div class="onnxlab-quiet">and {rest} more operators</div>' if rest else ""
    columns = "".join(
        f'<th class="onnxlab-number"><span class="onnxlab-swatch onnxlab-{kind}"></span>{kind}</th>'
        for kind in ("before", "after")
    )
    head = f'<tr class="onnxlab-quiet"><th>operator</th>{columns}<th></th></tr>'
    return f"<table>{head}{rows}</table>{more}"


def message_html(message: str, *, is_problem: bool = False) -> str:
    """Return a sentence."""
    kind = "onnxlab-problem" if is_problem else "onnxlab-quiet"
    return f'<div class="{kind}" role="status">{escape(message)}</div>'


def _row(what: str, before: str, after: str, change: str) -> str:
    numbers = f"{before or '?'} → {after}" if before or after else ""
    return (
        f'<tr><td class="onnxlab-quiet">{escape(what)}</td>'
        f'<td class="onnxlab-number">{escape(numbers)}</td><td>{escape(change)}</td></tr>'
    )


def _operator_row(name: str, before: int, after: int, largest: int) -> str:
    bars = "".join(
        f'<div class="onnxlab-bar onnxlab-{kind}" style="width:{100 * count / largest:.1f}%"></div>'
        for kind, count in (("before", before), ("after", after))
        if count
    )
    return (
        f'<tr><td class="onnxlab-operator">{escape(name)}</td>'
        f'<td class="onnxlab-number">{before:,}</td><td class="onnxlab-number">{after:,}</td>'
        f'<td class="onnxlab-bars">{bars}</td></tr>'
    )


def _span(kind: str, text: str, *, title: str = "") -> str:
    return f'<span class="{kind}" title="{escape(title)}">{escape(text)}</span>'
