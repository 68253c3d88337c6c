"""External data: inside the model's folder, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlab.errors import ModelError
from onnxlab.model.load import load

VALUES = np.arange(16, dtype=np.float32)


def save(path: Path, **entries: str) -> Path:
    tensor = TensorProto(name="w", data_type=1, dims=[16], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    graph = helper.make_graph([], "g", [], [], [tensor])
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, ir_version=8), path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "model"
    (inside / "sub").mkdir(parents=True)
    data = b"pad!" + VALUES.tobytes() + b"rest"
    (inside / "w.bin").write_bytes(data)
    (inside / "sub" / "w.bin").write_bytes(data)
    (tmp_path / "secret.bin").write_bytes(data)
    return inside


@pytest.mark.parametrize("location", ["w.bin", "sub/w.bin", "./w.bin"])
@pytest.mark.parametrize("length", ["64", None])
def test_reads_at_an_offset(folder: Path, location: str, length: str | None) -> None:
    entries = {"location": location, "offset": "4", **({"length": length} if length else {})}
    model = load(save(folder / "m.onnx", **entries))
    np.testing.assert_array_equal(model.read_tensor("w"), VALUES)
    assert model.initializers.storage.tolist() == ["external"]
    assert model.parameter_count == 16


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("../secret.bin", "outside of the model's folder"),
        ("sub/../../secret.bin", "outside of the model's folder"),
        ("..\\secret.bin", "outside of the model's folder"),
        ("/etc/passwd", "must have a relative path"),
        ("C:\\secret.bin", "must have a relative path"),
        ("C:secret.bin", "outside of the model's folder"),
        ("w.bin\0.txt", "outside of the model's folder"),
        ("link.bin", "a link out of the model's folder"),
        ("linked/secret.bin", "a link out of the model's folder"),
        ("nope.bin", "is missing"),
        ("sub", "is missing"),
        ("", "names no file"),
    ],
)
def test_refuses_other_places(folder: Path, location: str, message: str) -> None:
    (folder / "link.bin").symlink_to(folder.parent / "secret.bin")
    (folder / "linked").symlink_to(folder.parent)
    model = load(save(folder / "m.onnx", location=location, offset="4", length="64"))
    with pytest.raises(ModelError, match=message):
        model.read_tensor("w")
    assert model.parameter_count == 0


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": "5000"}, "end at byte 5,064 of 'w.bin', which has 72"),
        ({"offset": "12"}, "end at byte 76"),
        ({"offset": "4", "length": "60"}, "needs 64 bytes as f32 but holds 60"),
        ({"offset": "-4"}, "has the offset '-4'"),
        ({"offset": "1e9"}, "has the offset '1e9'"),
        ({"offset": "9" * 30}, "has the offset"),
    ],
)
def test_refuses_other_bytes(folder: Path, entries: dict[str, str], message: str) -> None:
    model = load(save(folder / "m.onnx", location="w.bin", **entries))
    with pytest.raises(ModelError, match=message):
        model.read_tensor("w")


def test_follows_links_within_a_cache_of_blobs(folder: Path) -> None:
    """As in a Hugging Face cache: the model and its data are links into one folder of blobs."""
    blobs, snapshot = folder / "blobs", folder / "snapshots" / "1"
    save(blobs / "aaa", location="m.onnx.data", offset="4")
    (folder / "w.bin").rename(blobs / "bbb")
    snapshot.mkdir(parents=True)
    (snapshot / "m.onnx").symlink_to("../../blobs/aaa")
    (snapshot / "m.onnx.data").symlink_to("../../blobs/bbb")
    np.testing.assert_array_equal(load(snapshot / "m.onnx").read_tensor("w"), VALUES)


def test_bytes_have_no_folder(folder: Path) -> None:
    data = save(folder / "m.onnx", location="w.bin").read_bytes()
    with pytest.raises(ModelError, match="load the model by its path"):
        load(data).read_tensor("w")
