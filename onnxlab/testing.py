"""Tiny models for tests, built with `onnx.helper`: opset 17, IR 8 unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import onnx

__all__ = ["build", "mlp"]


def build(
    nodes: Sequence[onnx.NodeProto],
    *,
    inputs: Mapping[str, Sequence[int | str | None]],
    outputs: Sequence[str] | Mapping[str, Sequence[int | str | None]],
    initializers: Mapping[str, np.ndarray[Any, Any]] | None = None,
    opset: int = 17,
    functions: Sequence[onnx.FunctionProto] = (),
    domains: Mapping[str, int] | None = None,
) -> onnx.ModelProto:
    """Build a model from nodes, float inputs and arrays.

    Parameters
    ----------
    nodes
        The nodes of the main graph.
    inputs, outputs
        Names with shapes; outputs may be names alone.
    initializers
        Weights by name.
    opset
        Version of the default domain.
    functions
        Local functions.
    domains
        Versions of further domains.
    """
    from onnx import TensorProto, helper, numpy_helper

    shapes = outputs if isinstance(outputs, Mapping) else dict.fromkeys(outputs)
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()],
        [numpy_helper.from_array(a, n) for n, a in (initializers or {}).items()],
    )
    opsets = [helper.make_opsetid("", opset)]
    opsets += [helper.make_opsetid(d, v) for d, v in (domains or {}).items()]
    return helper.make_model(
        graph,
        opset_imports=opsets,
        ir_version=8 if opset <= 18 else 10,
        functions=list(functions),
        producer_name="onnxlab",
    )


def mlp(layers: int = 2, *, width: int = 8, seed: int = 0) -> onnx.ModelProto:
    """Build a chain of Gemm and Relu, two nodes a layer."""
    import numpy as np
    from onnx import helper

    random = np.random.default_rng(seed)
    nodes, weights, value = [], {}, "x"
    for layer in range(layers):
        weight, bias, after = f"w{layer}", f"b{layer}", f"h{layer}"
        weights[weight] = random.normal(size=(width, width)).astype(np.float32)
        weights[bias] = random.normal(size=width).astype(np.float32)
        out = "y" if layer == layers - 1 else f"r{layer}"
        nodes.append(
            helper.make_node("Gemm", [value, weight, bias], [after], f"/layers.{layer}/gemm")
        )
        nodes.append(helper.make_node("Relu", [after], [out], f"/layers.{layer}/relu"))
        value = out
    shape: list[int | str | None] = ["batch", width]
    return build(nodes, inputs={"x": shape}, outputs={"y": shape}, initializers=weights)
