"""Node names by which a profile's events can be told apart."""

from __future__ import annotations

from collections import Counter

from onnxlab.model.table import GraphTable

__all__ = ["unique_names"]

_LONGEST = 200  # each event of each run repeats the name
_UNSAFE = frozenset('"\\')  # older runtimes do not escape these in the profile


def unique_names(table: GraphTable) -> list[str]:
    """Return a name for every node row: its own where that is usable and unique in the model.

    ONNX Runtime refuses some models with equal names, reports nameless nodes by position alone,
    and does not say which body an event belongs to.

    Examples
    --------
    A nameless Conv in row 12 becomes ``Conv#12``, a second ``relu`` in row 13 ``relu#13``.
    """
    names = [table.name(row) for row in range(table.node_count)]
    counts = Counter(names)
    taken = set(names)
    unique: list[str] = []
    for row, name in enumerate(names):
        if _is_usable(name) and counts[name] == 1:
            unique.append(name)
            continue
        stem = name if _is_usable(name) else table.op(row)
        fresh = f"{stem}#{row}"
        while fresh in taken:
            fresh += "#"
        taken.add(fresh)
        unique.append(fresh)
    return unique


def _is_usable(name: str) -> bool:
    return bool(name) and len(name) <= _LONGEST and name.isprintable() and not _UNSAFE & set(name)
