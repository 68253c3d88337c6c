"""Which values of a model are equal, whatever its inputs.

Equal nodes with equal inputs, and Identity, compute the same thing, so one value stands for all.
The runtime merges them too (common subexpressions, shared constants), and keeps any one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx

from onnxlab.mapping.operators import NONDETERMINISTIC, default_domain
from onnxlab.model.table import GraphKind, ValueKind

if TYPE_CHECKING:
    from onnxlab.mapping.dataflow import Dataflow

__all__ = ["canonical_values"]

_COMPARED_TENSOR_BYTES = 4096  # the runtime shares small constants only
_DATA_FIELDS = (
    "raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data",
    "string_data",
)  # fmt: skip


def canonical_values(flow: Dataflow) -> list[int]:
    """Return, per value, the first value that equals it."""
    return _Numbering(flow).run()


class _Numbering:
    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow
        self._same = list(flow.source)
        self._first: dict[object, int] = {}  # the first value of each key

    def run(self) -> list[int]:
        self._number_initializers()
        for row in self._flow.topological_rows:
            self._number(row)
        return [self._same[source] for source in self._flow.source]

    def _number_initializers(self) -> None:
        flow = self._flow
        kinds = flow.value_kind
        for value in range(flow.table.value_count):
            if kinds[value] != ValueKind.INITIALIZER:
                continue
            tensor = flow.initializers.get((flow.value_graph[value], flow.value_name(value)))
            key = _tensor_key(tensor) if tensor is not None else None
            if key is not None:
                self._same[value] = self._first.setdefault(key, value)

    def _number(self, row: int) -> None:
        flow, node, outputs = self._flow, self._flow.protos[row], self._flow.outputs[row]
        if row in flow.bodies or node.op_type in NONDETERMINISTIC or not outputs:
            return
        if node.op_type == "Identity" and flow.deps[row] and outputs[0] >= 0:
            self._same[outputs[0]] = self._same[flow.deps[row][0]]
            return
        first = self._first.setdefault(self._key(row), outputs[0])
        producer = flow.producer[first] if first >= 0 else -1
        # Equal nodes are equal output by output; a constant equals an initializer's one value.
        equals = flow.outputs[producer] if producer >= 0 else [first]
        for value, equal in zip(outputs, equals, strict=False):
            if value >= 0 and equal >= 0:
                self._same[value] = self._same[equal]

    def _key(self, row: int) -> object:
        flow, node = self._flow, self._flow.protos[row]
        if node.op_type == "Constant" and len(node.attribute) == 1:
            key = _tensor_key(node.attribute[0].t)
            if key is not None:
                return key
        inputs = tuple(-1 if v < 0 else self._same[flow.source[v]] for v in flow.inputs[row])
        attributes = sorted(a.SerializeToString(deterministic=True) for a in node.attribute)
        return (
            self._home(row),
            default_domain(node.domain),
            node.op_type,
            inputs,
            len(node.output),
            tuple(attributes),
        )

    def _home(self, row: int) -> int:
        """Return the graph into which a node is inlined; nodes merge within one graph only."""
        flow, graph = self._flow, self._flow.graph[row]
        if any(attribute.ref_attr_name for attribute in flow.protos[row].attribute):
            return graph  # its attributes may differ from call to call
        owner = flow.graph_owner[graph]
        while owner >= 0:
            is_function = flow.graph_kind[graph] == GraphKind.FUNCTION
            if not is_function and flow.inlined.get(owner) != graph:
                break
            graph = flow.graph[owner]
            owner = flow.graph_owner[graph]
        return graph


def _tensor_key(tensor: onnx.TensorProto) -> bytes | None:
    """Return what tells a small tensor's value; None for a large or left-out one."""
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    if not any(getattr(tensor, field) for field in _DATA_FIELDS):
        return None
    if tensor.ByteSize() > _COMPARED_TENSOR_BYTES:
        return None
    copy = onnx.TensorProto()
    copy.CopyFrom(tensor)
    copy.ClearField("name")
    copy.ClearField("doc_string")
    return copy.SerializeToString(deterministic=True)
