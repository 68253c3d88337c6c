"""Docstrings: read what one says of attributes, write one with parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

__all__ = ["attribute_texts", "doc_with_parameters"]

_PROGRESS = "Told how far the work is; None shows a bar where the user is."


def attribute_texts(doc: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a numpy docstring's "Attributes" section."""
    lines = inspect.cleandoc(doc).splitlines()
    start = next((i + 2 for i, line in enumerate(lines) if line == "Attributes"), len(lines))
    names: list[str] = []
    text: list[str] = []
    for index in range(start, len(lines) + 1):
        line = lines[index] if index < len(lines) else "end"
        if line.startswith(" ") or not line:
            text.append(line.strip())
            continue
        yield from ((name, " ".join(text).strip()) for name in names)
        names, text = [name.strip() for name in line.partition(" : ")[0].split(",")], []


def doc_with_parameters(doc: str, parameters: Iterable[tuple[str, str]]) -> str:
    """Put a "Parameters" section after the summary and text of a numpy docstring."""
    head, mark, tail = inspect.cleandoc(doc).partition("\n\nReturns\n")
    entries = [f"{name}\n    {text}" for name, text in (*parameters, ("progress", _PROGRESS))]
    return "\n".join([head, "", "Parameters", "----------", *entries]) + mark + tail
