"""Addresses of nodes and values, there and back."""

from __future__ import annotations

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from onnxlab.model.load import load
from onnxlab.testing import build, chain, with_function_twice, with_if, with_loop

names = st.text(max_size=4).filter(lambda s: "\udcff" not in s) | st.sampled_from(
    ["", "/", ":", "~2", "ƒ", "a/b", "%2F", "a:b", "0", "y"]
)


@st.composite
def graphs(draw: st.DrawFn, depth: int) -> onnx.GraphProto:
    graph = onnx.GraphProto(name=draw(names))
    for _ in range(draw(st.integers(0, 3))):
        node = graph.node.add(op_type=draw(st.sampled_from(["Relu", "F", "G"])), domain="")
        node.input.extend(draw(st.lists(names, max_size=2)))
        node.output.extend(draw(st.lists(names, max_size=2)))
        for _ in range(draw(st.integers(0, 2)) if depth else 0):
            body = draw(graphs(depth - 1))
            attribute = node.attribute.add(name=draw(names))
            if draw(st.booleans()):
                attribute.type = onnx.AttributeProto.GRAPH
                attribute.g.CopyFrom(body)
            else:
                attribute.type = onnx.AttributeProto.GRAPHS
                attribute.graphs.extend([body, body])
    graph.output.extend([onnx.ValueInfoProto(name=draw(names))])
    return graph


@st.composite
def models(draw: st.DrawFn) -> onnx.ModelProto:
    model = onnx.ModelProto(ir_version=8, graph=draw(graphs(2)))
    for name in ("F", "G"):
        if draw(st.booleans()):
            function = model.functions.add(name=name, domain="", overload=draw(names))
            function.node.extend(draw(graphs(1)).node)
            function.input.extend(draw(st.lists(names, max_size=2)))
            function.output.extend(draw(st.lists(names, max_size=2)))
    return model


@settings(max_examples=200, deadline=None)
@given(models())
def test_every_row_has_an_address_of_its_own(proto: onnx.ModelProto) -> None:
    model = load(proto)
    nodes = [model.address(row) for row in range(model.table.node_count)]
    values = [model.value_address(row) for row in range(model.table.value_count)]
    assert len(set(nodes)) == len(nodes)
    assert len(set(values)) == len(values)
    assert [model.row(address) for address in nodes] == list(range(len(nodes)))
    assert [model.value_row(address) for address in values] == list(range(len(values)))
    assert list(model.nodes.index) == nodes
    assert model.addresses.values() == values


def test_bodies_and_functions_have_readable_addresses() -> None:
    branches = load(with_if())
    assert [branches.address(row) for row in range(4, 6)] == ["3/else_branch/0", "3/then_branch/0"]
    assert branches.value_row("3/then_branch:then_y") >= 0
    calls = load(with_function_twice())
    assert [calls.address(row) for row in range(2, 6)] == ["0/ƒ/0", "0/ƒ/1", "1/ƒ/0", "1/ƒ/1"]
    loop = load(with_loop())
    assert [loop.address(row) for row in range(4)] == ["0", "1", "1/body/0", "1/body/1"]


def test_a_function_that_nobody_calls_has_one() -> None:
    function = helper.make_function(
        "my.dom", "F", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], []
    )
    proto = build(
        [helper.make_node("Relu", ["x"], ["y"])],
        inputs={"x": [1]},
        outputs=["y"],
        functions=[function],
    )
    assert load(proto).address(1) == "ƒ/my.dom/F/0"


@pytest.mark.parametrize("address", ["", "-1", "01", "3", "0/body/0", "9" * 5000, "²", "x", "0/"])
def test_refuses_an_address_that_no_node_has(address: str) -> None:
    with pytest.raises(ValueError, match="no node has the address"):
        load(chain(3)).row(address)


def test_rows_out_of_range_are_index_errors() -> None:
    model = load(chain(3))
    for row in (-1, 3):
        with pytest.raises(IndexError, match="the model has 3"):
            model.address(row)
    with pytest.raises(ValueError, match="no value has the address"):
        model.value_row(":ghost")
