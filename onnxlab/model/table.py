"""The columnar graph table: every graph, scope, node and value of a model as plain columns.

This is what analyses read and what travels to the browser (`onnxlab.wire`). Row numbers are the
keys inside one process; addresses (`onnxlab.model.address`) are their stable text form.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag

import numpy as np
import numpy.typing as npt

__all__ = ["GraphKind", "GraphTable", "NodeFlag", "ScopeKind", "ValueKind"]

Int32 = npt.NDArray[np.int32]
UInt8 = npt.NDArray[np.uint8]
Float64 = npt.NDArray[np.float64]


class GraphKind(IntEnum):
    """What a row of ``graph_*`` is."""

    MAIN = 0
    BODY = 1  # the subgraph in an attribute of a control-flow node
    FUNCTION = 2  # the body of a local function, once per call site (owner -1: never called)


class ScopeKind(IntEnum):
    """What a row of ``scope_*`` is."""

    ROOT = 0
    MODULE = 1  # from exporter metadata, node-name paths or value-name paths
    NODE = 2  # stands for a node that has bodies (control flow, function call): see scope_node
    BODY = 3  # one body of such a node, present where it has several


class ValueKind(IntEnum):
    """Where a value comes from."""

    NODE_OUTPUT = 0
    INPUT = 1
    INITIALIZER = 2
    UNDEFINED = 3  # used, but defined nowhere in scope


class NodeFlag(IntFlag):
    """Facts about a node that views and analyses need at once."""

    CONSTANT = 1  # a Constant node
    HAS_BODY = 2  # owns subgraphs, or calls a local function
    UNKNOWN_OP = 4  # no schema and no local function of that name
    IN_CYCLE = 8
    UNSORTED = 16  # uses a value that a later node produces
    UNUSED = 32  # no output reaches a graph output


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphTable:
    """Columns of every graph of a model, main graph first, in pre-order.

    A name column holds indices into ``strings`` (index 0 is the empty string). Ragged columns are
    pairs ``X_start`` (n + 1 offsets) and ``X`` (the flattened rows). ``-1`` means none.

    Attributes
    ----------
    strings
        The string table.
    graph_name, graph_kind, graph_owner, graph_attribute
        Per graph: its name, `GraphKind`, the row of the node that owns it, and the name of the
        attribute (or of the function) that holds it.
    graph_inputs_start, graph_inputs, graph_outputs_start, graph_outputs
        Per graph: value rows in declared order.
    scope_parent, scope_name, scope_kind, scope_node
        Per scope: parent row, own (last) name, `ScopeKind`, and the node row for kind NODE.
        Row 0 is the root. A parent always precedes its children.
    node_op, node_domain, node_name, node_graph, node_index, node_scope, node_flags
        Per node: strings, graph row, position in its graph, scope row, `NodeFlag` bits.
    node_inputs_start, node_inputs, node_outputs_start, node_outputs
        Per node: value rows; -1 for an omitted optional (an empty name).
        A captured value is the row of the outer value itself.
    value_name, value_graph, value_kind, value_producer
        Per value: string, graph row where defined, `ValueKind`, producing node row or -1.
    value_dtype, value_shape, value_size_bytes
        Per value: strings such as ``f32`` and ``1×3×224×224`` (``[]`` for a scalar, ``?`` for an
        unknown dimension, empty for an unknown rank), and bytes (-1 where unknown).
    """

    strings: tuple[str, ...]
    graph_name: Int32
    graph_kind: UInt8
    graph_owner: Int32
    graph_attribute: Int32
    graph_inputs_start: Int32
    graph_inputs: Int32
    graph_outputs_start: Int32
    graph_outputs: Int32
    scope_parent: Int32
    scope_name: Int32
    scope_kind: UInt8
    scope_node: Int32
    node_op: Int32
    node_domain: Int32
    node_name: Int32
    node_graph: Int32
    node_index: Int32
    node_scope: Int32
    node_flags: UInt8
    node_inputs_start: Int32
    node_inputs: Int32
    node_outputs_start: Int32
    node_outputs: Int32
    value_name: Int32
    value_graph: Int32
    value_kind: UInt8
    value_producer: Int32
    value_dtype: Int32
    value_shape: Int32
    value_size_bytes: Float64

    @property
    def node_count(self) -> int:
        """Number of node rows, bodies and functions included."""
        return len(self.node_op)

    @property
    def value_count(self) -> int:
        """Number of value rows."""
        return len(self.value_name)

    def op(self, node: int) -> str:
        """Operator name of a node row."""
        return self.strings[int(self.node_op[node])]

    def name(self, node: int) -> str:
        """Name of a node row as the file has it, possibly empty."""
        return self.strings[int(self.node_name[node])]

    def inputs(self, node: int) -> Int32:
        """Value rows a node reads, -1 for omitted ones."""
        return self.node_inputs[self.node_inputs_start[node] : self.node_inputs_start[node + 1]]

    def outputs(self, node: int) -> Int32:
        """Value rows a node writes, -1 for omitted ones."""
        return self.node_outputs[self.node_outputs_start[node] : self.node_outputs_start[node + 1]]
