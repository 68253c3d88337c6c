"""What a model asks to be fed: the declared types of its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onnx import TensorShapeProto, TypeProto

from onnxlab.errors import ModelError
from onnxlab.model.model import Model
from onnxlab.model.text import text

__all__ = ["Dim", "FeedPort", "TensorType", "feed_ports"]

Dim = int | str | None  # a size, a symbol or expression, or unknown

_MAX_NESTING = 8


@dataclass(frozen=True, slots=True)
class TensorType:
    """Element type (a number of ``TensorProto.DataType``) and dims; None for unknown rank."""

    elem_type: int
    dims: tuple[Dim, ...] | None


@dataclass(frozen=True, slots=True)
class FeedPort:
    """An input that has to be fed.

    Attributes
    ----------
    name
        Its name.
    tensor
        Its type, or that of what it holds.
    wrappers
        What lies around the tensor, outermost first: ``sequence``, ``map``. Optionals are fed.
    key_type
        Element type of the keys of a map.
    """

    name: str
    tensor: TensorType
    wrappers: tuple[str, ...] = ()
    key_type: int = 0


def feed_ports(model: Model) -> list[FeedPort]:
    """Return the inputs that have to be fed, in declared order: those without an initializer."""
    graph = model.proto.graph
    stored = {text(tensor.name) for tensor in graph.initializer}
    stored |= {text(sparse.values.name) for sparse in graph.sparse_initializer}
    names = ((text(value.name), value.type) for value in graph.input)
    return [_port(name, type_proto) for name, type_proto in names if name not in stored]


def _port(name: str, proto: TypeProto) -> FeedPort:
    wrappers: list[str] = []
    key_type = 0
    for _ in range(_MAX_NESTING):
        match proto.WhichOneof("value"):
            case "tensor_type":
                shape = proto.tensor_type.shape if proto.tensor_type.HasField("shape") else None
                dims = None if shape is None else tuple(_dims(shape))
                tensor = TensorType(proto.tensor_type.elem_type, dims)
                return FeedPort(name, tensor, tuple(wrappers), key_type)
            case "sequence_type":
                wrappers.append("sequence")
                proto = proto.sequence_type.elem_type
            case "optional_type":
                proto = proto.optional_type.elem_type
            case "map_type":
                wrappers.append("map")
                key_type = proto.map_type.key_type
                proto = proto.map_type.value_type
            case kind:
                raise ModelError(f"input '{name}' is of a type that cannot be fed: {kind}")
    raise ModelError(f"input '{name}' is nested too deeply")


def _dims(shape: TensorShapeProto) -> Iterator[Dim]:
    for dim in shape.dim:
        if dim.WhichOneof("value") == "dim_value":
            yield dim.dim_value if dim.dim_value >= 0 else None
        else:
            yield text(dim.dim_param) or None
