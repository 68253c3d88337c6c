"""How long opening takes: 100,000 nodes, and gigabytes of weights that are not read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sparse_models import write_external, write_inline

from onnxlab.model.load import load
from onnxlab.model.skeleton import read_skeleton
from onnxlab.model.source import FileSource
from onnxlab.testing import build
from onnxlab.wire.build import encode, view_document

NODES = 100_000


@pytest.fixture(scope="module")
def many_nodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100,000 nodes in 10,000 scopes, with 10,000 weights of 8 kB."""
    nodes = [
        onnx.NodeProto(
            op_type="Add",
            name=f"/layer.{i // 100}/block.{i // 10}/Add_{i}",
            input=[f"v{i}", f"w{i // 10}"],
            output=[f"v{i + 1}"],
        )
        for i in range(NODES)
    ]
    weights = {f"w{i}": np.zeros(2_000, np.float32) for i in range(NODES // 10)}
    model = build(nodes, inputs={"v0": [2_000]}, outputs=[f"v{NODES}"], initializers=weights)
    for i in range(NODES):
        value = onnx.helper.make_tensor_value_info(f"v{i}", 1, [2_000])
        model.graph.value_info.append(value)
    path = tmp_path_factory.mktemp("bench") / "many.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_skeleton_of_100k_nodes(benchmark: BenchmarkFixture, many_nodes: Path) -> None:
    def read() -> int:
        with FileSource.open(many_nodes) as source:
            return len(read_skeleton(source).payloads)

    assert benchmark(read) == NODES // 10


def test_load_100k_nodes(benchmark: BenchmarkFixture, many_nodes: Path) -> None:
    assert benchmark(load, many_nodes).table.node_count == NODES


def test_document_of_100k_nodes(benchmark: BenchmarkFixture, many_nodes: Path) -> None:
    def first_drawing() -> int:
        return len(encode(view_document(load(many_nodes))))

    assert benchmark(first_drawing) > 1_000_000


def test_load_2_gb_inline(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    path = tmp_path / "inline.onnx"
    write_inline(path, tensors=300, tensor_bytes=7_000_000)
    assert benchmark(load, path).table.node_count == 300


def test_load_3_gib_external(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    path = tmp_path / "external.onnx"
    write_external(path, tensors=300, tensor_bytes=(3 * 2**30) // 1200 * 4)
    assert benchmark(load, path).table.node_count == 300
