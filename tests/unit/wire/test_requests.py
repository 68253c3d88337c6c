"""Requests of a view and their answers."""

from __future__ import annotations

import msgspec
import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from onnxlab import testing
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.testing import build
from onnxlab.wire import requests
from onnxlab.wire.requests import answer, answer_bytes
from onnxlab.wire.schema import (
    Failure,
    NodeDetail,
    NodeRequest,
    Response,
    ShapeColumns,
    ShapesRequest,
    ValueDetail,
    ValueRequest,
)


def asked(model: Model, request: object) -> Response:
    data = answer_bytes(model, msgspec.msgpack.encode(request))
    return msgspec.msgpack.decode(data, type=Response)


def node(model: Model, address: str = "0") -> NodeDetail:
    detail = asked(model, NodeRequest(node=model.row(address)))
    assert isinstance(detail, NodeDetail), detail
    return detail


def value(model: Model, address: str) -> tuple[ValueDetail, dict[str, str]]:
    detail = asked(model, ValueRequest(value=model.value_row(address)))
    assert isinstance(detail, ValueDetail), detail
    return detail, {entry.key: entry.text for entry in detail.entries}


def one_node(**attributes: object) -> Model:
    made = helper.make_node("Custom", ["x"], ["y"], "n", domain="d", **attributes)
    return load(build([made], inputs={"x": [1]}, outputs=["y"], domains={"d": 1}))


def test_attributes_are_text() -> None:
    body = helper.make_graph([helper.make_node("Relu", ["x"], ["z"])], "inner", [], [])
    sparse = onnx.SparseTensorProto(dims=[3, 3])
    sparse.values.CopyFrom(numpy_helper.from_array(np.ones(2, np.float32)))
    model = one_node(
        f=0.1,
        i=2**63 - 1,
        s="a\x00<b>",
        t=numpy_helper.from_array(np.array([[1.5, 2]], np.float32)),
        g=body,
        floats=[0.1, float("inf"), float("nan")],
        ints=[-(2**63), 1],
        strings=["a", "b\n"],
        sparse=sparse,
        tp=helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 3]),
    )
    shown = {a.name: (a.type, a.text) for a in node(model).attributes}
    assert shown == {
        "f": ("float", "0.1"),
        "i": ("int", "9223372036854775807"),
        "s": ("string", "a\\x00<b>"),
        "t": ("tensor", "f32 1×2 [1.5, 2.0]"),
        "g": ("graph", "graph 'inner' of 1 node"),
        "floats": ("floats", "[0.1, inf, nan]"),
        "ints": ("ints", "[-9223372036854775808, 1]"),
        "strings": ("strings", "['a', 'b\\n']"),
        "sparse": ("sparse_tensor", "sparse f32 3×3, 2 stored"),
        "tp": ("type_proto", "f32 N×3"),
    }


def test_long_attributes_are_cut() -> None:
    model = one_node(s="x" * 100_000, ints=list(range(10**5)), strings=["y" * 5000] * 500)
    for attribute in node(model).attributes:
        assert len(attribute.text) <= 2_000
        assert "…" in attribute.text[-25:]


def test_references_are_followed_to_the_call() -> None:
    model = load(testing.with_function_twice())
    assert node(model, "0/ƒ/0").attributes[0].text == "0.5 (from the function's attribute slope)"
    second = node(model, "1/ƒ/0").attributes[0]
    assert second.text == "0.25 (from the function's attribute slope by default)"


def test_an_attribute_of_an_unknown_kind_is_said_to_be() -> None:
    model = one_node(a=1)
    model.proto.graph.node[0].attribute[0].ClearField("type")
    assert node(model).attributes[0].type == "undefined"
    assert isinstance(AttributeProto().type, int)


def test_schema_docs_are_one_plain_paragraph() -> None:
    doc = node(load(testing.conv_relu())).schema_doc
    assert doc.startswith("The convolution operator consumes an input tensor and a filter")
    assert "\n" not in doc


