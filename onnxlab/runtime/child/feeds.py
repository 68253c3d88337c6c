"""From files to what a session takes, and from what it returns to files."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from .exchange import STORAGE, RawTensor, Value, read_values

__all__ = ["read_feeds", "run_function", "run_once"]

# Element type numbers of onnx.TensorProto, and the names ORT gives these types.
_ONNX_TYPE = {
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
}
_ELEMENT = re.compile(r"tensor\((\w+)\)")
_NUMPY_ELEMENTS = frozenset(
    {
        *("bool", "double", "float", "float16", "string"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    }
)
_FROM_ORT_NAME = {f"tensor({name.replace('_', '')})": name for name in _ONNX_TYPE}


def read_feeds(folder: str) -> dict[str, Value]:
    """Read a set of feeds into values a session accepts."""
    return {name: _feed(value) for name, value in read_values(Path(folder)).items()}


def _feed(value: Value) -> Value:
    if not isinstance(value, RawTensor):
        return value
    if not hasattr(ort.OrtValue, "ortvalue_from_numpy_with_onnx_type"):
        raise TypeError(f"onnxruntime {ort.__version__} takes no {value.dtype} input from Python")
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(value.bits, _ONNX_TYPE[value.dtype])


def run_function(session: Any, feeds: dict[str, Value]) -> Callable[[], list[Any]]:
    """Return a function that runs a session once, by the shortest way its output types allow."""
    outputs = session.get_outputs()
    if all(_has_numpy_type(output.type) for output in outputs):
        return lambda: session.run(None, feeds)
    ort_feeds = {name: _ort_value(value) for name, value in feeds.items()}
    return lambda: session.run_with_ort_values(None, ort_feeds)


def run_once(session: Any, feeds: dict[str, Value]) -> dict[str, Value]:
    """Run a session once and return its outputs by name."""
    names = [output.name for output in session.get_outputs()]
    values = run_function(session, feeds)()
    return {name: _from_ort(value) for name, value in zip(names, values, strict=True)}


def _has_numpy_type(ort_type: str) -> bool:
    match = _ELEMENT.fullmatch(ort_type)
    return match is None or match[1] in _NUMPY_ELEMENTS


def _ort_value(value: Value) -> Any:
    if isinstance(value, ort.OrtValue):
        return value
    return ort.OrtValue.ortvalue_from_numpy(value)


def _from_ort(value: Any) -> Value:
    if not isinstance(value, ort.OrtValue):
        return value
    dtype = _FROM_ORT_NAME.get(value.data_type())
    if dtype is None:
        return value.numpy()
    storage = np.dtype(STORAGE[dtype])
    shape = value.shape()
    size_bytes = int(np.prod(shape, dtype=np.int64)) * storage.itemsize
    content = ctypes.string_at(value.data_ptr(), size_bytes)
    return RawTensor(np.frombuffer(content, storage).reshape(shape), dtype)
