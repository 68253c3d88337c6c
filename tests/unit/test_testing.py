"""The tiny models are valid and tell what their docstrings promise."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest

from onnxlab import testing

MODELS = {
    "chain": lambda: testing.chain(3),
    "conv_relu": testing.conv_relu,
    "gelu": testing.gelu,
    "layer_norm": testing.layer_norm,
    "mlp": testing.mlp,
    "qdq_conv": testing.qdq_conv,
    "transformer_block": lambda: testing.transformer_block(2),
    "with_function_twice": testing.with_function_twice,
    "with_if": testing.with_if,
    "with_loop": testing.with_loop,
}


@pytest.mark.parametrize("build", MODELS.values(), ids=MODELS)
def test_passes_the_full_check(build: Callable[[], onnx.ModelProto]) -> None:
    model = build()
    onnx.checker.check_model(model, full_check=True)
    assert model.ir_version <= 10
    assert all(entry.version <= 21 for entry in model.opset_import)


def test_every_builder_is_checked() -> None:
    assert set(MODELS) == set(testing.__all__) - {"build"}
