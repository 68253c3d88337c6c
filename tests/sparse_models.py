"""Models whose weights are holes in a sparse file: gigabytes that take no disk."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

from onnxlab.model.wire_format import BYTES, varint


def write_inline(path: Path, *, tensors: int, tensor_bytes: int) -> None:
    """Write a model whose initializers' ``raw_data`` are holes."""
    model = _model(tensors, tensor_bytes)
    shells = [tensor.SerializeToString() for tensor in model.graph.initializer]
    del model.graph.initializer[:]
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    raw = varint(9 << 3 | BYTES) + varint(tensor_bytes)
    heads = []
    for shell in shells:
        size = len(shell) + len(raw) + tensor_bytes
        heads.append(varint(5 << 3 | BYTES) + varint(size) + shell + raw)
    total = len(graph) + sum(len(head) + tensor_bytes for head in heads)
    with path.open("wb") as file:
        file.write(model.SerializeToString() + varint(7 << 3 | BYTES) + varint(total))
        for head in heads:
            file.write(head)
            file.seek(tensor_bytes, 1)
        file.write(graph)


def write_external(path: Path, *, tensors: int, tensor_bytes: int) -> None:
    """Write a model whose weights are a hole in a second file."""
    model = _model(tensors, tensor_bytes)
    for index, tensor in enumerate(model.graph.initializer):
        tensor.data_location = TensorProto.EXTERNAL
        place = {"location": "weights.bin", "offset": index * tensor_bytes, "length": tensor_bytes}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
    path.write_bytes(model.SerializeToString())
    with (path.parent / "weights.bin").open("wb") as file:
        file.truncate(tensors * tensor_bytes)


def _model(tensors: int, tensor_bytes: int) -> onnx.ModelProto:
    count = tensor_bytes // 4
    names = ["x", *(f"h{i}" for i in range(1, tensors)), "y"]
    nodes = [
        helper.make_node("Add", [names[i], f"w{i}"], [names[i + 1]], f"/block.{i}/Add")
        for i in range(tensors)
    ]
    graph = helper.make_graph(
        nodes,
        "big",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [count])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [count])],
        [TensorProto(name=f"w{i}", data_type=1, dims=[count]) for i in range(tensors)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
