"""One clear line for every file that is no readable model."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from onnxlab.errors import ModelError
from onnxlab.model.load import load
from onnxlab.model.wire_format import BYTES, varint
from onnxlab.testing import mlp


def zip_bytes() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data.pkl", "x")
    return buffer.getvalue()


def npy_bytes() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


def safetensors_bytes() -> bytes:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    return len(header).to_bytes(8, "little") + header + b"\0\0\0\0"


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 1234\n"

FILES = {
    "empty": (b"", "is an empty file"),
    "text": (b'ir_version: 8\ngraph {\n  name: "g"\n}\n', "is a text file"),
    "unicode text": (("Это не модель. " * 400).encode(), "is a text file"),
    "json": (b'{"a": 1}', "is a JSON text"),
    "html": (b"<!DOCTYPE html><html><body>404</body></html>", "is an HTML page"),
    "lfs": (LFS, "is a Git LFS pointer"),
    "ort": (b"\x18\0\0\0ORTM" + bytes(50), r"is an ONNX Runtime \(\.ort\) file"),
    "tflite": (b"\x1c\0\0\0TFL3" + bytes(50), "is a TensorFlow Lite model"),
    "zip": (zip_bytes(), "is a zip archive"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "is an HDF5 file"),
    "pickle": (pickle.dumps({"a": 1}), "is a Python pickle"),
    "npy": (npy_bytes(), "is a NumPy array"),
    "gzip": (b"\x1f\x8b\x08" + bytes(30), "is a gzip archive"),
    "gguf": (b"GGUF" + bytes(30), "is a GGUF model"),
    "profile": (b"ONNXPROF" + bytes(30), "is a saved profile, not an ONNX model: open it with"),
    "safetensors": (safetensors_bytes(), "is a safetensors file"),
    "zeros": (bytes(5000), "bytes that begin with zeros"),
    "random": (random.Random(1).randbytes(5000), "is not an ONNX model"),
    "no graph": (onnx.ModelProto(ir_version=8).SerializeToString(), "holds no graph"),
    "a tensor": (onnx.numpy_helper.from_array(np.zeros(9)).SerializeToString(), "no ONNX model"),
}


@pytest.mark.parametrize(("data", "message"), FILES.values(), ids=FILES)
def test_names_what_it_is_instead(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message) as raised:
        load(path)
    assert str(raised.value).startswith("model.onnx is ")
    assert "\n" not in str(raised.value)


def test_says_where_a_truncated_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "cut.onnx"
    path.write_bytes(mlp(width=64).SerializeToString()[:20_000])
    with pytest.raises(ModelError, match=r"cut\.onnx is truncated: it ends at byte 20,000"):
        load(path)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_damaged_model_opens_or_gives_one_line(data: st.DataObject) -> None:
    original = bytearray(mlp(width=40).SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        original[data.draw(st.integers(0, len(original) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(original)))
    try:
        model = load(bytes(original[:cut] if data.draw(st.booleans()) else original))
    except ModelError:
        return
    assert len(model.nodes) == model.table.node_count
    _ = (model.initializers, model.summary, model.lint(checker=False))


@pytest.mark.parametrize("padding", ["", "x" * 5000])
def test_says_that_graphs_are_nested_too_deep(padding: str) -> None:
    # Spelled out, since protobuf cannot build what it cannot parse.
    data = onnx.GraphProto(name=padding or "g").SerializeToString()
    for _ in range(40):
        for number in (6, 5, 1):  # attribute.g, node.attribute, graph.node
            data = varint(number << 3 | BYTES) + varint(len(data)) + data
    data = b"\x08\x08" + varint(7 << 3 | BYTES) + varint(len(data)) + data
    with pytest.raises(ModelError, match="nests graphs deeper than protobuf can read"):
        load(data)


def test_opens_ifs_nested_as_deep_as_protobuf_reads() -> None:
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [], [])
    for _ in range(30):
        node = helper.make_node("If", ["c"], ["y"], then_branch=graph)
        graph = helper.make_graph([node], "g", [], [])
    model = load(onnx.ModelProto(ir_version=8, graph=graph).SerializeToString())
    assert model.table.node_count == 31


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_says_that_permission_is_denied(tmp_path: Path) -> None:
    path = tmp_path / "secret.onnx"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(ModelError, match="permission denied"):
        load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_does_not_wait_on_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe.onnx"
    os.mkfifo(path)
    with pytest.raises(ModelError, match="is not a regular file"):
        load(path)


def test_refuses_what_is_no_source() -> None:
    with pytest.raises(TypeError, match="load takes a path"):
        load(3)  # type: ignore[arg-type]
