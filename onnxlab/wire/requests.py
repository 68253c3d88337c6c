"""Answering a view's requests: one closed list, bytes in and bytes out."""

from __future__ import annotations

import logging

import msgspec

from onnxlab.errors import OnnxlabError
from onnxlab.model.model import Model
from onnxlab.model.text import visible
from onnxlab.wire.columns import float_bytes, int_bytes, wire_strings
from onnxlab.wire.details import node_detail
from onnxlab.wire.schema import (
    Failure,
    NodeRequest,
    Request,
    Response,
    ShapeColumns,
    ShapesRequest,
    ValueRequest,
)
from onnxlab.wire.values import value_detail

__all__ = ["answer", "answer_bytes"]

MAX_REQUEST_BYTES = 1 << 16

_LOG = logging.getLogger(__name__)
_DECODER: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)


def answer(model: Model, request: Request) -> Response:
    """Answer a request; what cannot be answered comes back as a `Failure`."""
    try:
        if isinstance(request, NodeRequest):
            return node_detail(model, request.node)
        if isinstance(request, ValueRequest):
            return value_detail(model, request.value)
        if isinstance(request, ShapesRequest):
            return _shapes(model)
    except (OnnxlabError, IndexError, ValueError) as error:
        return Failure(message=visible(str(error)))
    raise TypeError(f"no request: {type(request).__name__}")


def answer_bytes(model: Model, data: bytes) -> bytes:
    """Answer a msgpack request with a msgpack response, never raising."""
    try:
        if len(data) > MAX_REQUEST_BYTES:
            raise ValueError(f"a request of {len(data):,} bytes")
        response = answer(model, _DECODER.decode(data))
    except (msgspec.MsgspecError, ValueError) as error:
        response = Failure(message=visible(f"this request cannot be read: {error}"))
    except Exception as error:  # noqa: BLE001 - the edge: a view must get an answer
        _LOG.exception("a request failed")
        response = Failure(message=visible(f"this cannot be answered: {error}"))
    return msgspec.msgpack.encode(response)


def _shapes(model: Model) -> ShapeColumns:
    shapes = model.infer_shapes()
    return ShapeColumns(
        strings=wire_strings(shapes.strings),
        value_dtype=int_bytes(shapes.value_dtype),
        value_shape=int_bytes(shapes.value_shape),
        value_size_bytes=float_bytes(shapes.value_size_bytes),
        problem=visible(shapes.problem),
    )
