"""Opening models and refusing what is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from onnxlab.errors import FileChanged, ModelError
from onnxlab.model.load import load
from onnxlab.testing import mlp


def test_opens_a_path_its_bytes_and_its_proto_alike(tmp_path: Path) -> None:
    proto = mlp(layers=3, width=64)
    path = tmp_path / "mlp.onnx"
    onnx.save(proto, path)
    opened = [load(path), load(str(path)), load(path.read_bytes()), load(proto)]
    assert [m.name for m in opened] == ["mlp.onnx", "mlp.onnx", "g", "g"]
    for model in opened:
        assert model.table.node_count == 6
        weight = onnx.numpy_helper.to_array(proto.graph.initializer[0])
        np.testing.assert_array_equal(model.read_tensor("w0"), weight)


def test_says_that_a_file_changed(tmp_path: Path) -> None:
    path = tmp_path / "mlp.onnx"
    onnx.save(mlp(width=64), path)
    model = load(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileChanged, match=r"mlp\.onnx changed since it was opened: load it again"):
        model.read_tensor("w0")
    path.unlink()
    with pytest.raises(FileChanged, match="is gone"):
        model.check_unchanged()


def test_refuses_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not exist"):
        load(tmp_path / "nothing.onnx")
    with pytest.raises(ModelError, match="is a directory"):
        load(tmp_path)
