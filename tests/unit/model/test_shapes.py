"""Inferred shapes, in a child process that may fail without harm."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from onnxlab.errors import ChildCrashed
from onnxlab.model import shapes
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.sandbox.spawn import Child
from onnxlab.testing import build, conv_relu, mlp, with_function_twice, with_loop


def shown(model: Model, address: str) -> str:
    found, row = model.known_shapes, model.value_row(address)
    dtype, shape = found.strings[found.value_dtype[row]], found.strings[found.value_shape[row]]
    return f"{dtype} {shape}"


def test_infers_the_main_graph() -> None:
    model = load(conv_relu())
    assert not model.shapes_complete
    assert shown(model, ":c") == " "
    assert model.infer_shapes().problem == ""
    assert model.infer_shapes() is model.infer_shapes()
    assert model.shapes_complete
    assert shown(model, ":c") == "f32 1×8×8×8"
    row = model.value_row(":c")
    assert model.known_shapes.value_size_bytes[row] == 4 * 8 * 8 * 8


def test_infers_without_the_weights_that_were_left_out() -> None:
    model = load(mlp(width=100))
    model.infer_shapes()
    assert shown(model, ":h0") == "f32 batch×100"


def test_infers_inside_bodies_and_functions() -> None:
    loop = load(with_loop())
    loop.infer_shapes()
    assert shown(loop, "1/body:next") == "f32 4"
    calls = load(with_function_twice())
    calls.infer_shapes()
    assert shown(calls, "0/ƒ:t") == shown(calls, "1/ƒ:b") == "f32 4"


def test_types_of_initializers_reach_functions() -> None:
    body = [helper.make_node("Mul", ["a", "w"], ["b"])]
    scale = helper.make_function(
        "d", "Scale", ["a", "w"], ["b"], body, [helper.make_opsetid("", 17)]
    )
    proto = build(
        [helper.make_node("Scale", ["x", "s"], ["y"], domain="d")],
        inputs={"x": ["N", 2]},
        outputs=["y"],
        initializers={"s": np.ones(2, np.float32)},
        functions=[scale],
        domains={"d": 1},
    )
    model = load(proto)
    model.infer_shapes()
    assert shown(model, "0/ƒ:b") == "f32 N×2"


def test_what_the_file_says_stands_and_starts_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_child(*args: object, **kwargs: object) -> None:
        raise AssertionError("a child was started")

    monkeypatch.setattr(Child, "__init__", no_child)
    model = load(onnx.shape_inference.infer_shapes(conv_relu()))
    assert model.shapes_complete
    assert model.infer_shapes().strings == model.table.strings


def test_a_model_that_cannot_be_inferred_has_a_problem() -> None:
    call = helper.make_node("F", ["a"], ["b"], domain="d")
    proto = build(
        [helper.make_node("F", ["x"], ["y"], domain="d")],
        inputs={"x": [1]},
        outputs=["y"],
        functions=[helper.make_function("d", "F", ["a"], ["b"], [call], [])],
        domains={"d": 1},
    )
    found = load(proto).infer_shapes()
    assert "must not be recursive" in found.problem
    assert "\n" not in found.problem


@pytest.mark.parametrize("error", [ChildCrashed("it died"), OSError("no space left")])
def test_a_child_that_fails_leaves_the_files_own(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(Child, "call", fail)
    model = load(conv_relu())
    assert model.infer_shapes().problem == f"shape inference stopped: {error}"
    assert shown(model, ":x") == "f32 1×3×8×8"


def test_a_slow_inference_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "TIME_LIMIT_S", 0.01)
    assert "did not finish" in load(conv_relu()).infer_shapes().problem
