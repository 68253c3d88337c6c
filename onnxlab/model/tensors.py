"""Reading stored tensors: bounds first, then bytes, then numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from onnx import AttributeProto, SparseTensorProto, TensorProto

from onnxlab.errors import FileChanged, ModelError
from onnxlab.model.decode import (
    check_size,
    numpy_dtype,
    tensor_label,
    typed_numbers,
    typed_strings,
    unpack,
)
from onnxlab.model.external import external_place, is_external, resolve_location
from onnxlab.model.skeleton import PAYLOAD_FIELDS, Payload
from onnxlab.model.source import BytesSource, FileSource, Source, check_stamp
from onnxlab.model.text import elide, text, visible
from onnxlab.model.types import element_bits, packed_bytes
from onnxlab.model.wire_format import BYTES, varint

if TYPE_CHECKING:
    from onnxlab.model.model import Model
    from onnxlab.model.weights import Weight

__all__ = ["TensorReader", "element_count"]

Array = npt.NDArray[Any]

MAX_DIMS = 32  # what every numpy can hold
MAX_DENSE_ELEMENTS = 1 << 28  # of a sparse tensor
CHUNK_ELEMENTS = 1 << 20
_READ_BYTES = 1 << 30

_FIELD_NUMBERS = {name: number for number, name in PAYLOAD_FIELDS.items()}


class TensorReader:
    """Reads the stored tensors of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def read(self, weight: Weight) -> Array:
        """Return a stored tensor; see `Model.read_tensor`."""
        stored = weight.stored
        if isinstance(stored, TensorProto):
            return self.dense(stored)
        if isinstance(stored, SparseTensorProto):
            return self.sparse(stored)
        return self._attribute(stored)

    def dense(self, tensor: TensorProto) -> Array:
        """Return a dense tensor."""
        elements = element_count(tensor)
        if tensor.data_type == TensorProto.STRING:
            return typed_strings(self._typed(tensor), elements, tensor)
        dtype = numpy_dtype(tensor)
        raw = self.raw_bytes(tensor, elements)
        if raw is None:
            flat = typed_numbers(self._typed(tensor), tensor, elements, dtype)
        else:
            flat = unpack(raw, tensor.data_type, elements, dtype)
        return flat.reshape(tuple(tensor.dims))

    def chunks(self, tensor: TensorProto, *, elements: int = CHUNK_ELEMENTS) -> Iterator[Array]:
        """Yield a dense tensor's elements in flat pieces, so that memory stays bounded.

        Numbers in typed fields come from one parse of their tensor.
        """
        total = element_count(tensor)
        if tensor.data_type == TensorProto.STRING or not total:
            yield self.dense(tensor).ravel()
            return
        dtype = numpy_dtype(tensor)
        with self.raw_span(tensor, packed_bytes(tensor.data_type, total) or 0) as span:
            if span is not None:
                source, offset = span
                for start in range(0, total, elements):
                    count = min(elements, total - start)
                    # `elements` is a multiple of 8, so every piece begins at a whole byte.
                    begin = start * element_bits(tensor.data_type) // 8
                    length = packed_bytes(tensor.data_type, count) or 0
                    data = _read_all(source, offset + begin, length, tensor)
                    yield unpack(data, tensor.data_type, count, dtype)
                return
        flat = self.dense(tensor).ravel()
        for start in range(0, total, elements):
            yield flat[start : start + elements]

    def sparse(self, tensor: SparseTensorProto) -> Array:
        """Return a sparse tensor as a dense one."""
        shape = tuple(tensor.dims)
        total = math.prod(shape) if len(shape) <= MAX_DIMS and all(d >= 0 for d in shape) else -1
        if not 0 <= total <= MAX_DENSE_ELEMENTS:
            raise ModelError(f"{tensor_label(tensor.values)} is too large to be made dense")
        values, indices = self.dense(tensor.values), self.dense(tensor.indices)
        if indices.ndim == 2 and indices.shape[1] == len(shape):
            in_range = bool(np.all((indices >= 0) & (indices < np.array(shape))))
            flat = np.ravel_multi_index(tuple(indices.T), shape) if in_range else None
        else:
            in_range = bool(np.all((indices >= 0) & (indices < total)))
            flat = indices.ravel()
        if not in_range or flat is None or len(flat) != values.size:
            raise ModelError(f"{tensor_label(tensor.values)} has indices outside of its shape")
        filled = np.zeros(total, values.dtype)
        filled[flat] = values.ravel()
        return filled.reshape(shape)

    def raw_bytes(self, tensor: TensorProto, elements: int) -> bytes | None:
        """Return a tensor's little-endian bytes, or None where they are typed fields."""
        needed = packed_bytes(tensor.data_type, elements)
        if needed is None:
            return None
        with self.raw_span(tensor, needed) as span:
            if span is None:
                return None
            source, offset = span
            return _read_all(source, offset, needed, tensor)

    @contextmanager
    def raw_span(self, tensor: TensorProto, needed: int) -> Iterator[tuple[Source, int] | None]:
        """Open where a tensor's little-endian bytes lie, after checking that all are there.

        Yields a source and an offset, or None where the numbers are in typed fields.
        """
        payload = self._model.payload(tensor)
        if is_external(tensor):
            with self._external(tensor, needed) as span:
                yield span
        elif payload is not None and payload.field == "raw_data" and not payload.framed:
            check_size(tensor, payload.length, needed)
            with self._own_source() as source:
                yield source, payload.offset
        elif payload is None and tensor.HasField("raw_data"):
            check_size(tensor, len(tensor.raw_data), needed)
            yield BytesSource(tensor.raw_data), 0
        else:
            yield None

    @contextmanager
    def _external(self, tensor: TensorProto, needed: int) -> Iterator[tuple[Source, int]]:
        place = external_place(tensor)
        path = resolve_location(place.location, self._model.folder, model=self._model.path)
        self._model.check_unchanged()
        if place.length is not None:
            check_size(tensor, place.length, needed)
        with FileSource.open(path) as source:
            if place.offset + needed > source.size:
                raise ModelError(
                    f"the data of {tensor_label(tensor)} end at byte {place.offset + needed:,} of "
                    f"{elide(visible(place.location), 100)!r}, which has {source.size:,}"
                )
            yield source, place.offset

    @contextmanager
    def _own_source(self) -> Iterator[Source]:
        model = self._model
        if model.path is None or model.stamp is None:
            yield BytesSource(model.data or b"")
            return
        check_stamp(model.path, model.stamp)
        with FileSource.open(model.path) as source:
            if source.stamp != model.stamp:
                check_stamp(model.path, model.stamp)
            yield source

    def _typed(self, tensor: TensorProto) -> TensorProto:
        """Return a tensor that holds the typed fields."""
        payload = self._model.payload(tensor)
        if payload is None:
            return tensor
        with self._own_source() as source:
            data = source.read(payload.offset, payload.length)
        return TensorProto.FromString(_framed(payload, data))

    def _attribute(self, attribute: AttributeProto) -> Array:
        """Return the value of a Constant node that is no tensor."""
        kind = attribute.type
        if kind == AttributeProto.FLOAT:
            return np.array(attribute.f, np.float32)
        if kind == AttributeProto.INT:
            return np.array(attribute.i, np.int64)
        if kind == AttributeProto.FLOATS:
            return np.array(attribute.floats, np.float32)
        if kind == AttributeProto.INTS:
            return np.array(attribute.ints, np.int64)
        if kind == AttributeProto.STRING:
            return np.array(text(attribute.s), object)
        return np.array([text(entry) for entry in attribute.strings], object)


def _read_all(source: Source, offset: int, length: int, tensor: TensorProto) -> bytes:
    """Read all of a span; one call to the system returns at most 2 GiB."""
    pieces = []
    while length > 0:
        piece = source.read(offset, min(length, _READ_BYTES))
        if not piece:
            raise FileChanged(
                f"the data of {tensor_label(tensor)} are cut short: load the model again"
            )
        pieces.append(piece)
        offset += len(piece)
        length -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def element_count(tensor: TensorProto) -> int:
    """Return a tensor's number of elements, or raise `ModelError` for impossible dimensions."""
    dims = tensor.dims
    if len(dims) > MAX_DIMS:
        raise ModelError(f"{tensor_label(tensor)} has {len(dims)} dimensions")
    if any(dim < 0 for dim in dims):
        raise ModelError(f"{tensor_label(tensor)} has a negative dimension")
    return math.prod(dims)


def _framed(payload: Payload, data: bytes) -> bytes:
    if payload.framed:
        return data
    key = varint(_FIELD_NUMBERS[payload.field] << 3 | BYTES)
    return key + varint(len(data)) + data
