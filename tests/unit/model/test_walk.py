"""The order of graphs, and where following calls ends."""

from __future__ import annotations

from onnx import helper

from onnxlab.model.load import load
from onnxlab.model.table import GraphKind
from onnxlab.model.walk import MAX_EXPANDED_NODES, iter_graphs, walk_graphs
from onnxlab.testing import build, with_function_twice, with_if


def test_graphs_come_in_pre_order_with_contiguous_rows() -> None:
    visits = list(iter_graphs(with_if()))
    assert [(v.kind, v.owner, v.attribute) for v in visits] == [
        (GraphKind.MAIN, -1, ""),
        (GraphKind.BODY, 3, "else_branch"),
        (GraphKind.BODY, 3, "then_branch"),
    ]
    assert [(v.row, v.first_node, v.node_count) for v in visits] == [
        (0, 0, 4),
        (1, 4, 1),
        (2, 5, 1),
    ]


def test_a_function_is_instantiated_per_call() -> None:
    visits = list(iter_graphs(with_function_twice()))
    assert [(v.owner, v.function_key, v.first_node) for v in visits[1:]] == [
        (0, ("local", "Act", ""), 2),
        (1, ("local", "Act", ""), 4),
    ]


def test_recursion_ends_at_the_first_repeated_call() -> None:
    functions = [
        helper.make_function(
            "d", name, ["a"], ["b"], [helper.make_node(other, ["a"], ["b"], domain="d")], []
        )
        for name, other in (("F", "G"), ("G", "F"))
    ]
    proto = build(
        [helper.make_node("F", ["x"], ["y"], domain="d")],
        inputs={"x": [1]},
        outputs=["y"],
        functions=functions,
        domains={"d": 1},
    )
    walk = walk_graphs(proto)
    assert len(walk.visits) == 3
    assert walk.recursive_calls == (2,)
    assert load(proto).nodes.index[2] == "0/ƒ/0/ƒ/0"


def test_functions_that_double_at_each_level_are_bounded() -> None:
    functions = []
    for level in range(40):
        inner = f"F{level + 1}" if level < 39 else "Relu"
        domain = "d" if level < 39 else ""
        nodes = [
            helper.make_node(inner, ["a"], ["t"], domain=domain),
            helper.make_node(inner, ["t"], ["b"], domain=domain),
        ]
        functions.append(helper.make_function("d", f"F{level}", ["a"], ["b"], nodes, []))
    proto = build(
        [helper.make_node("F0", ["x"], ["y"], domain="d")],
        inputs={"x": [1]},
        outputs=["y"],
        functions=functions,
        domains={"d": 1},
    )
    walk = walk_graphs(proto)
    assert walk.unexpanded_calls
    assert walk.node_count < 2 * MAX_EXPANDED_NODES
