"""From files to what a session takes, and from what it returns to files."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

from .exchange import STORAGE, RawTensor, Value, read_values

__all__ = ["read_feeds", "run_once"]

# Element type numbers of onnx.TensorProto, and the names ORT gives these types.
_ONNX_TYPE = {
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
}
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


def run_once(session: Any, feeds: dict[str, Value]) -> dict[str, Value]:
    """Run a session once and return its outputs by name."""
    outputs = session.get_outputs()
    if not any(output.type in _FROM_ORT_NAME for output in outputs):
        values = session.run(None, feeds)
        return {output.name: value for output, value in zip(outputs, values, strict=True)}
    ort_feeds = {name: _ort_value(value) for name, value in feeds.items()}
    values = session.run_with_ort_values(None, ort_feeds)
    return {output.name: _from_ort(value) for output, value in zip(outputs, values, strict=True)}


def _ort_value(value: Value) -> Any:
    if isinstance(value, ort.OrtValue):
        return value
    return ort.OrtValue.ortvalue_from_numpy(value)


def _from_ort(value: Any) -> Value:
    dtype = _FROM_ORT_NAME.get(value.data_type())
    if dtype is None:
        return value.numpy()
    storage = np.dtype(STORAGE[dtype])
    shape = value.shape()
    size_bytes = int(np.prod(shape, dtype=np.int64)) * storage.itemsize
    content = ctypes.string_at(value.data_ptr(), size_bytes)
    return RawTensor(np.frombuffer(content, storage).reshape(shape), dtype)
