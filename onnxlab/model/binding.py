"""Attributes inside functions, followed to the call that gives them a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from onnx import AttributeProto, FunctionProto

from onnxlab.model.table import GraphKind
from onnxlab.model.text import text

if TYPE_CHECKING:
    from onnxlab.model.model import Model

__all__ = ["bound_attribute"]


def bound_attribute(
    model: Model, row: int, attribute: AttributeProto
) -> tuple[AttributeProto | None, str]:
    """Follow a reference to a function's attribute.

    Parameters
    ----------
    model
        The model.
    row
        The node that has the attribute.
    attribute
        The attribute, possibly a reference (``ref_attr_name``).

    Returns
    -------
    tuple
        The attribute that holds the value, None where the call gives none; and how it was found,
        empty for an attribute that is no reference.
    """
    bound: AttributeProto | None = attribute
    origin = ""
    while bound is not None and bound.ref_attr_name:
        name = text(bound.ref_attr_name)
        row, function = _enclosing_call(model, row)
        origin = f"the function's attribute {name}"
        bound = _named(model.node_proto(row).attribute, name) if row >= 0 else None
        if bound is None and function is not None:
            bound = _named(function.attribute_proto, name)
            origin += " by default"
    return bound, origin


def _enclosing_call(model: Model, row: int) -> tuple[int, FunctionProto | None]:
    """Return the node that calls the function around a node, and that function."""
    while row >= 0:
        visit = model.walk.visits[int(model.table.node_graph[row])]
        row = visit.owner
        if visit.kind == GraphKind.FUNCTION and isinstance(visit.proto, FunctionProto):
            return row, visit.proto
    return -1, None


def _named(attributes: Iterable[AttributeProto], name: str) -> AttributeProto | None:
    return next((entry for entry in attributes if text(entry.name) == name), None)
