"""What the join must know about operators, as data."""

from __future__ import annotations

from onnxlab.mapping.origin import Insertion

__all__ = [
    "ABSORBED_AFTER",
    "ACTIVATIONS",
    "CASTLESS",
    "CONVOLUTIONS",
    "FUSING",
    "INSERTED",
    "MOVING",
    "NONDETERMINISTIC",
    "REMOVABLE",
    "REORDERS",
    "SHAPE_ONLY",
    "cost_rank",
    "default_domain",
]

INSERTED: dict[str, Insertion] = {
    "ReorderInput": Insertion.LAYOUT,
    "ReorderOutput": Insertion.LAYOUT,
    "Transpose": Insertion.LAYOUT,
    "Cast": Insertion.CAST,
    "MemcpyToHost": Insertion.COPY,
    "MemcpyFromHost": Insertion.COPY,
    "QuantizeLinear": Insertion.QUANTIZE,
    "DequantizeLinear": Insertion.QUANTIZE,
    "Reshape": Insertion.SHAPE,
    "Squeeze": Insertion.SHAPE,
    "Unsqueeze": Insertion.SHAPE,
    "Expand": Insertion.SHAPE,
    "Identity": Insertion.SHAPE,
}
"""Operators the runtime inserts, with what for. Each hands one value on in another form."""

REORDERS = frozenset({"ReorderInput", "ReorderOutput"})
"""Changes of layout; with ``channels_last`` set, one does the work of a Transpose as well."""

CONVOLUTIONS = frozenset({"Conv", "FusedConv", "NhwcFusedConv"})

CASTLESS = CONVOLUTIONS | {"Gemm", "FusedGemm", "MatMul", "FusedMatMul"}
"""Kernels that never do the work of a Cast: beside them it met an inserted one and both went."""

ACTIVATIONS = frozenset(
    {"Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Clip", "Elu", "Gelu"}
)

ABSORBED_AFTER = ACTIVATIONS | {"Add", "Sum", "Mul", "BatchNormalization", "QuantizeLinear"}
"""What a kernel may compute on top of its own operator."""

FUSING = frozenset(
    {"Conv", "ConvTranspose", "Gemm", "MatMul", "MatMulInteger", "BatchNormalization", "Div"}
)
"""Operators that keep their name, and their tag, while taking in a neighbour."""

REMOVABLE = frozenset(
    {
        "Add", "Cast", "Concat", "DequantizeLinear", "Div", "Dropout", "Expand", "Flatten",
        "Identity", "Mul", "QuantizeLinear", "Reshape", "Slice", "Squeeze", "Sub", "Sum",
        "Transpose", "Unsqueeze",
    }
)  # fmt: skip
"""What the runtime removes without another kernel taking over its work."""

SHAPE_ONLY = frozenset({"Shape", "Size"})
"""Operators that read no element of their input: folding one does not fold its input."""

MOVING = frozenset({"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
"""Operators that move elements and compute nothing."""

NONDETERMINISTIC = frozenset(
    {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
     "RandomUniformLike"}
)  # fmt: skip

_RANKS: tuple[frozenset[str], ...] = (
    frozenset(
        {"Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Shape", "Size",
         "Constant", "Dropout", "ConstantOfShape", "Expand"}
    ),
    frozenset(
        {"Transpose", "Slice", "Concat", "Split", "Gather", "Pad", "Tile", "QuantizeLinear",
         "DequantizeLinear", "Where", "GatherElements", "GatherND"}
    ),
    frozenset(
        {"Softmax", "LogSoftmax", "LayerNormalization", "BatchNormalization", "ReduceMean",
         "InstanceNormalization", "GroupNormalization", "RMSNormalization", "Erf", "Tanh",
         "Sigmoid", "Exp", "Pow", "MaxPool", "AveragePool", "GlobalAveragePool", "Resize",
         "DynamicQuantizeLinear"}
    ),
    frozenset(
        {"Conv", "ConvTranspose", "ConvInteger", "MatMul", "MatMulInteger", "Gemm", "Einsum",
         "LSTM", "GRU", "RNN", "QLinearConv", "QLinearMatMul", "Attention",
         "MultiHeadAttention", "GroupQueryAttention", "DynamicQuantizeLSTM", "If", "Loop", "Scan"}
    ),
)  # fmt: skip


def cost_rank(op_type: str) -> int:
    """Order operators by how costly their kind usually is; unlisted ones are elementwise."""
    if op_type in _RANKS[3]:
        return 4
    if op_type in _RANKS[2]:
        return 3
    if op_type in _RANKS[1]:
        return 1
    return 0 if op_type in _RANKS[0] else 2


def default_domain(domain: str) -> str:
    """Return a domain with the two spellings of the standard one made equal."""
    return "" if domain == "ai.onnx" else domain
