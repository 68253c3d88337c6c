"""Filling the `GraphTable` from a skeleton in one walk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import FunctionProto, GraphProto, NodeProto, TypeProto

from onnxlab.model.flags import node_flags
from onnxlab.model.scope import ScopeBuilder
from onnxlab.model.table import GraphKind, GraphTable, ValueKind
from onnxlab.model.text import text
from onnxlab.model.types import UNKNOWN, TypeText, tensor_text, type_text
from onnxlab.model.walk import GraphVisit, Walk

__all__ = ["StringTable", "build_table"]

# Raw names are str, or bytes where the file does not hold UTF-8.
_Names = dict[str, int]


class StringTable:
    """Numbers strings in order of appearance; 0 is the empty string.

    Attributes
    ----------
    rows
        The number of each string.
    """

    def __init__(self, strings: Iterable[str] = ("",)) -> None:
        self.rows = {string: row for row, string in enumerate(strings)}

    def add(self, string: str) -> int:
        """Return the string's number."""
        return self.rows.setdefault(string, len(self.rows))

    def strings(self) -> tuple[str, ...]:
        """Return all strings in order."""
        return tuple(text(string) for string in self.rows)


def build_table(walk: Walk, *, known_op: npt.NDArray[np.bool_]) -> GraphTable:
    """Tabulate the graphs of a walk.

    Parameters
    ----------
    walk
        The graphs in the table's order.
    known_op
        Per node row: whether its operator has a schema or a local function.
    """
    builder = _Builder(walk)
    for visit in walk.visits:
        builder.add_graph(visit)
    return builder.finish(known_op)


