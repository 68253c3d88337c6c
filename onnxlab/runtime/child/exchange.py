"""Named values in a folder: numeric arrays as one ``.npz``, all else as JSON beside it.

Both ends of the pipe use this file: feeds travel to the child and outputs back by path. Names
come from models and may be anything, so they never become names of files or archive members.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["STORAGE", "RawTensor", "Value", "read_values", "write_values"]

Array = npt.NDArray[Any]
Value = Any  # an array, a RawTensor, a scalar, None, or a list or dict of these

# Element types that numpy lacks: name (as ml_dtypes has it) → the type of same size it travels as.
STORAGE = {
    "bfloat16": np.uint16,
    "float8_e4m3fn": np.uint8,
    "float8_e4m3fnuz": np.uint8,
    "float8_e5m2": np.uint8,
    "float8_e5m2fnuz": np.uint8,
}


@dataclass(frozen=True)
class RawTensor:
    """A tensor of a type that numpy lacks, as its bits."""

    bits: Array
    dtype: str


def write_values(folder: Path, values: Mapping[str, Value]) -> None:
    """Write named values into a new folder."""
    folder.mkdir()
    arrays: dict[str, Array] = {}
    document = {name: _encode(value, arrays) for name, value in values.items()}
    with (folder / "arrays.npz").open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    (folder / "values.json").write_text(json.dumps(document), encoding="utf-8")


def read_values(folder: Path) -> dict[str, Value]:
    """Read what `write_values` wrote; types that numpy lacks come as `RawTensor`."""
    document = json.loads((folder / "values.json").read_text(encoding="utf-8"))
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        return {name: _decode(record, arrays) for name, record in document.items()}


def _encode(value: Value, arrays: dict[str, Array]) -> dict[str, Any]:
    if isinstance(value, list | tuple):
        return {"kind": "list", "items": [_encode(item, arrays) for item in value]}
    if isinstance(value, Mapping):
        items = [_encode(item, arrays) for item in value.values()]
        return {"kind": "map", "keys": [_plain(key) for key in value], "items": items}
    if value is None or isinstance(value, str | int | float):
        return {"kind": "scalar", "value": value}
    if isinstance(value, RawTensor):
        return _encode_tensor(value.bits, value.dtype, arrays)
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        texts = [_text(item) for item in array.ravel().tolist()]
        return {"kind": "strings", "shape": array.shape, "items": texts}
    if array.dtype.name in STORAGE:
        return _encode_tensor(array.view(STORAGE[array.dtype.name]), array.dtype.name, arrays)
    return _encode_tensor(array, "", arrays)


def _encode_tensor(array: Array, dtype: str, arrays: dict[str, Array]) -> dict[str, Any]:
    key = f"a{len(arrays)}"
    arrays[key] = array
    return {"kind": "tensor", "array": key, "dtype": dtype}


def _decode(record: dict[str, Any], arrays: Mapping[str, Array]) -> Value:
    kind = record["kind"]
    if kind == "list":
        return [_decode(item, arrays) for item in record["items"]]
    if kind == "map":
        items = (_decode(item, arrays) for item in record["items"])
        return dict(zip(record["keys"], items, strict=True))
    if kind == "scalar":
        return record["value"]
    if kind == "strings":
        return np.array(record["items"], dtype=object).reshape(record["shape"])
    array = arrays[record["array"]]
    return RawTensor(array, record["dtype"]) if record["dtype"] else array


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


def _text(item: Any) -> str:
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
