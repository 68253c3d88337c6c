"""The contract with the TypeScript core: every message, versioned.

The TypeScript types in ``extension/src/core/wire.gen.ts`` are generated from this file
(``make wire``). One encoding everywhere: msgpack. Binary columns are little-endian ``int32``,
``uint8`` or ``float64`` as each comment says; copy them before viewing them as typed arrays.
64-bit integers from a model travel as text. Row numbers are those of
`onnxlab.model.table.GraphTable`, whose docstring defines every graph column.
"""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = [
    "VERSION",
    "Attribute",
    "Entry",
    "Failure",
    "FindingMessage",
    "GraphColumns",
    "Interval",
    "Metric",
    "ModelHeader",
    "NodeDetail",
    "NodeRequest",
    "ProfileColumns",
    "Region",
    "Request",
    "Response",
    "ShapeColumns",
    "ShapesRequest",
    "ValueDetail",
    "ValueRequest",
    "ViewDocument",
]

VERSION = 1


class GraphColumns(msgspec.Struct, kw_only=True):
    """A `GraphTable` as bytes."""

    strings: list[str]
    graph_name: bytes  # int32
    graph_kind: bytes  # uint8
    graph_owner: bytes  # int32
    graph_attribute: bytes  # int32
    graph_inputs_start: bytes  # int32
    graph_inputs: bytes  # int32
    graph_outputs_start: bytes  # int32
    graph_outputs: bytes  # int32
    scope_parent: bytes  # int32
    scope_name: bytes  # int32
    scope_kind: bytes  # uint8
    scope_node: bytes  # int32
    node_op: bytes  # int32
    node_domain: bytes  # int32
    node_name: bytes  # int32
    node_graph: bytes  # int32
    node_index: bytes  # int32
    node_scope: bytes  # int32
    node_flags: bytes  # uint8
    node_inputs_start: bytes  # int32
    node_inputs: bytes  # int32
    node_outputs_start: bytes  # int32
    node_outputs: bytes  # int32
    value_name: bytes  # int32
    value_graph: bytes  # int32
    value_kind: bytes  # uint8
    value_producer: bytes  # int32
    value_dtype: bytes  # int32
    value_shape: bytes  # int32
    value_size_bytes: bytes  # float64


class Entry(msgspec.Struct, kw_only=True):
    """A key with its text, both of them possibly the model's: show as text only."""

    key: str
    text: str


class ModelHeader(msgspec.Struct, kw_only=True):
    """The one line above a graph, and what stands in the model panel."""

    name: str  # the file's name, or the graph's where there is no file
    summary: str  # "opset 17 · 177 nodes · 25.6 M parameters · 97.5 MB"
    entries: list[Entry]  # producer, IR version, opsets, inputs, outputs, metadata, ...


class FindingMessage(msgspec.Struct, kw_only=True):
    """A `onnxlab.analysis.finding.Finding`, with node rows for its addresses."""

    code: str
    severity: Literal["error", "warning", "info"]
    hazard: str
    remedy: str
    why: str
    nodes: list[int]
    count: int


class Metric(msgspec.Struct, kw_only=True):
    """A number per node, by which the graph can be coloured and searched."""

    key: str  # "time.cpu": the word used in the search box
    label: str  # "time on cpu"
    unit: Literal["us", "share", "bytes", "count", ""]
    estimated: bool
    additive: bool  # whether a group's value is the sum of its nodes'
    values: bytes  # float64 per node row; NaN where there is none


class Interval(msgspec.Struct, kw_only=True):
    """A number with its confidence interval, in microseconds."""

    value: float
    low: float
    high: float


class Region(msgspec.Struct, kw_only=True):
    """Kernels that ran one or several original nodes, or were inserted for one."""

    label: str  # "Conv+Relu (nchwc)"
    kind: Literal["node", "region", "inserted", "unattributed"]
    nodes: list[int]  # original node rows; for an inserted kernel its owner
    time_us: float
    share: float  # of all kernel time


class ProfileColumns(msgspec.Struct, kw_only=True):
    """What one provider did with the model."""

    label: str  # "cpu"
    provider: str  # "CPUExecutionProvider": where its nodes really ran
    wall: Interval
    regions: list[Region]
    node_region: bytes  # int32 per node row: index into regions, -1 for none
    node_fate: bytes  # uint8 per node row: index into fates
    fates: list[str]


class NodeDetail(msgspec.Struct, kw_only=True, tag="node"):
    """Everything about one node that the columns do not hold."""

    node: int
    address: str
    attributes: list[Attribute]
    doc: str
    metadata: list[Entry]
    schema_doc: str  # first paragraph of the operator's documentation, plain text


class Attribute(msgspec.Struct, kw_only=True):
    """One attribute of a node."""

    name: str
    type: str  # "int", "ints", "float", "string", "tensor", "graph", ...
    text: str  # elided at 2,000 characters


class ValueDetail(msgspec.Struct, kw_only=True, tag="value"):
    """Everything about one value that the columns do not hold."""

    value: int
    address: str
    entries: list[Entry]  # dtype, shape, bytes, where stored, statistics
    doc: str
    preview: str  # the first elements, plain text


class ShapeColumns(msgspec.Struct, kw_only=True, tag="shapes"):
    """Inferred types and shapes, replacing those of `GraphColumns`."""

    strings: list[str]  # the whole string table, extended
    value_dtype: bytes  # int32
    value_shape: bytes  # int32
    value_size_bytes: bytes  # float64
    problem: str  # one line where inference failed, else empty


class Failure(msgspec.Struct, kw_only=True, tag="failure"):
    """A request that could not be answered, as one line."""

    message: str


class NodeRequest(msgspec.Struct, kw_only=True, tag="node"):
    """Ask for a `NodeDetail`."""

    node: int


class ValueRequest(msgspec.Struct, kw_only=True, tag="value"):
    """Ask for a `ValueDetail`."""

    value: int


class ShapesRequest(msgspec.Struct, kw_only=True, tag="shapes"):
    """Ask for `ShapeColumns`."""


Request = NodeRequest | ValueRequest | ShapesRequest
Response = NodeDetail | ValueDetail | ShapeColumns | Failure


class ViewDocument(msgspec.Struct, kw_only=True):
    """All that a view needs to draw: sent once; details follow on request."""

    version: int
    header: ModelHeader
    graph: GraphColumns
    findings: list[FindingMessage]
    metrics: list[Metric]
    profiles: list[ProfileColumns]
    details: list[NodeDetail]  # filled where no one can answer requests (a report)
    shapes_complete: bool  # False: ask for `ShapeColumns`
