from __future__ import annotations

import onnx
from onnx import parser

from onnxlab.mapping.names import unique_names
from onnxlab.model.load import load


def named(*names: str) -> onnx.ModelProto:
    body = " ".join(f"v{i + 1} = Relu(v{i})" for i in range(len(names)))
    header = '<ir_version: 8, opset_import: ["": 17]>'
    last = len(names)
    model = parser.parse_model(f"{header} g (float v0) => (float v{last}) {{ {body} }}")
    for node, name in zip(model.graph.node, names, strict=True):
        node.name = name
    return model


def test_usable_unique_names_are_kept() -> None:
    names = ["a", "n_kernel_time", "SequentialExecutor::Execute", "übung 1"]
    assert unique_names(load(named(*names)).table) == names


def test_empty_doubled_and_hostile_names_are_replaced() -> None:
    names = unique_names(load(named("", "a", "a", 'say "a"', "b\nc", "x" * 5000, "\\")).table)
    assert names == ["Relu#0", "a#1", "a#2", "Relu#3", "Relu#4", "Relu#5", "Relu#6"]


def test_a_new_name_never_meets_an_old_one() -> None:
    names = unique_names(load(named("Relu#1", "")).table)
    assert names[0] == "Relu#1"
    assert len(set(names)) == 2
