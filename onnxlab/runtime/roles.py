"""Which numbers an input may hold, and which sizes its axes must have, by how it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from onnxlab.runtime.uses import Use, Uses, attribute_int, element

__all__ = ["Role", "axis_sizes", "integer_role", "scales", "weight_rank"]

# (operator, slot) in which integers are sizes, counts or steps: one is always fit.
_SIZES = frozenset(
    {
        *(("ConstantOfShape", 0), ("Expand", 1), ("Loop", 0), ("NonMaxSuppression", 2)),
        *(("Range", 0), ("Range", 1), ("Range", 2), ("Reshape", 1), ("Resize", 3), ("Tile", 1)),
        *(("TopK", 1), ("CenterCropPad", 1), ("AffineGrid", 1), ("Trilu", 1)),
    }
)
# (operator, slot) in which integers name axes: the first one is always there.
_AXES = frozenset(
    {
        *(("CumProd", 1), ("CumSum", 1), ("ReduceMax", 1), ("ReduceMean", 1), ("ReduceMin", 1)),
        *(("ReduceProd", 1), ("ReduceSum", 1), ("Slice", 3), ("Squeeze", 1), ("Unsqueeze", 1)),
    }
)
# (operator, slot) in which numbers scale, so that only ones are harmless.
_SCALES = frozenset({("OneHot", 1), ("Resize", 2), ("Upsample", 1)})
# (operator, slot) in which integers are lengths of sequences.
_LENGTHS = frozenset(
    {("GRU", 4), ("LSTM", 4), ("RNN", 4), ("ReverseSequence", 1), ("GroupQueryAttention", 6)}
)
# (operator, slot of indices) → slot of the table whose first axis they count.
_EMBEDDINGS = {
    ("EmbedLayerNormalization", 0): 2,
    ("EmbedLayerNormalization", 1): 4,
    ("QEmbedLayerNormalization", 0): 2,
    ("QEmbedLayerNormalization", 1): 4,
    ("Gather", 1): 0,
    ("GatherBlockQuantized", 1): 0,
}
_ELEMENTWISE = frozenset({"Add", "Div", "Mul", "Sub"})
# Indices into something whose size is only known while running.
_INDICES = frozenset(
    {
        ("GatherElements", 1),
        ("GatherND", 1),
        ("Scatter", 1),
        ("ScatterElements", 1),
        ("ScatterND", 1),
    }
)


@dataclass(frozen=True, slots=True)
class Role:
    """The integers that fit an input: ``low`` to ``high``, the latter excluded.

    Attributes
    ----------
    kind
        ``range``, ``length`` (of a sequence: as long as the others are) or ``last`` (one less).
    why
        The evidence, in plain words.
    evident
        Whether there is any.
    """

    low: int
    high: int
    why: str
    kind: str = "range"
    evident: bool = True

    def of_length(self, length: int) -> Role:
        """Return the same with the length of the sequences put in, where that matters."""
        if self.kind == "range":
            return self
        number = max(length - (self.kind == "last"), 0)
        return replace(self, low=number, high=number + 1)


def integer_role(uses: Uses, value: int, *, single: bool) -> Role:
    """Say which integers an input may hold.

    Parameters
    ----------
    uses
        Of the model.
    value
        Row of the input.
    single
        Whether it holds one element only: then a comparison with a constant counts as evidence.
    """
    bound: int | None = None
    compared: int | None = None
    sizes = axes = length = last = False
    for use in uses.reached(value):
        key = (use.op, use.slot)
        limit = _index_limit(uses, use)
        if limit is not None:
            bound = limit if bound is None else min(bound, limit)
        sizes |= key in _SIZES
        axes |= key in _AXES
        length |= key in _LENGTHS
        last |= key == ("GroupQueryAttention", 5)
        if single and compared is None and use.op == "Equal":
            compared = uses.stored_scalar(uses.operand(use, 1 - use.slot))
    if bound is not None:
        return Role(0, max(bound, 1), f"indices into {bound} rows")
    if last:
        return Role(0, 1, "last position of the sequence", kind="last")
    if length:
        return Role(1, 2, "length of the sequence", kind="length")
    if compared is not None:
        return Role(compared, compared + 1, "the model compares it with that")
    if axes:
        return Role(0, 1, "an axis")
    if sizes:
        return Role(1, 2, "a size or count")
    return Role(1, 4, "no use tells its range", evident=False)


def scales(uses: Uses, value: int) -> bool:
    """Tell whether the numbers of an input scale something."""
    return any((use.op, use.slot) in _SCALES for use in uses.reached(value))


def _index_limit(uses: Uses, use: Use) -> int | None:
    key = (use.op, use.slot)
    if key in _EMBEDDINGS:
        axis = attribute_int(uses.node(use), _axis_name(use.op), 0)
        rows = element(uses.stored_dims(uses.operand(use, _EMBEDDINGS[key])), axis)
        return rows or 1  # an unknown table has a first row
    if key in _INDICES:
        return 1
    if key == ("OneHot", 0):
        return uses.stored_scalar(uses.operand(use, 1)) or 1
    return None


def _axis_name(op: str) -> str:
    return "gather_axis" if op == "GatherBlockQuantized" else "axis"


def axis_sizes(uses: Uses, value: int) -> dict[int, int]:
    """Sizes that the weights an input meets dictate, by axis; negative axes count from the end."""
    sizes: dict[int, int] = {}
    for use in uses.reached(value, same_shape=True):
        for axis, size in _dictated(uses, use):
            if size > 0:
                sizes.setdefault(axis, size)
    return sizes


def weight_rank(uses: Uses, value: int) -> int | None:
    """Rank an input must have for the convolution it meets, None where none tells."""
    for use in uses.reached(value, same_shape=True):
        if use.op in ("Conv", "ConvTranspose", "ConvInteger") and use.slot == 0:
            dims = uses.stored_dims(uses.operand(use, 1))
            if dims:
                return len(dims)
    return None


def _dictated(uses: Uses, use: Use) -> Iterator[tuple[int, int]]:
    def dims(slot: int) -> tuple[int, ...] | None:
        return uses.stored_dims(uses.operand(use, slot))

    found: list[tuple[int, int | None]] = []
    key = (use.op, use.slot)
    if key in (("Conv", 0), ("ConvInteger", 0)):
        group = attribute_int(uses.node(use), "group", 1)
        channels = element(dims(1), 1)
        found.append((1, channels and channels * group))
    elif key == ("ConvTranspose", 0):
        found.append((1, element(dims(1), 0)))
    elif key in (("MatMul", 0), ("MatMulInteger", 0)):
        found.append((-1, element(dims(1), -2)))
    elif key == ("Gemm", 0):
        node = uses.node(use)
        axis = 0 if attribute_int(node, "transB", 0) == 0 else 1
        target = 1 if attribute_int(node, "transA", 0) == 0 else 0
        found.append((target, element(dims(1), axis)))
    elif use.op in ("LSTM", "GRU", "RNN"):
        if use.slot == 0:
            found.append((2, element(dims(1), 2)))
        elif use.slot in (5, 6):
            found += [(0, element(dims(1), 0)), (2, element(dims(2), 2))]
    elif key in (("BatchNormalization", 0), ("InstanceNormalization", 0), ("PRelu", 0)):
        found.append((1, element(dims(1), 0)))
    elif key == ("LayerNormalization", 0):
        found.append((-1, element(dims(1), -1)))
    elif use.op in _ELEMENTWISE and use.slot in (0, 1):
        # A size of one fits every input, any other its own alone: position tables above all.
        stored = dims(1 - use.slot) or ()
        found += [(-back, size) for back, size in enumerate(reversed(stored), 1) if size > 1]
    yield from ((axis, size) for axis, size in found if size)
