"""The mark an instrumented node carries, and the names the runtime derives from ours.

A node's ``doc_string`` survives every ONNX Runtime optimisation of that node, function inlining
included; its name and its metadata do not. So the tag is the first evidence of the join.
"""

from __future__ import annotations

import re

__all__ = ["inlining", "parse_inlined_name", "parse_tag", "plain_name", "specialised_name", "tag"]

_TAG = "onnxlab:"
_SPECIALISED = "__onnxlab"
_SUFFIX = re.compile(rf"{_SPECIALISED}[0-9]+")
_SCHEMA_INLINED = re.compile(r"_inlfunc_[A-Za-z0-9]+(?:_token_[0-9]+)?_")
_INLINED = re.compile(
    rf".*_inlfunc_.*?{_SPECIALISED}([0-9]{{1,9}})(?:_token_[0-9]+)?_(.+)", re.DOTALL
)
_MOST_DIGITS = 9


def tag(row: int) -> str:
    """Return the text that marks the node of a table row."""
    return f"{_TAG}{row}"


def parse_tag(doc_string: str) -> int:
    """Return the row a `tag` names, or -1 for any other text."""
    text = doc_string.removeprefix(_TAG)
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if text != doc_string and is_number else -1


def specialised_name(function: str, graph: int) -> str:
    """Return the name of the copy of a local function made for one call site."""
    return f"{function}{_SPECIALISED}{graph}"


def parse_inlined_name(name: str) -> tuple[int, str] | None:
    """Split the name of a value that came from an inlined function.

    The runtime inlines a function ``F`` as values ``_inlfunc_F_<value>`` at its first call and
    ``_inlfunc_F_token_<n>_<value>`` later.

    Returns
    -------
    tuple of int and str, or None
        The graph row of the call site's instance and the value's name in the function.
    """
    match = _INLINED.fullmatch(name) if _SPECIALISED in name else None
    return (int(match[1]), match[2]) if match else None


def inlining(name: str) -> str:
    """Return the part of a value's name that one inlining of a schema's own function gave it.

    Operators without a kernel are inlined by the function in their schema, in the same way as
    local functions. Empty for the latter, whose nodes bear tags, and for any other name.
    """
    match = None if parse_inlined_name(name) else _SCHEMA_INLINED.match(name)
    return match[0] if match else ""


def plain_name(name: str) -> str:
    """Return a runtime's name without what `specialised_name` added to it."""
    return _SUFFIX.sub("", name)
