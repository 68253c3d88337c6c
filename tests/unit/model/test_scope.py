"""The hierarchy of scopes, from each kind of evidence."""

from __future__ import annotations

import onnx
from onnx import helper

from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.model.table import ScopeKind
from onnxlab.testing import build, with_function_twice, with_if, with_loop


def named(*names: str, outputs: bool = False) -> Model:
    values = ["x", *(f"v{i}" for i in range(len(names) - 1)), "y"]
    if outputs:
        values[1:-1] = names[:-1]
    nodes = [
        helper.make_node("Relu", [values[i]], [values[i + 1]], "" if outputs else name)
        for i, name in enumerate(names)
    ]
    return load(build(nodes, inputs={"x": [1]}, outputs=["y"]))


def with_metadata(**metadata: str) -> onnx.ModelProto:
    node = helper.make_node("Relu", ["x"], ["y"], "/else/where/node")
    for key, value in metadata.items():
        node.metadata_props.add(key=key.replace("__", "."), value=value)
    return build([node], inputs={"x": [1]}, outputs=["y"])


def test_paths_in_node_names() -> None:
    model = named("/layer1/layer1.0/conv/Conv", "head/fc", "plain", "/top")
    assert list(model.nodes.scope) == ["layer1/layer1.0/conv", "head", "", ""]


def test_names_joined_by_semicolons_give_the_first() -> None:
    assert list(named("net/conv/BiasAdd;net/conv/Conv2D", "b").nodes.scope) == ["net/conv", ""]


def test_dots_count_only_where_they_are_clearly_paths() -> None:
    dotted = named("enc.fc1.mm", "enc.fc1.add", "enc.fc2.mm", "dec.mm", "end")
    assert list(dotted.nodes.scope) == ["enc/fc1", "enc/fc1", "enc/fc2", "dec", ""]
    numbered = named("Conv_0.1", "Relu.2", "Pool.3", "Gemm.4")
    assert set(numbered.nodes.scope) == {""}


def test_paths_in_value_names_help_unnamed_nodes() -> None:
    model = named("/a/b/Relu_output_0", "/a/Neg_output_0", "end", outputs=True)
    assert list(model.nodes.scope) == ["a/b", "a", ""]


def test_exporter_metadata_goes_first() -> None:
    scopes = "['', 'encoder', 'encoder.layers.0', 'encoder.layers.0.fc', 'linear']"
    model = load(with_metadata(pkg__torch__onnx__name_scopes=scopes))
    assert list(model.nodes.scope) == ["encoder/layers.0/fc"]
    namespace = ": M/encoder: Enc/encoder.fc: torch.nn.Linear/linear: aten.linear.default"
    assert list(load(with_metadata(namespace=namespace)).nodes.scope) == ["encoder/fc"]


def test_the_exporters_false_scope_is_left_out() -> None:
    scopes = "['', '_empty_nn_module_stack_from_metadata_hook', 'op']"
    assert list(load(with_metadata(pkg__torch__onnx__name_scopes=scopes)).nodes.scope) == [""]


def test_hostile_metadata_is_passed_over() -> None:
    for literal in ("__import__('os')", "[" * 5000, "{'a': 1}", "[1]", "['a'", "x" * 100_000):
        model = load(with_metadata(pkg__torch__onnx__name_scopes=literal))
        assert list(model.nodes.scope) == ["else/where"]


def test_nodes_with_bodies_are_scopes() -> None:
    branches = list(load(with_if()).nodes.scope)[4:]
    assert branches == ["choose/else_branch/else", "choose/then_branch/then"]
    assert list(load(with_loop()).nodes.scope)[2:] == ["loop", "loop"]
    calls = load(with_function_twice())
    assert list(calls.nodes.scope)[2:] == ["call1", "call1", "call2", "call2"]
    table = calls.table
    assert table.scope_node[table.scope_kind == ScopeKind.NODE].tolist() == [0, 1]


def test_a_body_does_not_repeat_its_owners_path() -> None:
    body = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["o"], "/net/inner/Relu")],
        "b",
        [],
        [helper.make_tensor_value_info("o", 1, [1])],
    )
    nodes = [helper.make_node("Loop", ["", "", "x"], ["y"], "/net/loop", body=body)]
    model = load(build(nodes, inputs={"x": [1]}, outputs=["y"]))
    assert list(model.nodes.scope) == ["net", "net/loop/inner"]


def test_a_name_can_be_a_node_and_a_scope() -> None:
    model = named("a", "a/b", "a/b/c")
    assert list(model.nodes.scope) == ["", "a", "a/b"]


def test_parents_come_first_and_depth_is_bounded() -> None:
    model = named("/".join(["deep"] * 500), "x/y/z", "end")
    table = model.table
    assert (table.scope_parent[1:] < range(1, len(table.scope_parent))).all()
    assert max(path.count("/") for path in model.nodes.scope) < 40
