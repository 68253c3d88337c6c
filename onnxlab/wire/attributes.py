"""A node's attributes as bounded text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import AttributeProto, GraphProto, SparseTensorProto, TensorProto

from onnxlab.errors import OnnxlabError
from onnxlab.model.binding import bound_attribute
from onnxlab.model.tensors import TensorReader, element_count
from onnxlab.model.text import elide, text, visible, visible_lines
from onnxlab.model.types import tensor_text, type_text
from onnxlab.wire.schema import Attribute

if TYPE_CHECKING:
    from onnxlab.model.model import Model

__all__ = ["attribute_message", "preview", "shown_type"]

MAX_CHARS = 2_000
MAX_LISTED = 400
MAX_PREVIEW_BYTES = 1 << 20


def attribute_message(model: Model, row: int, attribute: AttributeProto) -> Attribute:
    """Return an attribute of the node in a row as it is shown."""
    bound, origin = bound_attribute(model, row, attribute)
    shown = _text(model, bound) if bound is not None else "not given"
    if origin:
        shown = f"{shown} (from {elide(visible(origin), 200)})"
    return Attribute(
        name=elide(visible(attribute.name), MAX_CHARS),
        type=_type_name(bound if bound is not None else attribute),
        text=elide(shown, MAX_CHARS),
    )


def _type_name(attribute: AttributeProto) -> str:
    if attribute.type not in AttributeProto.AttributeType.values():
        return "unknown"
    return AttributeProto.AttributeType.Name(attribute.type).lower()


def _text(model: Model, attribute: AttributeProto) -> str:
    kinds: dict[int, Callable[[], str]] = {
        AttributeProto.FLOAT: lambda: number_text(attribute.f),
        AttributeProto.INT: lambda: str(attribute.i),
        AttributeProto.STRING: lambda: visible_lines(attribute.s),
        AttributeProto.TENSOR: lambda: _tensor(model, attribute.t),
        AttributeProto.GRAPH: lambda: _graph(attribute.g),
        AttributeProto.SPARSE_TENSOR: lambda: _sparse(attribute.sparse_tensor),
        AttributeProto.TYPE_PROTO: lambda: shown_type(*type_text(attribute.tp)[:2]),
        AttributeProto.FLOATS: lambda: _listed(attribute.floats, number_text),
        AttributeProto.INTS: lambda: _listed(attribute.ints, str),
        AttributeProto.STRINGS: lambda: _listed(attribute.strings, _quoted),
        AttributeProto.TENSORS: lambda: _listed(
            attribute.tensors, lambda tensor: _tensor(model, tensor)
        ),
        AttributeProto.GRAPHS: lambda: _listed(attribute.graphs, _graph),
        AttributeProto.SPARSE_TENSORS: lambda: _listed(attribute.sparse_tensors, _sparse),
        AttributeProto.TYPE_PROTOS: lambda: _listed(
            attribute.type_protos, lambda tp: shown_type(*type_text(tp)[:2])
        ),
    }
    kind = kinds.get(attribute.type)
    return kind() if kind else "of an unknown type"


def number_text(number: float) -> str:
    """Return a float32 with the digits it takes to tell it from its neighbours."""
    with np.errstate(over="ignore"):
        return str(np.float32(number))


def shown_type(dtype: str, shape: str) -> str:
    """Return a type as one phrase: ``f32 1×3``."""
    return f"{dtype or 'unknown type'} {shape or 'of unknown rank'}"


def _quoted(entry: str | bytes) -> str:
    # Not by repr, which would escape what is escaped already.
    return f"'{visible(elide(text(entry), 200))}'"


def _listed(entries: Sequence[Any], show: Callable[[Any], str]) -> str:
    shown = ", ".join(show(entry) for entry in islice(entries, MAX_LISTED))
    more = f", … ({len(entries):,} in all)" if len(entries) > MAX_LISTED else ""
    return f"[{shown}{more}]"


def _graph(graph: GraphProto) -> str:
    count = len(graph.node)
    return f"graph {_quoted(graph.name)} of {count} node{'' if count == 1 else 's'}"


def _sparse(sparse: SparseTensorProto) -> str:
    shown = tensor_text(sparse.values.data_type, list(sparse.dims))
    stored = sum(sparse.values.dims[:1])
    return f"sparse {shown_type(shown.dtype, shown.shape)}, {stored:,} stored"


def _tensor(model: Model, tensor: TensorProto) -> str:
    shown = tensor_text(tensor.data_type, list(tensor.dims))
    return f"{shown_type(shown.dtype, shown.shape)} {preview(model, tensor)}".strip()


def preview(model: Model, tensor: TensorProto, *, elements: int = 64) -> str:
    """Return a tensor's first elements as text, or why they cannot be read."""
    try:
        total = element_count(tensor)
        first = next(iter(TensorReader(model).chunks(tensor, elements=elements)))[:elements]
    except OnnxlabError as error:
        return visible(str(error))
    if first.dtype == object:
        items = [_quoted(entry) for entry in first.tolist()]
    else:
        items = [_element(entry) for entry in first]
    if not tensor.dims and len(items) == 1:
        return items[0]
    return f"[{', '.join(items)}{', …' if total > len(items) else ''}]"


def _element(entry: Any) -> str:
    return str(entry.item() if entry.dtype.kind in "iub" else entry)
