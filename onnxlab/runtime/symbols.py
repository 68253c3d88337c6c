"""Symbolic sizes such as ``past + seq``: read as arithmetic, never evaluated as code."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping

__all__ = ["is_placeholder", "size_of", "symbols_in"]

_MAX_CHARS = 200
_MAX_SIZE = 1 << 40
_PLACEHOLDER = re.compile(r"\?*|unk_*\d*|None|dynamic|unknown\w*", re.IGNORECASE)

_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}
_CALLS: dict[str, Callable[..., int]] = {
    "max": max,
    "min": min,
    "floor": int,
    "ceiling": int,
    "ceil": int,
}


def is_placeholder(symbol: str) -> bool:
    """Tell whether a symbol stands for "unknown" and two of them need not be equal."""
    return _PLACEHOLDER.fullmatch(symbol) is not None


def symbols_in(dim: str) -> tuple[str, ...]:
    """Return the plain symbols in a size: those of an expression, or the whole text.

    Examples
    --------
    >>> symbols_in("past + seq"), symbols_in("batch_size"), symbols_in("unk__7")
    (('past', 'seq'), ('batch_size',), ('unk__7',))
    """
    tree = _parsed(dim)
    if tree is None or isinstance(tree, ast.Name):
        return (dim,)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called
    ]
    return tuple(dict.fromkeys(names)) or (dim,)


def size_of(dim: str, sizes: Mapping[str, int]) -> int | None:
    """Return the size of a symbol or expression, None where it cannot be told.

    Examples
    --------
    >>> size_of("Min(64, seq) + 1", {"seq": 100})
    65
    """
    if dim in sizes:
        return sizes[dim]
    tree = _parsed(dim)
    if tree is None:
        return None
    try:
        size = _value(tree, sizes)
    except (LookupError, ArithmeticError, TypeError, ValueError):
        return None
    return size if 0 <= size <= _MAX_SIZE else None


def _parsed(dim: str) -> ast.expr | None:
    if len(dim) > _MAX_CHARS:
        return None
    try:
        return ast.parse(dim.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _value(tree: ast.expr, sizes: Mapping[str, int]) -> int:
    # An expression of at most 200 characters: its depth is bounded.
    match tree:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return sizes[name]
        case ast.BinOp(left=left, op=op, right=right):
            size = _BINARY[type(op)](_value(left, sizes), _value(right, sizes))
            if abs(size) > _MAX_SIZE:
                raise ValueError(size)
            return size
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _CALLS[name.lower()](*(_value(argument, sizes) for argument in arguments))
        case _:
            raise ValueError(ast.dump(tree))
