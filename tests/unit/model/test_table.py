"""The columnar table: values, captures, order, cycles, use."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.model.table import NodeFlag, ValueKind
from onnxlab.testing import build, chain, with_function_twice, with_if, with_loop


def flags(model: Model) -> list[NodeFlag]:
    return [NodeFlag(flag) for flag in model.table.node_flags.tolist()]


def model_of(*nodes: onnx.NodeProto, outputs: tuple[str, ...] = ("y",)) -> Model:
    return load(build(nodes, inputs={"x": [2]}, outputs=outputs))


def test_a_captured_value_is_the_outer_row() -> None:
    model = load(with_if())
    outer = model.value_row(":h")
    assert model.table.inputs(model.row("3/then_branch/0")).tolist() == [outer]
    assert model.table.value_producer[outer] == 0


def test_a_function_body_sees_nothing_from_outside() -> None:
    leak = helper.make_function(
        "d", "F", ["a"], ["b"], [helper.make_node("Add", ["a", "x"], ["b"])], []
    )
    proto = build(
        [helper.make_node("F", ["x"], ["y"], domain="d")],
        inputs={"x": [1]},
        outputs=["y"],
        functions=[leak],
    )
    model = load(proto)
    row = model.table.inputs(1)[1]
    assert model.table.value_kind[row] == ValueKind.UNDEFINED
    assert model.value_address(int(row)) == "0/ƒ:x"


def test_omitted_inputs_and_outputs_share_no_value() -> None:
    model = model_of(
        helper.make_node("Clip", ["x", "", "x"], ["c"]),
        helper.make_node("Unique", ["c"], ["y", "", "inverse"]),
    )
    assert model.table.inputs(0)[1] == -1
    assert model.table.outputs(1)[1] == -1
    assert "" not in list(model.values.name)


def test_an_initializer_that_is_an_input_needs_no_feeding() -> None:
    proto = build(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        inputs={"x": [2], "w": [2]},
        outputs=["y"],
        initializers={"w": np.ones(2, np.float32)},
    )
    model = load(proto)
    assert list(model.inputs.name) == ["x"]
    assert list(model.outputs.name) == ["y"]
    assert model.values.loc[":w", "kind"] == "initializer"


def test_flags_what_stands_too_early() -> None:
    model = model_of(
        helper.make_node("Neg", ["b"], ["y"]),
        helper.make_node("Abs", ["a"], ["b"]),
        helper.make_node("Relu", ["x"], ["a"]),
    )
    assert flags(model) == [NodeFlag.UNSORTED, NodeFlag.UNSORTED, NodeFlag(0)]


def test_flags_the_nodes_of_a_cycle_and_no_others() -> None:
    model = model_of(
        helper.make_node("Add", ["x", "b"], ["a"]),
        helper.make_node("Abs", ["a"], ["b"]),
        helper.make_node("Neg", ["b"], ["y"]),
    )
    assert [NodeFlag.IN_CYCLE in flag for flag in flags(model)] == [True, True, False]
    itself = model_of(helper.make_node("Abs", ["y"], ["y"]))
    assert NodeFlag.IN_CYCLE in flags(itself)[0]


def test_a_cycle_through_a_body_is_found() -> None:
    out = helper.make_tensor_value_info("o", TensorProto.FLOAT, [2])
    body = helper.make_graph([helper.make_node("Relu", ["late"], ["o"])], "b", [], [out])
    model = model_of(
        helper.make_node("If", ["x"], ["y"], then_branch=body, else_branch=body),
        helper.make_node("Neg", ["y"], ["late"]),
    )
    cyclic = [NodeFlag.IN_CYCLE in flag for flag in flags(model)]
    assert cyclic == [True, True, False, False]


def test_a_long_backward_chain_takes_no_recursion() -> None:
    proto = chain(20_000)
    nodes = list(reversed(proto.graph.node))
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    assert all(NodeFlag.UNSORTED in flag for flag in flags(load(proto))[:-1])


def test_flags_what_reaches_no_output() -> None:
    model = model_of(
        helper.make_node("Relu", ["x"], ["y"]),
        helper.make_node("Neg", ["x"], ["dead"]),
        helper.make_node("Abs", ["dead"], ["dead2"]),
    )
    assert [NodeFlag.UNUSED in flag for flag in flags(model)] == [False, True, True]
    for proto in (with_if(), with_loop(), with_function_twice()):
        assert not any(NodeFlag.UNUSED in flag for flag in flags(load(proto)))


def test_names_that_are_not_utf8_stay_distinct() -> None:
    data = chain(2).SerializeToString()
    data = data.replace(b"n0", b"\xff\xfe").replace(b"n1", b"\xff\xfd")
    assert list(load(data).nodes.name) == ["\\xff\\xfe", "\\xff\\xfd"]


def test_marks_unknown_operators_alone() -> None:
    model = model_of(
        helper.make_node("FusedMatMul", ["x", "x"], ["a"], domain="com.microsoft"),
        helper.make_node("Mystery", ["a"], ["b"]),
        helper.make_node("Relu", ["b"], ["y"], domain="ai.onnx"),
    )
    assert [NodeFlag.UNKNOWN_OP in flag for flag in flags(model)] == [False, True, False]


def test_types_are_shown_as_in_the_docstring() -> None:
    types = {
        "a": helper.make_tensor_type_proto(TensorProto.FLOAT, [1, "n+1", None, -1]),
        "b": helper.make_tensor_type_proto(TensorProto.INT64, []),
        "c": helper.make_tensor_type_proto(TensorProto.BFLOAT16, None),
        "d": helper.make_sequence_type_proto(
            helper.make_tensor_type_proto(TensorProto.FLOAT16, [3])
        ),
        "e": helper.make_map_type_proto(
            TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, [])
        ),
        "f": helper.make_tensor_type_proto(TensorProto.INT4, [5]),
        "g": helper.make_tensor_type_proto(TensorProto.FLOAT, [0, 3]),
    }
    infos = [helper.make_value_info(name, proto) for name, proto in types.items()]
    graph = helper.make_graph([], "g", infos, [])
    model = load(helper.make_model(graph, ir_version=8))
    shown = list(zip(model.values.dtype, model.values["shape"], strict=True))
    assert shown == [
        ("f32", "1×n+1×?×?"),
        ("i64", "[]"),
        ("bf16", ""),
        ("seq(f16)", "3"),
        ("map(i64, f32)", "[]"),
        ("i4", "5"),
        ("f32", "0×3"),
    ]
    assert model.table.value_size_bytes.tolist() == [-1, 8, -1, -1, -1, 3, 0]


def test_absurd_dimensions_cost_nothing() -> None:
    dims = [2**62] * 60
    tensor = TensorProto(name="w", data_type=1, dims=dims)
    graph = helper.make_graph([], "g", [], [], [tensor])
    model = load(helper.make_model(graph, ir_version=8))
    assert model.table.value_size_bytes[0] > 1e200
    assert model.parameter_count == 0


def test_dimensions_that_the_data_do_not_fill_count_for_nothing() -> None:
    tensor = TensorProto(name="w", data_type=1, dims=[2**40], raw_data=bytes(5000))
    graph = helper.make_graph([], "g", [], [], [tensor])
    assert load(helper.make_model(graph, ir_version=8)).parameter_count == 0
