"""Facts about nodes that follow from the table: order, cycles, use."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from onnxlab.model.table import GraphKind, GraphTable, NodeFlag

__all__ = ["Edges", "cycles", "edges", "node_flags"]

Int64 = npt.NDArray[np.int64]

Edges = tuple[Int64, Int64]


def node_flags(table: GraphTable, *, known_op: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return the `NodeFlag` bits of every node."""
    flags = np.zeros(table.node_count, np.uint8)
    if not table.node_count:
        return flags
    flags[~known_op] |= np.uint8(NodeFlag.UNKNOWN_OP)
    if "Constant" in table.strings:
        constant = table.strings.index("Constant")
        default = [i for i, s in enumerate(table.strings) if s in ("", "ai.onnx")]
        is_constant = (table.node_op == constant) & np.isin(table.node_domain, default)
        flags[is_constant] |= np.uint8(NodeFlag.CONSTANT)
    owners = table.graph_owner[table.graph_owner >= 0]
    flags[owners] |= np.uint8(NodeFlag.HAS_BODY)
    source, target = edges(table)
    flags[target[source >= target]] |= np.uint8(NodeFlag.UNSORTED)
    for cycle in cycles(table, (source, target)):
        flags[cycle] |= np.uint8(NodeFlag.IN_CYCLE)
    flags[~_used(table)] |= np.uint8(NodeFlag.UNUSED)
    return flags


def edges(table: GraphTable) -> Edges:
    """Return who feeds whom, as producer and consumer rows within one graph.

    A body's use of an outer value counts as a use by the node that owns the body.
    """
    counts = np.diff(table.node_inputs_start)
    consumer = np.repeat(np.arange(table.node_count, dtype=np.int64), counts)
    source, target = _lift(table, table.node_inputs.astype(np.int64), consumer)
    # A body's outputs can name outer values as well.
    lengths = np.diff(table.graph_outputs_start)
    owner = np.repeat(table.graph_owner.astype(np.int64), lengths)
    more_source, more_target = _lift(table, table.graph_outputs.astype(np.int64), owner)
    return np.concatenate((source, more_source)), np.concatenate((target, more_target))


def _lift(table: GraphTable, value: Int64, consumer: Int64) -> Edges:
    """Pair producers with consumers, climbing from a body to the node that owns it."""
    present = (value >= 0) & (consumer >= 0)
    value, consumer = value[present], consumer[present]
    producer = table.value_producer[value].astype(np.int64)
    present = producer >= 0
    value, consumer, producer = value[present], consumer[present], producer[present]
    goal = table.value_graph[value]
    while True:
        away = table.node_graph[consumer] != goal
        if not away.any():
            return producer, consumer
        lifted = table.graph_owner[table.node_graph[consumer[away]]]
        consumer[away] = lifted
        found = np.ones(len(consumer), bool)
        found[away] = lifted >= 0  # a body's own output is not used by its owner
        consumer, producer, goal = consumer[found], producer[found], goal[found]


def cycles(table: GraphTable, pairs: Edges) -> list[list[int]]:
    """Return the groups of nodes that depend on each other."""
    source, target = pairs
    graphs = np.unique(table.node_graph[target[source >= target]])
    if not len(graphs):
        return []
    inside = np.isin(table.node_graph[source], graphs)
    successors: dict[int, list[int]] = {}
    for a, b in zip(source[inside].tolist(), target[inside].tolist(), strict=True):
        successors.setdefault(a, []).append(b)
    return [
        sorted(group)
        for group in _components(successors)
        if len(group) > 1 or group[0] in successors.get(group[0], ())
    ]


def _components(successors: dict[int, list[int]]) -> Iterable[list[int]]:
    """Yield the strongly connected components (Tarjan's algorithm, without recursion)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    on_stack: set[int] = set()
    for root in successors:
        if root in number:
            continue
        path = [(root, iter(successors[root]))]
        while path:
            node, rest = path[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                waiting.append(node)
                on_stack.add(node)
            for following in rest:
                if following not in number:
                    path.append((following, iter(successors.get(following, ()))))
                    break
                if following in on_stack:
                    low[node] = min(low[node], number[following])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    group = [waiting.pop()]
                    while group[-1] != node:
                        group.append(waiting.pop())
                    on_stack.difference_update(group)
                    yield group


def _used(table: GraphTable) -> npt.NDArray[np.bool_]:
    """Return which nodes reach an output of the main graph, or of a function never called."""
    bodies: dict[int, list[int]] = {}
    roots: list[int] = []
    for graph, (kind, owner) in enumerate(
        zip(table.graph_kind.tolist(), table.graph_owner.tolist(), strict=True)
    ):
        if owner >= 0:
            bodies.setdefault(owner, []).append(graph)
        elif kind in (GraphKind.MAIN, GraphKind.FUNCTION):
            roots.append(graph)
    starts, outputs = table.graph_outputs_start.tolist(), table.graph_outputs.tolist()
    inputs_start, inputs = table.node_inputs_start.tolist(), table.node_inputs.tolist()
    producer = table.value_producer.tolist()
    used = bytearray(table.node_count)
    pending = [value for graph in roots for value in outputs[starts[graph] : starts[graph + 1]]]
    while pending:
        value = pending.pop()
        node = producer[value] if value >= 0 else -1
        if node < 0 or used[node]:
            continue
        used[node] = 1
        pending += inputs[inputs_start[node] : inputs_start[node + 1]]
        for graph in bodies.get(node, ()):
            pending += outputs[starts[graph] : starts[graph + 1]]
    return np.frombuffer(used, np.uint8).astype(bool)
