from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from onnxlab.model.load import load
from onnxlab.passes.fingerprint import count_operators, fingerprint, operator_label

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'


def digest(text: str) -> str:
    return fingerprint(load(onnx.parser.parse_model(HEAD + text)))


BASE = "g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(x) y = Add(a, b) }"


@pytest.mark.parametrize(
    "same",
    [
        "other (float[2] x) => (float[2] y) { p = Relu(x) q = Neg(x) y = Add(p, q) }",
        "g (float[2] x) => (float[2] y) { b = Neg(x) a = Relu(x) y = Add(a, b) }",
        "g (float[2] x) => (float[2] y) { [n1] a = Relu(x) [n2] b = Neg(x) y = Add(a, b) }",
    ],
    ids=["names", "order", "node names"],
)
def test_names_and_order_do_not_count(same: str) -> None:
    assert digest(same) == digest(BASE)


@pytest.mark.parametrize(
    "other",
    [
        "g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(x) y = Sub(a, b) }",
        "g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(x) y = Add(b, a) }",
        "g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(a) y = Add(a, b) }",
        "g (float[2] x) => (float[2] z) { a = Relu(x) b = Neg(x) z = Add(a, b) }",
        "g (float[2] x) => (float[2] y) { a = Relu(x) b = Neg(x) c = Abs(x) y = Add(a, b) }",
    ],
    ids=["operator", "operands", "topology", "interface", "dead node"],
)
def test_what_is_computed_counts(other: str) -> None:
    assert digest(other) != digest(BASE)


def with_weight(values: np.ndarray, *, name: str = "w", axis: int = 1) -> onnx.ModelProto:
    graph = helper.make_graph(
        [helper.make_node("Concat", ["x", name], ["y"], axis=axis)],
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 8])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(values, name)],
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


@pytest.mark.parametrize("width", [8, 5000], ids=["small", "left out of the skeleton"])
def test_weights_count_and_their_names_do_not(width: int, tmp_path: Path) -> None:
    values = np.arange(width, dtype=np.float32).reshape(1, width)
    other = values.copy()
    other[0, -1] += 1
    base = fingerprint(load(with_weight(values)))
    assert fingerprint(load(with_weight(values, name="v"))) == base
    assert fingerprint(load(with_weight(other))) != base
    path = tmp_path / "m.onnx"
    onnx.save(with_weight(values), path)
    assert fingerprint(load(path)) == base


def test_attributes_count() -> None:
    values = np.zeros((1, 8), np.float32)
    assert fingerprint(load(with_weight(values, axis=0))) != fingerprint(load(with_weight(values)))


def branch(operator: str, captured: str) -> str:
    return f"""g (bool c, float[2] x) => (float[2] y) {{
        a = Relu(x)
        y = If (c) <
            then_branch = t () => (float[2] p) {{ p = {operator}({captured}) }},
            else_branch = e () => (float[2] q) {{ q = Neg(x) }}
        >
    }}"""


def test_bodies_count_with_what_they_capture() -> None:
    base = digest(branch("Abs", "a"))
    assert digest(branch("Exp", "a")) != base
    assert digest(branch("Abs", "x")) != base
    assert (
        digest(branch("Abs", "a").replace("a = Relu", "zz = Relu").replace("Abs(a)", "Abs(zz)"))
        == base
    )


def test_operators_are_counted_in_bodies_too() -> None:
    model = load(onnx.parser.parse_model(HEAD + branch("Abs", "a")))
    assert count_operators(model) == {"Relu": 1, "If": 1, "Abs": 1, "Neg": 1}


def test_a_domain_is_shown_unless_everybody_knows_it() -> None:
    assert operator_label("", "Conv") == "Conv"
    assert operator_label("com.microsoft", "FusedConv") == "FusedConv"
    assert operator_label("ai.onnx.ml", "ZipMap") == "ZipMap"
    assert operator_label("com.microsoft.nchwc", "Conv") == "nchwc::Conv"
    assert operator_label("acme", "Op") == "acme::Op"
