"""Giving an instrumented copy its weights: large ones by reference, the others inline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import onnx
from onnx import FunctionProto, GraphProto, ModelProto, TensorProto

from onnxlab.errors import ModelError
from onnxlab.model.model import Model
from onnxlab.model.skeleton import PAYLOAD_FIELDS, Payload
from onnxlab.model.source import FileSource
from onnxlab.model.wire_format import BYTES, varint

__all__ = ["place_weights"]

_REFERENCED_BYTES = 1 << 20  # smaller weights are copied: it costs nothing and never fails
_LARGEST_COPY_BYTES = 2_000_000_000  # protobuf's limit is 2 GiB for the whole message
_FIELD_NUMBERS = {name: number for number, name in PAYLOAD_FIELDS.items()}


def place_weights(copy: ModelProto, model: Model) -> Path | None:
    """Complete a copy of a model's skeleton.

    Only initializers of the main graph that lie in the file as ``raw_data`` can be pointed to;
    the runtime refuses or misreads the rest.

    Returns
    -------
    Path or None
        The folder against which the runtime has to resolve external data.
    """
    if model.path is None:
        raise ValueError("a model in memory has its weights inline")
    home = model.path.resolve()
    folder = _data_folder(copy, model, home)
    if folder == home.parent:
        for tensor in copy.graph.initializer:
            payload = model.payload(tensor)
            if payload is not None and _can_be_referenced(payload):
                _refer(tensor, home.name, payload)
    missing = [(t, p) for t in _tensors(copy) if (p := model.payload(t)) is not None]
    if sum(payload.length for _, payload in missing) > _LARGEST_COPY_BYTES:
        raise ModelError(
            f"{model.name} holds over 2 GB of weights that cannot be read in place: "
            "save it with external data"
        )
    if missing:
        with FileSource.open(model.path) as file:
            for tensor, payload in missing:
                _fill(tensor, payload, file.read(payload.offset, payload.length))
        model.check_unchanged()
    return folder


def _can_be_referenced(payload: Payload) -> bool:
    return (
        payload.field == "raw_data" and not payload.framed and payload.length >= _REFERENCED_BYTES
    )


def _data_folder(copy: ModelProto, model: Model, home: Path) -> Path:
    """Choose the folder for external data; the runtime follows no link out of it.

    A model opened through a link (a Hugging Face cache) is used where it really lies. Its
    external data are then looked for beside it; where they are elsewhere, the link's folder
    stays, and nothing can point into the model's own file.
    """
    assert model.path is not None
    linked = model.path.parent.resolve()
    external = [t for t in _tensors(copy) if t.data_location == TensorProto.EXTERNAL]
    if not external or linked == home.parent:
        return home.parent
    moved: list[tuple[onnx.StringStringEntryProto, str]] = []
    for tensor in external:
        for entry in tensor.external_data:
            if entry.key != "location":
                continue
            real = (linked / entry.value).resolve()
            if not real.is_relative_to(home.parent):
                return linked
            moved.append((entry, real.relative_to(home.parent).as_posix()))
    for entry, location in moved:
        entry.value = location
    return home.parent


def _refer(tensor: TensorProto, location: str, payload: Payload) -> None:
    tensor.ClearField("external_data")
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": payload.offset, "length": payload.length}
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))


def _fill(tensor: TensorProto, payload: Payload, data: bytes) -> None:
    tensor.ClearField("external_data")
    if payload.framed:
        tensor.MergeFromString(data)
    elif payload.field == "raw_data":
        tensor.raw_data = data
    else:
        number = _FIELD_NUMBERS[payload.field]
        tensor.MergeFromString(varint(number << 3 | BYTES) + varint(len(data)) + data)


def _tensors(model: ModelProto) -> Iterator[TensorProto]:
    """Yield every tensor of a model's graphs and functions."""
    pending: list[GraphProto | FunctionProto] = [model.graph, *model.functions]
    while pending:
        graph = pending.pop()
        if isinstance(graph, GraphProto):
            yield from graph.initializer
            for sparse in graph.sparse_initializer:
                yield from (sparse.values, sparse.indices)
        for node in graph.node:
            for attribute in node.attribute:
                yield from _attribute_tensors(attribute)
                if attribute.HasField("g"):
                    pending.append(attribute.g)
                pending.extend(attribute.graphs)


def _attribute_tensors(attribute: onnx.AttributeProto) -> Iterator[TensorProto]:
    if attribute.HasField("t"):
        yield attribute.t
    yield from attribute.tensors
    sparse_tensors = [*attribute.sparse_tensors]
    if attribute.HasField("sparse_tensor"):
        sparse_tensors.append(attribute.sparse_tensor)
    for sparse in sparse_tensors:
        yield from (sparse.values, sparse.indices)
