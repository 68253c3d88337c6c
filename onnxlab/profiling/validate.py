"""Whether the parts of a profile that comes from a file fit together.

Everything that reads a profile trusts its row numbers, and that scopes have no cycle.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import numpy.typing as npt

from onnxlab.model.table import GraphTable
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile

__all__ = ["validate"]

# What a column's numbers count, where its name does not say so: "strings" for names.
_COUNTED = {
    "graph_owner": "node",
    "graph_inputs": "value",
    "graph_outputs": "value",
    "scope_parent": "scope",
    "scope_node": "node",
    "node_graph": "graph",
    "node_scope": "scope",
    "node_inputs": "value",
    "node_outputs": "value",
    "value_graph": "graph",
    "value_producer": "node",
}
_NAMES = frozenset(
    [
        "graph_name",
        "graph_attribute",
        "scope_name",
        "node_op",
        "node_domain",
        "node_name",
        "value_name",
        "value_dtype",
        "value_shape",
    ]
)
_RAGGED = ("graph_inputs", "graph_outputs", "node_inputs", "node_outputs")


def validate(profile: Profile) -> None:
    """Raise ``ValueError`` unless the parts of a profile fit together."""
    table = profile.model.table
    _check_table(table)
    nodes = table.node_count
    _require(len(profile.model.addresses) == nodes, "addresses")
    _require(len(profile.model.scopes) == nodes, "scopes")
    for cell in profile.cells:
        _check_cell(cell, nodes)


def _check_table(table: GraphTable) -> None:
    counts = {
        "graph": len(table.graph_name),
        "scope": len(table.scope_parent),
        "node": len(table.node_op),
        "value": len(table.value_name),
    }
    _require(min(counts["graph"], counts["scope"], len(table.strings)) > 0, "the table")
    for field in fields(table):
        if field.name == "strings":
            continue
        column = getattr(table, field.name)
        _require(column.ndim == 1, field.name)
        if field.name not in _RAGGED:
            starts = field.name.endswith("_start")
            _require(len(column) == counts[field.name.partition("_")[0]] + starts, field.name)
        if field.name in _NAMES:
            _check_rows(column, field.name, least=0, count=len(table.strings))
        elif field.name in _COUNTED:
            _check_rows(column, field.name, least=-1, count=counts[_COUNTED[field.name]])
    for name in ("node_graph", "node_scope", "value_graph"):
        _require(bool((getattr(table, name) >= 0).all()), name)
    for name in _RAGGED:
        _check_starts(getattr(table, f"{name}_start"), len(getattr(table, name)), name)
    _require(table.scope_parent[0] == -1, "scope_parent")
    later = table.scope_parent[1:]
    _require(bool((later >= 0).all() and (later < np.arange(1, len(later) + 1)).all()), "scopes")


def _check_rows(column: npt.NDArray[np.int32], name: str, *, least: int, count: int) -> None:
    _require(bool(((column >= least) & (column < count)).all()), name)


def _check_starts(starts: npt.NDArray[np.int32], length: int, name: str) -> None:
    grows = bool((np.diff(starts.astype(np.int64)) >= 0).all())
    _require(grows and starts[0] == 0 and starts[-1] == length, f"{name}_start")


def _check_cell(cell: Cell, nodes: int) -> None:
    _require(cell.self_us.ndim == 2 and cell.self_us.shape[1] == len(cell.kernels), "kernel times")
    _require(len(cell.fates) in (0, nodes), "fates")
    _require(not cell.is_attributed or len(cell.fates) == nodes, "fates")
    for session in cell.sessions:
        _require(len(session.run_ns) == len(session.cpu_ns) > 0, "run times")
    for kernel in cell.kernels:
        origin = kernel.origin
        rows = (*origin.nodes, origin.lead, origin.owner)
        _require(all(row is None or 0 <= row < nodes for row in rows), "origins")


def _require(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(f"{what} does not fit")
