"""Rules about names, order and connections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.analysis.rules.report import (
    MAX_ADDRESSES,
    counted,
    listed,
    node_finding,
    node_label,
    value_label,
)
from onnxlab.model.flags import cycles, edges
from onnxlab.model.model import Model
from onnxlab.model.table import NodeFlag, ScopeKind, ValueKind

__all__ = ["RULES"]

MAX_CYCLES = 20


def duplicate_node_names(model: Model) -> Iterator[Finding]:
    """Find nodes of one graph that share a name."""
    table = model.table
    keys = table.node_graph.astype(np.int64) << 32 | table.node_name
    _, first, inverse, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    shared = (counts > 1) & (table.node_name[first] > 0)
    if shared.any():
        rows = np.flatnonzero(shared[inverse]).tolist()
        names = [table.name(row) for row in sorted(first[shared].tolist())]
        yield node_finding(
            model,
            rows,
            code="duplicate-node-name",
            severity=Severity.WARNING,
            hazard=f"{counted(len(rows), 'node')} share {counted(len(names), 'name')}: "
            f"{listed(names)}.",
            remedy="Give every node a name of its own; here they are told apart by address.",
            why="Some runtimes refuse such a model, and tools that join by name mix the nodes up.",
        )


def unnamed_nodes(model: Model) -> Iterator[Finding]:
    """Find nodes without a name."""
    rows = np.flatnonzero(model.table.node_name == 0).tolist()
    if rows:
        yield node_finding(
            model,
            rows,
            code="unnamed-node",
            severity=Severity.INFO,
            hazard=f"{counted(len(rows), 'node', ('has', 'have'))} no name.",
            remedy="Use addresses to refer to them.",
        )


def order(model: Model) -> Iterator[Finding]:
    """Find cycles, and nodes that stand before what they need."""
    table = model.table
    cyclic = (table.node_flags & NodeFlag.IN_CYCLE) > 0
    if cyclic.any():
        for group in cycles(table, edges(table))[:MAX_CYCLES]:
            yield node_finding(
                model,
                group,
                code="cycle",
                severity=Severity.ERROR,
                hazard=f"{counted(len(group), 'node')} in a cycle: "
                f"{listed(node_label(model, row) for row in group)}.",
                remedy="Break the cycle; a loop over data needs a Loop or Scan node.",
                why="No order exists in which the nodes could run.",
            )
    unsorted = np.flatnonzero((table.node_flags & NodeFlag.UNSORTED > 0) & ~cyclic).tolist()
    if unsorted:
        yield node_finding(
            model,
            unsorted,
            code="unsorted",
            severity=Severity.WARNING,
            hazard=f"{counted(len(unsorted), 'node', ('uses', 'use'))} what a later node produces: "
            f"{listed(node_label(model, row) for row in unsorted)}.",
            remedy="Sort the nodes topologically and save the model again.",
            why="ONNX requires sorted nodes; the checker refuses this, ONNX Runtime may sort.",
        )


def undefined_values(model: Model) -> Iterator[Finding]:
    """Find values that are used but that nothing defines."""
    table = model.table
    rows = np.flatnonzero(table.value_kind == ValueKind.UNDEFINED)
    if not len(rows):
        return
    counts = np.diff(table.node_inputs_start)
    users = np.repeat(np.arange(table.node_count), counts)
    affected = np.unique(users[np.isin(table.node_inputs, rows)]).tolist()
    names = listed(value_label(model, row) for row in rows.tolist())
    yield Finding(
        code="undefined-value",
        severity=Severity.ERROR,
        hazard=f"{counted(len(rows), 'value', ('is', 'are'))} used but defined nowhere: {names}.",
        remedy="Add the missing node, input or initializer, or mend the name.",
        why="The model cannot run without it.",
        addresses=tuple(model.address(row) for row in affected[:MAX_ADDRESSES])
        or tuple(model.value_address(row) for row in rows[:MAX_ADDRESSES].tolist()),
        count=len(rows),
    )


def duplicate_values(model: Model) -> Iterator[Finding]:
    """Find values that a graph defines more than once."""
    table = model.table
    keys = table.value_graph.astype(np.int64) << 32 | table.value_name
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    rows = sorted(first[counts > 1].tolist())
    if rows:
        doubled = set(keys[rows].tolist())
        producers = [
            int(table.value_producer[row])
            for row, key in enumerate(keys.tolist())
            if key in doubled and table.value_producer[row] >= 0
        ]
        yield Finding(
            code="duplicate-value",
            severity=Severity.ERROR,
            hazard=f"{counted(len(rows), 'value', ('is', 'are'))} defined more than once: "
            f"{listed(value_label(model, row) for row in rows)}.",
            remedy="Give each output a name of its own.",
            why="ONNX demands single assignment; runtimes refuse such a model.",
            addresses=tuple(model.address(row) for row in producers[:MAX_ADDRESSES]),
            count=len(rows),
        )


def scopes_named_like_nodes(model: Model) -> Iterator[Finding]:
    """Find names that stand for a node and for a scope beside it."""
    table = model.table
    modules = np.flatnonzero(table.scope_kind == ScopeKind.MODULE).tolist()
    taken = {
        (int(table.scope_parent[scope]), table.strings[int(table.scope_name[scope])])
        for scope in modules
    }
    if not taken:
        return
    rows = [
        row
        for row, scope in enumerate(table.node_scope.tolist())
        if (scope, table.name(row).rpartition("/")[2]) in taken
    ]
    if rows:
        yield node_finding(
            model,
            rows,
            code="node-and-scope-share-name",
            severity=Severity.INFO,
            hazard=f"{counted(len(rows), 'node', ('has', 'have'))} the name of a scope beside: "
            f"{listed(table.name(row) for row in rows)}.",
            remedy="Both are shown; search by address to tell them apart.",
        )


def unused_nodes(model: Model) -> Iterator[Finding]:
    """Find nodes whose outputs reach no output of the model."""
    rows = np.flatnonzero(model.table.node_flags & NodeFlag.UNUSED).tolist()
    if rows:
        yield node_finding(
            model,
            rows,
            code="unused-node",
            severity=Severity.INFO,
            hazard=f"{counted(len(rows), 'node', ('reaches', 'reach'))} no output: "
            f"{listed(node_label(model, row) for row in rows)}.",
            remedy="Remove them; runtimes that optimise do so when loading.",
        )


def differing_branches(model: Model) -> Iterator[Finding]:
    """Find Ifs whose branches give different types or ranks."""
    table = model.table
    outputs: dict[int, list[list[tuple[str, int]]]] = defaultdict(list)
    for graph, owner in enumerate(table.graph_owner.tolist()):
        if owner >= 0 and table.op(owner) == "If":
            start, end = table.graph_outputs_start[graph : graph + 2]
            rows = table.graph_outputs[start:end].tolist()
            outputs[owner].append([_type_and_rank(model, row) for row in rows])
    rows = [
        row
        for row, branches in outputs.items()
        if len(branches) == 2 and any(map(_differ, *branches))
    ]
    if rows:
        yield node_finding(
            model,
            rows,
            code="branches-differ",
            severity=Severity.WARNING,
            hazard=f"The branches of {counted(len(rows), 'If')} give outputs of different type or "
            f"rank: {listed(node_label(model, row) for row in rows)}.",
            remedy="Reshape or cast so that both branches agree.",
            why="onnx's checker refuses it and shapes behind it are unknown; ONNX Runtime runs it.",
        )


def _type_and_rank(model: Model, row: int) -> tuple[str, int]:
    """Return a value's type and rank, an empty text and -1 where they are unknown."""
    if row < 0:
        return "", -1
    table = model.table
    shape = table.strings[int(table.value_shape[row])]
    rank = -1 if not shape else 0 if shape == "[]" else shape.count("×") + 1
    return table.strings[int(table.value_dtype[row])], rank


def _differ(one: tuple[str, int], other: tuple[str, int]) -> bool:
    types = bool(one[0] and other[0]) and one[0] != other[0]
    return types or (min(one[1], other[1]) >= 0 and one[1] != other[1])


RULES = (
    order,
    undefined_values,
    duplicate_values,
    differing_branches,
    duplicate_node_names,
    scopes_named_like_nodes,
    unnamed_nodes,
    unused_nodes,
)
