"""The model's tables and its one line."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from onnxlab.model.describe import model_entries
from onnxlab.model.frames import count_text, size_text
from onnxlab.model.load import load
from onnxlab.testing import build, conv_relu, mlp, with_function_twice, with_if


def test_summary_is_one_line() -> None:
    model = load(mlp(layers=2))
    assert model.summary.startswith("opset 17 · 4 nodes · 144 parameters · ")
    assert repr(model) == f"<Model g: {model.summary}>"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (9_999, "9,999"),
        (10_000, "10 k"),
        (25_557_032, "25.6 M"),
        (999_499, "999 k"),
        (999_500, "1 M"),
        (7_000_000_000, "7 G"),
    ],
)
def test_counts_have_three_digits(number: int, text: str) -> None:
    assert count_text(number) == text


def test_sizes_have_three_digits() -> None:
    sizes = [size_text(size) for size in (0, 999, 97_500_000, 5_000_000_000_000_000)]
    assert sizes == ["0 B", "999 B", "97.5 MB", "5,000 TB"]


def test_nodes_are_indexed_by_address() -> None:
    nodes = load(conv_relu()).nodes
    assert list(nodes.columns) == [
        "name",
        "op_type",
        "domain",
        "graph",
        "scope",
        "inputs",
        "outputs",
        "parameters",
        "weight_bytes",
    ]
    assert nodes.loc["0", "inputs"] == ("x", "w", "b")
    assert nodes.parameters.tolist() == [8 * 27 + 8, 0, 0]
    assert nodes.weight_bytes.tolist() == [4 * (8 * 27 + 8), 0, 0]


def test_values_say_where_they_come_from() -> None:
    values = load(with_if()).values
    assert values.loc[":h", ["kind", "producer", "users"]].tolist() == ["node output", "0", 2]
    assert values.loc["3/then_branch:then_y", "graph"] == "3/then_branch"


def test_values_have_inferred_shapes() -> None:
    values = load(conv_relu()).values
    assert values.loc[":c", ["dtype", "shape", "size_bytes"]].tolist() == ["f32", "1×8×8×8", 2048]


def test_an_empty_model_has_empty_tables() -> None:
    model = load(build([], inputs={}, outputs=[]))
    for frame in (model.nodes, model.values, model.initializers, model.inputs, model.outputs):
        assert len(frame) == 0
    assert model.summary.startswith("opset 17 · 0 nodes · 0 parameters")


def test_one_parameter_is_singular() -> None:
    bias = np.zeros(1, np.float32)
    node = onnx.helper.make_node("Add", ["x", "b"], ["y"])
    model = load(build([node], inputs={"x": [1]}, outputs=["y"], initializers={"b": bias}))
    assert " · 1 node · 1 parameter · " in model.summary


def test_a_shared_weight_counts_once() -> None:
    model = load(with_function_twice())
    assert model.parameter_count == 0
    proto = mlp(layers=2)
    proto.graph.node[2].input[1] = "w0"
    assert load(proto).nodes.parameters.sum() == 64 + 8 + 8


def test_entries_tell_what_a_panel_needs() -> None:
    proto = with_function_twice()
    proto.metadata_props.add(key="author", value="line\n\x00two")
    proto.training_info.add().algorithm.name = "sgd"
    proto.doc_string = "what it is"
    entries = dict(model_entries(load(proto)))
    assert entries["opset ai.onnx"] == "17"
    assert entries["input x"] == "f32 4"
    assert entries["local functions"] == "1: Act (2 calls)"
    assert entries["training algorithm 0"] == "sgd: 0 nodes"
    assert entries["metadata author"] == "line\n\\x00two"
    assert entries["documentation"] == "what it is"


def test_opens_an_onnx_ir_model() -> None:
    import onnx_ir

    model = load(onnx_ir.from_proto(mlp()))
    assert model.table.node_count == 4


def test_a_model_in_memory_is_copied() -> None:
    proto = mlp()
    model = load(proto)
    proto.graph.node[0].op_type = "Changed"
    assert model.nodes.op_type.iloc[0] == "Gemm"
    assert isinstance(model.proto, onnx.ModelProto)