class _Builder:
    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._strings = StringTable()
        self._scopes = ScopeBuilder(walk, self._strings.add)
        self._types: dict[bytes, int] = {b"": 0}
        self._type_texts: list[TypeText] = [UNKNOWN]
        self._names: list[_Names] = []  # per graph: the values it defines, by name
        self._owner_graph: list[int] = []  # per graph: the graph of its owner, if names reach it
        self._row_graph: list[int] = []  # per node row
        self.graph_inputs: list[list[int]] = []
        self.graph_outputs: list[list[int]] = []
        self.node_op: list[int] = []
        self.node_domain: list[int] = []
        self.node_name: list[int] = []
        self.node_inputs: list[int] = []
        self.node_inputs_start: list[int] = [0]
        self.node_outputs: list[int] = []
        self.node_outputs_start: list[int] = [0]
        self.value_name: list[int] = []
        self.value_graph: list[int] = []
        self.value_kind: list[int] = []
        self.value_producer: list[int] = []
        self.value_type: dict[int, int] = {}  # row → index into `_type_texts`

    def add_graph(self, visit: GraphVisit) -> None:
        names: _Names = {}
        self._names.append(names)
        self._owner_graph.append(
            self._row_graph[visit.owner] if visit.kind == GraphKind.BODY else -1
        )
        self._row_graph.extend([visit.row] * visit.node_count)
        proto = visit.proto
        if isinstance(proto, GraphProto):
            initializers = _initializer_types(proto)
            self._define_inputs(visit.row, [value.name for value in proto.input], initializers)
            self._define_initializers(visit.row, initializers)
            outputs = [value.name for value in proto.output]
        else:
            self._define_inputs(visit.row, list(proto.input), {})
            outputs = list(proto.output)
        self._define_outputs(visit, proto.node)
        self._read_inputs(visit, proto.node)
        self.graph_outputs.append([self._resolve(visit.row, name) for name in outputs])
        self._read_types(proto, names)

    def _define_inputs(
        self, graph: int, inputs: list[str], initializers: dict[str, TypeText]
    ) -> None:
        rows = []
        for name in inputs:
            kind = ValueKind.INITIALIZER if name in initializers else ValueKind.INPUT
            rows.append(self._define(graph, name, kind))
        self.graph_inputs.append(rows)

    def _define_initializers(self, graph: int, initializers: dict[str, TypeText]) -> None:
        names = self._names[graph]
        for name, shown in initializers.items():
            row = names.get(name)
            if row is None:
                row = self._define(graph, name, ValueKind.INITIALIZER)
            self.value_type[row] = len(self._type_texts)
            self._type_texts.append(shown)

    def _define(self, graph: int, name: str, kind: int, producer: int = -1) -> int:
        row = len(self.value_name)
        self.value_name.append(self._strings.add(name))
        self.value_graph.append(graph)
        self.value_kind.append(kind)
        self.value_producer.append(producer)
        self._names[graph].setdefault(name, row)
        return row

    def _define_outputs(self, visit: GraphVisit, nodes: Iterable[NodeProto]) -> None:
        """Add a graph's nodes and their outputs; written flat, since big models dwell here."""
        graph, names = visit.row, self._names[visit.row]
        rows = self._strings.rows
        number = rows.setdefault
        value_name, outputs, starts = self.value_name, self.node_outputs, self.node_outputs_start
        row, first = len(value_name), len(value_name)
        for producer, node in enumerate(nodes, visit.first_node):
            self.node_op.append(number(node.op_type, len(rows)))
            self.node_domain.append(number(node.domain, len(rows)))
            self.node_name.append(number(node.name, len(rows)))
            for name in node.output:
                if not name:
                    outputs.append(-1)
                    continue
                names.setdefault(name, row)
                value_name.append(number(name, len(rows)))
                self.value_producer.append(producer)
                outputs.append(row)
                row += 1
            starts.append(len(outputs))
        self.value_graph.extend([graph] * (row - first))
        self.value_kind.extend([int(ValueKind.NODE_OUTPUT)] * (row - first))

    def _read_inputs(self, visit: GraphVisit, nodes: Iterable[NodeProto]) -> None:
        graph, flat, starts = visit.row, self.node_inputs, self.node_inputs_start
        own = self._names[graph]
        for node in nodes:
            for name in node.input:
                row = own.get(name)
                flat.append(self._resolve(graph, name) if row is None else row)
            starts.append(len(flat))

    def _resolve(self, graph: int, name: str) -> int:
        """Return the value that a name means in a graph, -1 for an omitted one."""
        if not name:
            return -1
        at = graph
        while at >= 0:
            row = self._names[at].get(name)
            if row is not None:
                return row
            at = self._owner_graph[at]
        return self._define(graph, name, ValueKind.UNDEFINED)

    def _read_types(self, proto: GraphProto | FunctionProto, names: _Names) -> None:
        infos = [proto.value_info]
        if isinstance(proto, GraphProto):
            infos += [proto.input, proto.output]
        types, value_type = self._types, self.value_type
        for values in infos:
            for value in values:
                row = names.get(value.name)
                if row is None or row in value_type:
                    continue
                # Most values share few types; formatting one is slower than serialising it.
                key = value.type.SerializeToString()
                index = types.get(key)
                value_type[row] = self._new_type(key, value.type) if index is None else index

    def _new_type(self, key: bytes, proto: TypeProto) -> int:
        index = self._types[key] = len(self._type_texts)
        self._type_texts.append(type_text(proto))
        return index

    def _type_columns(self) -> dict[str, npt.NDArray[Any]]:
        index = np.zeros(len(self.value_name), np.intp)
        index[list(self.value_type)] = list(self.value_type.values())
        texts, add = self._type_texts, self._strings.add
        return {
            "value_dtype": _int32(add(shown.dtype) for shown in texts)[index],
            "value_shape": _int32(add(shown.shape) for shown in texts)[index],
            "value_size_bytes": np.array([shown.size_bytes for shown in texts])[index],
        }

    def finish(self, known_op: npt.NDArray[np.bool_]) -> GraphTable:
        visits, add = self._walk.visits, self._strings.add
        node_scope = self._scopes.build()
        inputs_start, inputs = _ragged(self.graph_inputs)
        outputs_start, outputs = _ragged(self.graph_outputs)
        counts = [visit.node_count for visit in visits]
        columns: dict[str, npt.NDArray[Any]] = {
            "graph_name": _int32(add(visit.proto.name) for visit in visits),
            "graph_kind": np.array([visit.kind for visit in visits], np.uint8),
            "graph_owner": _int32(visit.owner for visit in visits),
            "graph_attribute": _int32(add(visit.attribute) for visit in visits),
            "graph_inputs_start": inputs_start,
            "graph_inputs": inputs,
            "graph_outputs_start": outputs_start,
            "graph_outputs": outputs,
            "node_op": _int32(self.node_op),
            "node_domain": _int32(self.node_domain),
            "node_name": _int32(self.node_name),
            "node_graph": _int32(self._row_graph),
            "node_index": np.concatenate([np.arange(n, dtype=np.int32) for n in counts]),
            "node_scope": _int32(node_scope),
            "node_inputs_start": _int32(self.node_inputs_start),
            "node_inputs": _int32(self.node_inputs),
            "node_outputs_start": _int32(self.node_outputs_start),
            "node_outputs": _int32(self.node_outputs),
            "value_name": _int32(self.value_name),
            "value_graph": _int32(self.value_graph),
            "value_kind": np.array(self.value_kind, np.uint8),
            "value_producer": _int32(self.value_producer),
            **self._type_columns(),
            **self._scopes.columns(),
        }
        table = GraphTable(
            strings=self._strings.strings(),
            node_flags=np.zeros(len(self.node_op), np.uint8),
            **columns,
        )
        table.node_flags[:] = node_flags(table, known_op=known_op)
        return table


def _initializer_types(graph: GraphProto) -> dict[str, TypeText]:
    types: dict[str, TypeText] = {}
    for tensor in graph.initializer:
        types.setdefault(tensor.name, tensor_text(tensor.data_type, list(tensor.dims)))
    for sparse in graph.sparse_initializer:
        shown = tensor_text(sparse.values.data_type, list(sparse.dims))
        sparse_type = TypeText(f"sparse({shown.dtype})", shown.shape, -1.0)
        types.setdefault(sparse.values.name, sparse_type)
    return types


def _ragged(
    lists: list[list[int]],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    starts = np.zeros(len(lists) + 1, np.int32)
    np.cumsum([len(rows) for rows in lists], out=starts[1:])
    return starts, _int32(row for rows in lists for row in rows)


def _int32(numbers: Iterable[int]) -> npt.NDArray[np.int32]:
    return np.array(numbers if isinstance(numbers, list) else list(numbers), np.int32)
