"""Filling a tensor with numbers that fit, the same ones for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from onnxlab.errors import ModelError
from onnxlab.model.types import dtype_text
from onnxlab.runtime.roles import Role

__all__ = ["dtype_of", "fill"]

Array = npt.NDArray[Any]

_NUMPY: dict[int, str] = {
    TensorProto.FLOAT: "float32",
    TensorProto.UINT8: "uint8",
    TensorProto.INT8: "int8",
    TensorProto.UINT16: "uint16",
    TensorProto.INT16: "int16",
    TensorProto.INT32: "int32",
    TensorProto.INT64: "int64",
    TensorProto.STRING: "object",
    TensorProto.BOOL: "bool",
    TensorProto.FLOAT16: "float16",
    TensorProto.DOUBLE: "float64",
    TensorProto.UINT32: "uint32",
    TensorProto.UINT64: "uint64",
}
_ML_DTYPES: dict[int, str] = {
    TensorProto.BFLOAT16: "bfloat16",
    TensorProto.FLOAT8E4M3FN: "float8_e4m3fn",
    TensorProto.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    TensorProto.FLOAT8E5M2: "float8_e5m2",
    TensorProto.FLOAT8E5M2FNUZ: "float8_e5m2fnuz",
}
_WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog")
_BYTE_RANGES = {"uint8": (0, 256), "int8": (-128, 128)}


def dtype_of(elem_type: int) -> np.dtype[Any]:
    """Return the numpy (or ml_dtypes) type of a ``TensorProto.DataType``."""
    if elem_type in _NUMPY:
        return np.dtype(_NUMPY[elem_type])
    if elem_type in _ML_DTYPES:
        import ml_dtypes

        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[elem_type]))
        return dtype
    raise ModelError(f"inputs of type {dtype_text(elem_type)} cannot be fed from Python")


def fill(
    elem_type: int, shape: tuple[int, ...], *, role: Role | None, ones: bool, seed: list[int]
) -> Array:
    """Return a tensor of fitting numbers.

    Parameters
    ----------
    elem_type
        Number of ``TensorProto.DataType``.
    shape
        Its shape.
    role
        Which integers fit; None for types other than integers.
    ones
        Ones throughout, as masks are.
    seed
        Of the generator; the same seed gives the same numbers.
    """
    dtype = dtype_of(elem_type)
    rng = np.random.default_rng(seed)
    if ones:
        return np.ones(shape, dtype)
    if dtype.kind == "O":
        words = rng.choice(_WORDS, size=shape)
        return np.asarray(words, dtype=object)
    if dtype.kind == "b":
        return np.full(shape, fill_value=len(shape) > 0)  # a lone flag stays off
    if dtype.kind in "iu":
        low, high = _range(dtype, role)
        return np.asarray(rng.integers(low, high, size=shape), dtype)
    # Within [0, 1) neither logarithms nor roots nor exponentials run away.
    return rng.random(shape, dtype=np.float32).astype(dtype)


def _range(dtype: np.dtype[Any], role: Role | None) -> tuple[int, int]:
    if role is None or (dtype.name in _BYTE_RANGES and not role.evident):
        return _BYTE_RANGES.get(dtype.name, (1, 4))
    most = int(np.iinfo(dtype).max)
    return min(role.low, most), min(role.high, most + 1)
