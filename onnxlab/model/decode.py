"""From bytes and typed fields to numpy arrays."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from onnxlab.errors import ModelError
from onnxlab.model.text import elide, text, visible
from onnxlab.model.types import dtype_text, element_bits, packed_bytes

__all__ = ["check_size", "numpy_dtype", "tensor_label", "typed_numbers", "typed_strings", "unpack"]

Array = npt.NDArray[Any]

# Number in TensorProto.DataType → type of numpy, or of ml_dtypes. Not asked from onnx, whose older
# releases give wider stand-ins.
_NUMPY_TYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4_e2m1fn",
    24: "float8_e8m0fnu",
    25: "uint2",
    26: "int2",
    27: "float6_e2m3fn",
    28: "float6_e3m2fn",
}
# Which field holds the numbers where they are not raw; else int32_data.
_TYPED_FIELDS = {
    1: "float_data",
    7: "int64_data",
    11: "double_data",
    12: "uint64_data",
    13: "uint64_data",
    14: "float_data",
    15: "double_data",
}
# Packed types: bits → the numbers that one byte holds.
_PACKED = {4: 2, 2: 4}


def numpy_dtype(tensor: TensorProto) -> np.dtype[Any]:
    """Return the numpy type of a tensor's elements."""
    name = _NUMPY_TYPES.get(tensor.data_type, "")
    if hasattr(ml_dtypes, name):
        name = getattr(ml_dtypes, name)
    try:
        dtype: np.dtype[Any] = np.dtype(name or "unknown")
    except TypeError as error:
        message = f"{tensor_label(tensor)} has no known element type ({tensor.data_type})"
        raise ModelError(message) from error
    return dtype


def unpack(data: bytes, data_type: int, elements: int, dtype: np.dtype[Any]) -> Array:
    """Turn little-endian, possibly packed bytes into a flat array."""
    bits = element_bits(data_type)
    if bits in _PACKED:
        return _unpack_bits(np.frombuffer(data, np.uint8), bits, elements).view(dtype)
    if bits == 6:
        return _unpack_six(np.frombuffer(data, np.uint8), elements).view(dtype)
    if dtype.kind in "iufc" and dtype.isnative:
        return np.frombuffer(data, dtype.newbyteorder("<"), count=elements).astype(
            dtype, copy=False
        )
    return np.frombuffer(data, dtype, count=elements)


def _unpack_bits(data: npt.NDArray[np.uint8], bits: int, elements: int) -> Array:
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    mask = np.uint8((1 << bits) - 1)
    return ((data[:, None] >> shifts) & mask).ravel()[:elements]


def _unpack_six(data: npt.NDArray[np.uint8], elements: int) -> Array:
    """Unpack a stream of 6-bit numbers, lowest bits first."""
    bits = np.unpackbits(data, bitorder="little")[: 6 * elements].reshape(elements, 6)
    return np.packbits(bits, axis=1, bitorder="little").ravel()


def typed_numbers(
    typed: TensorProto, tensor: TensorProto, elements: int, dtype: np.dtype[Any]
) -> Array:
    """Return the numbers of a tensor that keeps them in typed fields."""
    data_type = tensor.data_type
    if typed.HasField("raw_data"):  # beside typed fields, which is not allowed but happens
        data = typed.raw_data
        check_size(tensor, len(data), packed_bytes(data_type, elements) or 0)
        return unpack(data, data_type, elements, dtype)
    field = _TYPED_FIELDS.get(data_type, "int32_data")
    entries = getattr(typed, field)
    bits = element_bits(data_type)
    per_byte = _PACKED.get(bits, 1)
    expected = -(-elements // per_byte) * (2 if dtype.kind == "c" else 1)
    if len(entries) != expected:
        raise ModelError(
            f"{tensor_label(tensor)} needs {expected:,} entries of {field} "
            f"but holds {len(entries):,}"
        )
    if field != "int32_data":
        storage = {"float_data": np.float32, "double_data": np.float64}.get(field)
        plain = np.array(entries, storage or (np.uint64 if field == "uint64_data" else np.int64))
        return plain.view(dtype) if dtype.kind == "c" else plain.astype(dtype)
    numbers = np.array(entries, np.int32)
    if per_byte > 1:
        return _unpack_bits(numbers.astype(np.uint8), bits, elements).view(dtype)
    if data_type in (TensorProto.INT32, TensorProto.BOOL):
        return numbers.astype(dtype)
    if bits == 6:
        return (numbers.astype(np.uint8) & np.uint8(0x3F)).view(dtype)
    return numbers.astype(np.uint8 if bits == 8 else np.uint16).view(dtype)


def typed_strings(typed: TensorProto, elements: int, tensor: TensorProto) -> Array:
    """Return the strings of a tensor, bytes that are not UTF-8 escaped."""
    entries = typed.string_data
    if len(entries) != elements:
        raise ModelError(
            f"{tensor_label(tensor)} needs {elements:,} strings but holds {len(entries):,}"
        )
    decoded = [text(entry) for entry in entries]
    return np.array(decoded, object).reshape(tuple(tensor.dims))


def check_size(tensor: TensorProto, stored: int, needed: int) -> None:
    """Raise `ModelError` unless a tensor holds as many bytes as it needs."""
    if stored != needed:
        raise ModelError(
            f"{tensor_label(tensor)} needs {needed:,} bytes as {dtype_text(tensor.data_type)} "
            f"but holds {stored:,}"
        )


def tensor_label(tensor: TensorProto) -> str:
    """Return a tensor's name for a message."""
    return f"tensor {elide(visible(tensor.name), 100)!r}"
