"""The models that the browser tests open, made on the spot."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper

OPS = ("Relu", "Neg", "Abs", "Exp", "Tanh")
HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
LONG = "{{7*7}}" + 5_000 * "L"


def chain(*names: str, graph_name: str = "chain") -> ModelProto:
    """Nodes of these names one after the other, with the operators of `OPS` in turn."""
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 4]) for n in ("v0", "y")]
    edges = [f"v{i}" for i in range(len(names))] + ["y"]
    nodes = [
        helper.make_node(OPS[i], [edges[i]], [edges[i + 1]], name=name)
        for i, name in enumerate(names)
    ]
    return _model(nodes, graph_name, values, [])


def hostile() -> ModelProto:
    """Markup wherever a model may put text, some of it longer than any line."""
    model = chain(HOSTILE + LONG, "plain", graph_name=HOSTILE + LONG)
    model.producer_name = HOSTILE
    model.doc_string = HOSTILE
    model.metadata_props.add(key=HOSTILE, value=HOSTILE)
    node = model.graph.node[0]
    node.doc_string = HOSTILE
    node.output[0] = model.graph.node[1].input[0] = HOSTILE
    node.attribute.append(helper.make_attribute(HOSTILE, HOSTILE))
    model.graph.input[0].name = node.input[0] = HOSTILE + LONG
    return model


def save_with_external_hole(path: Path, size_bytes: int) -> None:
    """A MatMul whose weight is a hole of ``size_bytes`` in an external file."""
    columns = size_bytes // 4 // 1024
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1024, columns])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="weights.bin")
    weight.external_data.add(key="length", value=str(1024 * columns * 4))
    _write_hole(path.parent / "weights.bin", b"", 1024 * columns * 4)
    onnx.save(_matmul(weight, columns), path)


def save_with_inline_hole(path: Path, size_bytes: int) -> None:
    """A MatMul whose weight is a hole of ``size_bytes`` inside the model file."""
    columns = size_bytes // 4 // 1024
    length = 1024 * columns * 4
    model = _matmul(TensorProto(), columns)
    del model.graph.initializer[:]
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1024, columns])
    raw_data = _key(9) + _varint(length)
    tensor = weight.SerializeToString() + raw_data
    initializer = _key(5) + _varint(len(tensor) + length) + tensor
    graph = model.graph.SerializeToString() + initializer
    model.ClearField("graph")
    head = model.SerializeToString() + _key(7) + _varint(len(graph) + length) + graph
    _write_hole(path, head, length)


def _matmul(weight: TensorProto, columns: int) -> ModelProto:
    values = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1024]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, columns]),
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="project"),
        helper.make_node("Relu", ["h"], ["y"], name="activate"),
    ]
    return _model(nodes, "large", values, [weight])


def _model(
    nodes: list[NodeProto],
    name: str,
    values: list[onnx.ValueInfoProto],
    initializers: list[TensorProto],
) -> ModelProto:
    graph = helper.make_graph(nodes, name, values[:1], values[1:], initializers)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def _write_hole(path: Path, head: bytes, length: int) -> None:
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + length)


def _key(field: int) -> bytes:
    """The protobuf key of a length-delimited field."""
    return _varint(field << 3 | 2)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
