"""Tiny models for tests, built with `onnx.helper`: opset 17, IR 8 unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import onnx

__all__ = [
    "build",
    "chain",
    "conv_relu",
    "gelu",
    "layer_norm",
    "mlp",
    "qdq_conv",
    "transformer_block",
    "with_function_twice",
    "with_if",
    "with_loop",
]


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


def chain(count: int, *, op: str = "Relu") -> onnx.ModelProto:
    """Build ``count`` nodes of one operator, one after the other, named ``n0``, ``n1``, ..."""
    from onnx import helper

    names = ["x", *(f"v{i}" for i in range(count - 1)), "y"]
    nodes = [helper.make_node(op, [names[i]], [names[i + 1]], f"n{i}") for i in range(count)]
    return build(nodes, inputs={"x": [4]}, outputs={"y": [4]})


def conv_relu(*, channels: int = 8, size: int = 8, seed: int = 0) -> onnx.ModelProto:
    """Build Conv, Relu and MaxPool: the runtime's layout optimisation takes all three."""
    import numpy as np
    from onnx import helper

    random = np.random.default_rng(seed)
    weights = {
        "w": random.normal(size=(channels, 3, 3, 3)).astype(np.float32),
        "b": random.normal(size=channels).astype(np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("MaxPool", ["r"], ["y"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
    ]
    return build(
        nodes,
        inputs={"x": [1, 3, size, size]},
        outputs={"y": [1, channels, size // 2, size // 2]},
        initializers=weights,
    )


def gelu(*, width: int = 16, named: bool = True, seed: int = 0) -> onnx.ModelProto:
    """Build MatMul, Add and a Gelu spelled out with Erf, seven nodes."""
    import numpy as np
    from onnx import helper

    random = np.random.default_rng(seed)
    weights = {
        "w": random.normal(size=(width, width)).astype(np.float32),
        "b": random.normal(size=width).astype(np.float32),
        "sqrt2": np.array(np.sqrt(2), np.float32),
        "one": np.array(1, np.float32),
        "half": np.array(0.5, np.float32),
    }
    steps = [
        ("MatMul", ["x", "w"], "m", "/fc/MatMul"),
        ("Add", ["m", "b"], "a", "/fc/Add"),
        *_gelu_steps("a", "y", "/act"),
    ]
    nodes = [helper.make_node(op, i, [o], name if named else "") for op, i, o, name in steps]
    shape: list[int | str | None] = ["batch", width]
    return build(nodes, inputs={"x": shape}, outputs={"y": shape}, initializers=weights)


def _gelu_steps(value: str, out: str, scope: str) -> list[tuple[str, list[str], str, str]]:
    """Spell ``0.5 · v · (1 + erf(v / √2))`` out; needs ``sqrt2``, ``one`` and ``half``."""
    return [
        ("Div", [value, "sqrt2"], f"{out}_d", f"{scope}/Div"),
        ("Erf", [f"{out}_d"], f"{out}_e", f"{scope}/Erf"),
        ("Add", [f"{out}_e", "one"], f"{out}_p", f"{scope}/Add"),
        ("Mul", [value, f"{out}_p"], f"{out}_v", f"{scope}/Mul"),
        ("Mul", [f"{out}_v", "half"], out, f"{scope}/Mul_1"),
    ]


def layer_norm(*, width: int = 16, seed: int = 0) -> onnx.ModelProto:
    """Build a layer normalisation spelled out, nine nodes in the scope ``ln``."""
    import numpy as np
    from onnx import helper

    random = np.random.default_rng(seed)
    weights = {
        "gain": random.normal(size=width).astype(np.float32),
        "shift": random.normal(size=width).astype(np.float32),
        "two": np.array(2, np.float32),
        "eps": np.array(1e-5, np.float32),
    }
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], "/ln/ReduceMean", axes=[-1]),
        helper.make_node("Sub", ["x", "mean"], ["diff"], "/ln/Sub"),
        helper.make_node("Pow", ["diff", "two"], ["sq"], "/ln/Pow"),
        helper.make_node("ReduceMean", ["sq"], ["var"], "/ln/ReduceMean_1", axes=[-1]),
        helper.make_node("Add", ["var", "eps"], ["safe"], "/ln/Add"),
        helper.make_node("Sqrt", ["safe"], ["std"], "/ln/Sqrt"),
        helper.make_node("Div", ["diff", "std"], ["norm"], "/ln/Div"),
        helper.make_node("Mul", ["norm", "gain"], ["scaled"], "/ln/Mul"),
        helper.make_node("Add", ["scaled", "shift"], ["y"], "/ln/Add_1"),
    ]
    shape: list[int | str | None] = ["batch", width]
    return build(nodes, inputs={"x": shape}, outputs={"y": shape}, initializers=weights)


def transformer_block(
    layers: int = 1, *, width: int = 32, heads: int = 4, seed: int = 0
) -> onnx.ModelProto:
    """Build attention and a feed-forward part per layer, scoped ``/layer.N/...``, batch × seq."""
    parts = _Parts(width, heads, seed)
    value = "x"
    for layer in range(layers):
        value = _feed_forward(parts, _attention(parts, value, layer), layer)
    parts.add("Identity", [value], "y", "output")
    shape: list[int | str | None] = ["batch", "seq", width]
    return build(parts.nodes, inputs={"x": shape}, outputs={"y": shape}, initializers=parts.weights)


class _Parts:
    """Nodes and weights of a transformer as they are added."""

    def __init__(self, width: int, heads: int, seed: int) -> None:
        import numpy as np

        self.width = width
        self.nodes: list[onnx.NodeProto] = []
        self._random = np.random.default_rng(seed)
        depth = width // heads
        self.weights: dict[str, np.ndarray[Any, Any]] = {
            "split": np.array([0, 0, heads, depth], np.int64),
            "join": np.array([0, 0, width], np.int64),
            "scale": np.array(np.sqrt(depth), np.float32),
            "sqrt2": np.array(np.sqrt(2), np.float32),
            "one": np.array(1, np.float32),
            "half": np.array(0.5, np.float32),
        }

    def add(self, op: str, inputs: list[str], out: str, name: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(op, inputs, [out], name, **attributes))
        return out

    def linear(self, value: str, scope: str, inputs: int, outputs: int) -> str:
        import numpy as np

        key = scope.strip("/").replace("/", ".")
        weight = 0.1 * self._random.normal(size=(inputs, outputs))
        self.weights[f"{key}.weight"] = weight.astype(np.float32)
        self.weights[f"{key}.bias"] = np.zeros(outputs, np.float32)
        product = self.add("MatMul", [value, f"{key}.weight"], f"{key}.mm", f"{scope}/MatMul")
        return self.add("Add", [product, f"{key}.bias"], f"{key}.out", f"{scope}/Add")

    def normalise(self, value: str, scope: str) -> str:
        import numpy as np

        key = scope.strip("/").replace("/", ".")
        self.weights[f"{key}.weight"] = np.ones(self.width, np.float32)
        self.weights[f"{key}.bias"] = np.zeros(self.width, np.float32)
        inputs = [value, f"{key}.weight", f"{key}.bias"]
        return self.add("LayerNormalization", inputs, f"{key}.out", f"{scope}/LayerNormalization")


def _attention(parts: _Parts, value: str, layer: int) -> str:
    scope, key, width = f"/layer.{layer}/attention", f"l{layer}", parts.width
    split = {}
    for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        own = f"{scope}/{part}"
        flat = parts.linear(value, own, width, width)
        shaped = parts.add("Reshape", [flat, "split"], f"{flat}.r", f"{own}/Reshape")
        split[part] = parts.add("Transpose", [shaped], f"{flat}.t", f"{own}/Transpose", perm=order)
    parts.add("MatMul", [split["q"], split["k"]], f"{key}.qk", f"{scope}/MatMul")
    parts.add("Div", [f"{key}.qk", "scale"], f"{key}.s", f"{scope}/Div")
    parts.add("Softmax", [f"{key}.s"], f"{key}.p", f"{scope}/Softmax", axis=-1)
    parts.add("MatMul", [f"{key}.p", split["v"]], f"{key}.c", f"{scope}/MatMul_1")
    parts.add("Transpose", [f"{key}.c"], f"{key}.ct", f"{scope}/Transpose", perm=[0, 2, 1, 3])
    parts.add("Reshape", [f"{key}.ct", "join"], f"{key}.cr", f"{scope}/Reshape")
    out = parts.linear(f"{key}.cr", f"{scope}/output", width, width)
    parts.add("Add", [out, value], f"{key}.res", f"{scope}/Add")
    return parts.normalise(f"{key}.res", f"/layer.{layer}/norm1")


def _feed_forward(parts: _Parts, value: str, layer: int) -> str:
    scope, key, width = f"/layer.{layer}/mlp", f"l{layer}", parts.width
    hidden = parts.linear(value, f"{scope}/fc1", width, 4 * width)
    for op, inputs, out, name in _gelu_steps(hidden, f"{key}.gelu", f"{scope}/act"):
        parts.add(op, inputs, out, name)
    out = parts.linear(f"{key}.gelu", f"{scope}/fc2", 4 * width, width)
    parts.add("Add", [out, value], f"{key}.res2", f"{scope}/Add")
    return parts.normalise(f"{key}.res2", f"/layer.{layer}/norm2")


def with_if() -> onnx.ModelProto:
    """Build an If between Relu and Neg on a captured value; ``x`` sums to more than 0 or not."""
    import numpy as np
    from onnx import TensorProto, helper

    def branch(name: str, op: str) -> onnx.GraphProto:
        out = helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, [2, 3])
        node = helper.make_node(op, ["h"], [f"{name}_y"], f"/{name}/{op}")
        return helper.make_graph([node], name, [], [out])

    nodes = [
        helper.make_node("Abs", ["x"], ["h"], "abs"),
        helper.make_node("ReduceSum", ["x"], ["sum"], "sum", keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["positive"], "greater"),
        helper.make_node(
            "If",
            ["positive"],
            ["y"],
            "choose",
            then_branch=branch("then", "Relu"),
            else_branch=branch("else", "Neg"),
        ),
    ]
    return build(
        nodes,
        inputs={"x": [2, 3]},
        outputs={"y": [2, 3]},
        initializers={"zero": np.array(0, np.float32)},
    )


def with_loop(trips: int = 5) -> onnx.ModelProto:
    """Build a Loop that adds a captured initializer ``trips`` times; its body repeats a name."""
    import numpy as np
    from onnx import TensorProto, helper

    body = helper.make_graph(
        [
            helper.make_node("Add", ["state", "step"], ["next"], "add"),
            helper.make_node("Identity", ["go"], ["still"], "keep"),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, [4]),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, [4]),
        ],
    )
    nodes = [
        helper.make_node("Relu", ["x"], ["start"], "add"),
        helper.make_node("Loop", ["trips", "", "start"], ["y"], "loop", body=body),
    ]
    weights: dict[str, np.ndarray[Any, Any]] = {
        "trips": np.array(trips, np.int64),
        "step": np.ones(4, np.float32),
    }
    return build(nodes, inputs={"x": [4]}, outputs={"y": [4]}, initializers=weights)


