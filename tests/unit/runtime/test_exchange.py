from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np

from onnxlab.runtime.child.exchange import RawTensor, read_values, write_values


def test_values_of_every_kind_come_back(tmp_path: Path) -> None:
    values = {
        "../odd\n": np.arange(6).reshape(2, 3),
        "scalar": np.float32(2.5),
        "flags": np.array([True, False]),
        "strings": np.array([["a", "ü"], ["", "\ud800"]], dtype=object),
        "bytes": np.array([b"ab", b"\xff"], dtype=object),
        "list": [np.ones(2), {1: 0.5, 2: float("nan")}, None],
        "map": {"a": np.zeros(1), "b": "text"},
    }
    write_values(tmp_path / "v", values)
    back = read_values(tmp_path / "v")
    assert list(back) == list(values)
    assert back["../odd\n"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back["scalar"].dtype == np.float32
    assert back["flags"].dtype == np.bool_
    assert back["strings"].tolist() == [["a", "ü"], ["", "\ud800"]]
    assert back["bytes"].tolist() == ["ab", "\N{REPLACEMENT CHARACTER}"]
    assert back["list"][1][1] == 0.5
    assert back["list"][2] is None
    assert back["map"]["b"] == "text"


def test_a_type_that_numpy_lacks_travels_as_its_bits(tmp_path: Path) -> None:
    value = np.array([1, 2], dtype=ml_dtypes.bfloat16)
    write_values(tmp_path / "v", {"x": value})
    back = read_values(tmp_path / "v")["x"]
    assert isinstance(back, RawTensor)
    assert (back.dtype, back.bits.dtype) == ("bfloat16", np.uint16)
    assert (back.bits.view(ml_dtypes.bfloat16) == value).all()
