"""Element types and shapes as text and numbers: ``f32``, ``1×3×224×224``."""

from __future__ import annotations

import math
from typing import NamedTuple

from onnx import TensorProto, TensorShapeProto, TypeProto

from onnxlab.model.text import elide, text

__all__ = ["TypeText", "dtype_text", "element_bits", "packed_bytes", "shape_text", "type_text"]

MAX_SHOWN_DIMS = 64
MAX_SYMBOL_CHARS = 200
MAX_TYPE_DEPTH = 8

# Number in TensorProto.DataType → short name and bits an element takes; 0 for a string.
_TYPES: dict[int, tuple[str, int]] = {
    1: ("f32", 32),
    2: ("u8", 8),
    3: ("i8", 8),
    4: ("u16", 16),
    5: ("i16", 16),
    6: ("i32", 32),
    7: ("i64", 64),
    8: ("string", 0),
    9: ("bool", 8),
    10: ("f16", 16),
    11: ("f64", 64),
    12: ("u32", 32),
    13: ("u64", 64),
    14: ("c64", 64),
    15: ("c128", 128),
    16: ("bf16", 16),
    17: ("f8e4m3fn", 8),
    18: ("f8e4m3fnuz", 8),
    19: ("f8e5m2", 8),
    20: ("f8e5m2fnuz", 8),
    21: ("u4", 4),
    22: ("i4", 4),
    23: ("f4e2m1", 4),
    24: ("f8e8m0", 8),
    25: ("u2", 2),
    26: ("i2", 2),
    27: ("f6e2m3", 6),
    28: ("f6e3m2", 6),
}


class TypeText(NamedTuple):
    """A type as shown.

    Attributes
    ----------
    dtype
        ``f32``, ``seq(f32)``, ...; empty where unknown.
    shape
        As in `onnxlab.model.table.GraphTable`.
    size_bytes
        Bytes of a dense tensor whose every dimension is known, else -1.
    """

    dtype: str
    shape: str
    size_bytes: float


UNKNOWN = TypeText("", "", -1.0)


def dtype_text(data_type: int) -> str:
    """Return the short name of a ``TensorProto.DataType``, empty for UNDEFINED."""
    if data_type == TensorProto.UNDEFINED:
        return ""
    return _TYPES.get(data_type, (f"type{data_type}", 0))[0]


def element_bits(data_type: int) -> int:
    """Return the bits that one element takes, 0 where it is not fixed."""
    return _TYPES.get(data_type, ("", 0))[1]


def packed_bytes(data_type: int, elements: int) -> int | None:
    """Return the bytes that ``elements`` take, or None where they are not of fixed size."""
    bits = element_bits(data_type)
    return -(-elements * bits // 8) if bits else None


def shape_text(dims: list[int | str | None]) -> str:
    """Return a shape as shown: numbers, symbols, ``?`` for an unknown or negative dimension."""
    if not dims:
        return "[]"
    shown = [_dim_text(dim) for dim in dims[:MAX_SHOWN_DIMS]]
    return "×".join(shown if len(dims) <= MAX_SHOWN_DIMS else [*shown, "…"])


def tensor_text(data_type: int, dims: list[int]) -> TypeText:
    """Return the type of a stored tensor."""
    return TypeText(dtype_text(data_type), shape_text(list(dims)), _size_bytes(data_type, dims))


def type_text(proto: TypeProto) -> TypeText:
    """Return a ``TypeProto`` as shown."""
    wrappers: list[str] = []
    for _ in range(MAX_TYPE_DEPTH):
        kind = proto.WhichOneof("value")
        if kind == "sequence_type":
            wrappers.append("seq")
            proto = proto.sequence_type.elem_type
        elif kind == "optional_type":
            wrappers.append("optional")
            proto = proto.optional_type.elem_type
        elif kind == "map_type":
            wrappers.append(f"map {dtype_text(proto.map_type.key_type)} →")
            proto = proto.map_type.value_type
        else:
            break
    inner = _plain_type(proto)
    if not wrappers:
        return inner
    dtype = inner.dtype or "tensor"
    for wrapper in reversed(wrappers):
        word, _, key = wrapper.partition(" ")
        dtype = f"map({key.removesuffix(' →')}, {dtype})" if key else f"{word}({dtype})"
    return TypeText(dtype, inner.shape, -1.0)


def _plain_type(proto: TypeProto) -> TypeText:
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        tensor = proto.tensor_type
        if not tensor.HasField("shape"):
            return TypeText(dtype_text(tensor.elem_type), "", -1.0)
        dims = _dims(tensor.shape)
        size = _size_bytes(tensor.elem_type, dims)
        return TypeText(dtype_text(tensor.elem_type), shape_text(dims), size)
    if kind == "sparse_tensor_type":
        sparse = proto.sparse_tensor_type
        shape = shape_text(_dims(sparse.shape)) if sparse.HasField("shape") else ""
        return TypeText(f"sparse({dtype_text(sparse.elem_type)})", shape, -1.0)
    if kind == "opaque_type":
        return TypeText(f"opaque({elide(text(proto.opaque_type.name), 100)})", "", -1.0)
    return UNKNOWN


def _dims(shape: TensorShapeProto) -> list[int | str | None]:
    dims: list[int | str | None] = []
    for dim in shape.dim:
        kind = dim.WhichOneof("value")
        if kind == "dim_value":
            dims.append(dim.dim_value)
        else:
            dims.append(text(dim.dim_param) or None if kind else None)
    return dims


def _dim_text(dim: int | str | None) -> str:
    if isinstance(dim, str):
        return elide(dim, MAX_SYMBOL_CHARS)
    return "?" if dim is None or dim < 0 else str(dim)


def _size_bytes(data_type: int, dims: list[int] | list[int | str | None]) -> float:
    numbers = [dim for dim in dims[:MAX_SHOWN_DIMS] if isinstance(dim, int) and dim >= 0]
    if len(numbers) < len(dims) or not element_bits(data_type):
        return -1.0
    # In floating point, since absurd dimensions must not make an absurd integer.
    return float(math.ceil(_product(numbers) * element_bits(data_type) / 8))


def _product(numbers: list[int]) -> float:
    return min(math.prod(map(float, numbers)), 1e300)
