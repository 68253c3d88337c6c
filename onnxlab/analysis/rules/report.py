"""Wording that all rules share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.model.model import Model
from onnxlab.model.text import elide, visible

__all__ = ["counted", "listed", "node_finding", "node_label", "value_label"]

MAX_ADDRESSES = 100
MAX_NAMED = 5


def counted(number: int, noun: str, verbs: tuple[str, str] = ("", "")) -> str:
    """Return a count with its noun, and a verb in singular or plural: ``1 node has``."""
    phrase = f"{number:,} {noun}{'' if number == 1 else 's'} {verbs[number != 1]}"
    return phrase.rstrip()


def listed(items: Iterable[str]) -> str:
    """Return the first few items as a phrase, and how many more there are."""
    shown = list(items)
    named = ", ".join(elide(visible(item), 60) for item in shown[:MAX_NAMED])
    more = len(shown) - MAX_NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def node_label(model: Model, row: int) -> str:
    """Return a node's name, or its operator and address where it has none."""
    name = model.table.name(row)
    return name or f"{model.table.op(row)} {model.address(row)}"


def value_label(model: Model, row: int) -> str:
    """Return a value's name."""
    return model.table.strings[int(model.table.value_name[row])]


def node_finding(
    model: Model,
    rows: Sequence[int],
    *,
    code: str,
    severity: Severity,
    hazard: str,
    remedy: str = "",
    why: str = "",
) -> Finding:
    """Return a finding about nodes, with at most 100 of their addresses."""
    return Finding(
        code=code,
        severity=severity,
        hazard=hazard,
        remedy=remedy,
        why=why,
        addresses=tuple(model.address(row) for row in rows[:MAX_ADDRESSES]),
        count=len(rows),
    )