def test_statistics_of_a_weight() -> None:
    array = np.array([0, 1, -3, np.nan, np.inf, 1e-40], np.float32)
    made = helper.make_node("Add", ["x", "w"], ["y"])
    model = load(build([made], inputs={"x": [6]}, outputs=["y"], initializers={"w": array}))
    detail, entries = value(model, ":w")
    assert entries["dtype"] == "f32"
    assert entries["stored"] == "in the file"
    assert (entries["minimum"], entries["maximum"]) == ("-3", "1")
    assert entries["NaN"].startswith("1 (")
    assert entries["infinite"].startswith("1 (")
    assert entries["zeros"].startswith("1 (")
    assert entries["denormal"].startswith("1 (")
    assert detail.preview == "[0.0, 1.0, -3.0, nan, inf, 1e-40]"


def test_where_a_value_comes_from() -> None:
    model = load(testing.conv_relu())
    _, entries = value(model, ":c")
    assert entries["from"] == "Conv conv"
    assert entries["shape"] == "unknown rank"
    asked(model, ShapesRequest())
    _, entries = value(model, ":c")
    assert entries["shape"] == "1×8×8×8"
    assert entries["size"] == "2.05 kB"


def test_strings_and_low_bit_types_have_previews() -> None:
    strings = TensorProto(name="s", data_type=8, dims=[2], string_data=[b"a<b>", b"\x00\xff"])
    packed = TensorProto(name="p", data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\x0f")
    graph = helper.make_graph([], "g", [], [], [strings, packed])
    model = load(helper.make_model(graph, ir_version=10))
    assert value(model, ":s")[0].preview == "['a<b>', '\\x00\\xff']"
    assert value(model, ":p")[0].preview == "[1, 2, -1]"


def test_a_weight_that_cannot_be_read_says_why() -> None:
    tensor = TensorProto(name="w", data_type=1, dims=[2**40])
    graph = helper.make_graph([], "g", [], [], [tensor])
    model = load(helper.make_model(graph, ir_version=8))
    assert value(model, ":w")[1]["stored"] == "nowhere: the file holds no data for it"


def test_quantisation_and_density_are_shown() -> None:
    graph = helper.make_graph([], "g", [], [])
    sparse = graph.sparse_initializer.add(dims=[10, 10])
    sparse.values.CopyFrom(numpy_helper.from_array(np.ones(5, np.float32), "s"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.arange(5), "i"))
    annotation = graph.quantization_annotation.add(tensor_name="s")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="scale")
    _, entries = value(load(helper.make_model(graph, ir_version=8)), ":s")
    assert entries["stored elements"] == "5 (0.05 of all)"
    assert entries["quantisation SCALE_TENSOR"] == "scale"


def test_shapes_replace_those_of_the_table() -> None:
    model = load(testing.conv_relu())
    columns = asked(model, ShapesRequest())
    assert isinstance(columns, ShapeColumns)
    assert columns.strings[: len(model.table.strings)] == list(model.table.strings)
    shapes = np.frombuffer(columns.value_shape, "<i4")
    assert columns.strings[shapes[model.value_row(":c")]] == "1×8×8×8"
    assert columns.problem == ""


@pytest.mark.parametrize(
    "request_",
    [
        NodeRequest(node=-1),
        NodeRequest(node=3),
        ValueRequest(value=-1),
        ValueRequest(value=10**9),
        {"type": "delete"},
        {"type": "node", "node": "x"},
        [],
        None,
    ],
)
def test_what_cannot_be_answered_is_a_failure(request_: object) -> None:
    response = asked(load(testing.conv_relu()), request_)
    assert isinstance(response, Failure)
    assert "\n" not in response.message


def test_rubbish_and_bugs_are_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(testing.conv_relu())

    def failure(data: bytes) -> str:
        response = msgspec.msgpack.decode(answer_bytes(model, data), type=Response)
        assert isinstance(response, Failure)
        return response.message

    assert "cannot be read" in failure(b"\xc1\x00")
    assert "a request of 100,000 bytes" in failure(bytes(100_000))

    def bug(*args: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(requests, "node_detail", bug)
    assert "cannot be answered" in failure(msgspec.msgpack.encode(NodeRequest(node=0)))


def test_a_changed_file_is_one_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "m.onnx"
    onnx.save(testing.mlp(width=64), path)
    model = load(path)
    path.write_bytes(path.read_bytes()[:100])
    _, entries = value(model, ":w0")
    assert entries["problem"].endswith("changed since it was opened: load it again")
    assert isinstance(answer(model, NodeRequest(node=0)), NodeDetail)
