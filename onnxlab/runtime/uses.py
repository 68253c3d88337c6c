"""What a model does with its inputs: the evidence from which fitting values are made."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from onnx import AttributeProto, NodeProto, TensorProto

from onnxlab.errors import OnnxlabError
from onnxlab.model.model import Model
from onnxlab.model.table import GraphKind
from onnxlab.model.text import text
from onnxlab.model.weights import Weight

__all__ = ["Use", "Uses", "attribute_int", "element"]

_MAX_FOLLOWED = 2_000  # values looked at for one input
_MAX_BACKWARD = 16  # nodes between a stored tensor and its use

# Operators through which a value reaches further uses with its numbers unchanged, and the input
# slots for which that holds (None: all).
_CARRIERS: dict[str, tuple[int, ...] | None] = {
    "Cast": (0,),
    "Concat": None,
    "DequantizeLinear": (0,),
    "Expand": (0,),
    "Flatten": (0,),
    "Gather": (0,),
    "Identity": (0,),
    "QuantizeLinear": (0,),
    "Reshape": (0,),
    "Slice": (0,),
    "Split": (0,),
    "Squeeze": (0,),
    "Tile": (0,),
    "Transpose": (0,),
    "Unsqueeze": (0,),
}
# Those that keep the shape too.
_SAME_SHAPE = frozenset({"Cast", "DequantizeLinear", "Identity", "QuantizeLinear"})
_SAME_NUMBER = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze"})


class Use(NamedTuple):
    """A node that reads a value, and in which input slot."""

    node: int
    op: str
    slot: int


class Uses:
    """Follows values of a model to what reads them."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._table = model.table

    @cached_property
    def _readers(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Positions in ``node_inputs`` by the value they hold, and where each value begins."""
        order = np.argsort(self._table.node_inputs, kind="stable")
        starts = np.searchsorted(
            self._table.node_inputs[order], np.arange(self._table.value_count + 1)
        )
        return order, starts

    @cached_property
    def _bodies(self) -> dict[int, list[int]]:
        bodies: dict[int, list[int]] = {}
        for graph, owner in enumerate(self._table.graph_owner.tolist()):
            if owner >= 0:
                bodies.setdefault(owner, []).append(graph)
        return bodies

    def direct(self, value: int) -> Iterator[Use]:
        """Yield the uses of one value, also those from within bodies."""
        table = self._table
        order, starts = self._readers
        for position in order[starts[value] : starts[value + 1]].tolist():
            node = int(np.searchsorted(table.node_inputs_start, position, side="right")) - 1
            yield Use(node, table.op(node), position - int(table.node_inputs_start[node]))

    def reached(self, value: int, *, same_shape: bool = False) -> Iterator[Use]:
        """Yield the uses that the numbers of a value reach, through casts, reshapes and calls."""
        seen = {value}
        waiting = deque([value])
        while waiting and len(seen) < _MAX_FOLLOWED:
            for use in self.direct(waiting.popleft()):
                yield use
                for further in self._carried(use, same_shape=same_shape):
                    if further not in seen:
                        seen.add(further)
                        waiting.append(further)

    def _carried(self, use: Use, *, same_shape: bool) -> Iterator[int]:
        slots = _CARRIERS.get(use.op, ())
        if use.op in _CARRIERS and (slots is None or use.slot in slots):
            if use.op in _SAME_SHAPE or not same_shape:
                yield from (int(row) for row in self._table.outputs(use.node) if row >= 0)
            return
        for graph in self._bodies.get(use.node, ()):
            if self._table.graph_kind[graph] == GraphKind.FUNCTION or use.op == "Loop":
                inputs = self._graph_inputs(graph)
                if use.slot < len(inputs):
                    yield inputs[use.slot]

    def _graph_inputs(self, graph: int) -> list[int]:
        starts = self._table.graph_inputs_start
        rows = self._table.graph_inputs[starts[graph] : starts[graph + 1]]
        return [int(row) for row in rows]

    @cached_property
    def main_inputs(self) -> dict[str, int]:
        """Value rows of the model's inputs by name."""
        table = self._table
        return {
            table.strings[table.value_name[row]]: row for row in self._graph_inputs(0) if row >= 0
        }

    def node(self, use: Use) -> NodeProto:
        """Return the node of a use."""
        return self._model.node_proto(use.node)

    def operand(self, use: Use, slot: int) -> int:
        """Return the value row in another input slot of the same node, -1 for none."""
        inputs = self._table.inputs(use.node)
        return int(inputs[slot]) if slot < len(inputs) else -1

    def stored_dims(self, value: int) -> tuple[int, ...] | None:
        """Shape of the stored tensor that a value is, or is made from at the same shape."""
        weight = self._stored(value, through=_SAME_SHAPE)
        tensor = weight.stored if weight else None
        return tuple(tensor.dims) if isinstance(tensor, TensorProto) else None

    def stored_scalar(self, value: int) -> int | None:
        """Return the integer that a value holds, if it is a stored tensor of one element."""
        weight = self._stored(value, through=_SAME_NUMBER)
        return self._read_scalar(weight.value) if weight and weight.elements == 1 else None

    def _stored(self, value: int, *, through: frozenset[str]) -> Weight | None:
        """Return the stored tensor from which a value is made by certain operators alone."""
        for _ in range(_MAX_BACKWARD):
            if value < 0 or value in self._model.weights.by_value:
                break
            producer = int(self._table.value_producer[value])
            if producer >= 0:
                carried = self._table.op(producer) in through
                value = int(self._table.inputs(producer)[0]) if carried else -1
            else:
                value = self._arguments.get(value, -1)
        return self._model.weights.by_value.get(value)

    @cached_property
    def _arguments(self) -> dict[int, int]:
        """What is passed for each input of a local function, by value rows."""
        passed: dict[int, int] = {}
        for node, graphs in self._bodies.items():
            for graph in graphs:
                if self._table.graph_kind[graph] == GraphKind.FUNCTION:
                    actual = self._table.inputs(node).tolist()
                    passed.update(zip(self._graph_inputs(graph), actual, strict=False))
        return passed

    def _read_scalar(self, value: int) -> int | None:
        try:
            array = self._model.read_tensor(self._model.value_address(value))
        except OnnxlabError:  # data missing or out of place: no evidence, the run will tell
            return None
        number = array.reshape(-1)[0]
        return int(number) if array.dtype.kind in "iuf" and np.isfinite(number) else None


def attribute_int(node: NodeProto, name: str, default: int) -> int:
    """Return an integer attribute of a node."""
    for attribute in node.attribute:
        if text(attribute.name) == name and attribute.type in (0, AttributeProto.INT):
            return int(attribute.i)
    return default


def element(sizes: Sequence[int] | None, index: int) -> int | None:
    """Return one size of a shape, None where there is none."""
    if sizes is None or not -len(sizes) <= index < len(sizes):
        return None
    return sizes[index]