def with_function_twice() -> onnx.ModelProto:
    """Build two calls of a local function with an attribute, one of them by its default."""
    from onnx import AttributeProto, helper

    leaky = helper.make_node("LeakyRelu", ["a"], ["t"], "leaky")
    leaky.attribute.add(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT)
    function = helper.make_function(
        "local",
        "Act",
        ["a"],
        ["b"],
        [leaky, helper.make_node("Neg", ["t"], ["b"], "neg")],
        [helper.make_opsetid("", 17)],
        attribute_protos=[helper.make_attribute("slope", 0.25)],
    )
    nodes = [
        helper.make_node("Act", ["x"], ["h"], "call1", domain="local", slope=0.5),
        helper.make_node("Act", ["h"], ["y"], "call2", domain="local"),
    ]
    return build(
        nodes, inputs={"x": [4]}, outputs={"y": [4]}, functions=[function], domains={"local": 1}
    )


def qdq_conv(*, channels: int = 8, size: int = 8, seed: int = 0) -> onnx.ModelProto:
    """Build an int8 Conv and Relu between QuantizeLinear and DequantizeLinear nodes."""
    import numpy as np
    from onnx import helper

    random = np.random.default_rng(seed)
    weights: dict[str, np.ndarray[Any, Any]] = {
        "s": np.array(0.05, np.float32),
        "z": np.array(0, np.int8),
        "w": random.integers(-100, 100, size=(channels, 3, 3, 3)).astype(np.int8),
        "w_s": np.full(channels, 0.01, np.float32),
        "w_z": np.zeros(channels, np.int8),
        "b": random.integers(-100, 100, size=channels).astype(np.int32),
        "b_s": np.full(channels, 0.0005, np.float32),
        "b_z": np.zeros(channels, np.int32),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["x_q"], "x_q"),
        helper.make_node("DequantizeLinear", ["x_q", "s", "z"], ["x_d"], "x_dq"),
        helper.make_node("DequantizeLinear", ["w", "w_s", "w_z"], ["w_d"], "w_dq", axis=0),
        helper.make_node("DequantizeLinear", ["b", "b_s", "b_z"], ["b_d"], "b_dq", axis=0),
        helper.make_node("Conv", ["x_d", "w_d", "b_d"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("QuantizeLinear", ["r", "s", "z"], ["r_q"], "y_q"),
        helper.make_node("DequantizeLinear", ["r_q", "s", "z"], ["y"], "y_dq"),
    ]
    return build(
        nodes,
        inputs={"x": [1, 3, size, size]},
        outputs={"y": [1, channels, size, size]},
        initializers=weights,
    )
