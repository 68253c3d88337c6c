"""Which optimised nodes compute something together, so that only the group's work is known."""

from __future__ import annotations

from collections import defaultdict

from onnxlab.mapping.anchors import Anchors
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.identify import Identified
from onnxlab.mapping.tags import inlining

__all__ = ["group_nodes"]


def group_nodes(optimised: Dataflow, anchors: Anchors, found: Identified) -> list[list[int]]:
    """Join the nodes on both sides of every unknown value.

    Also those that came from inlining one operator the runtime has no kernel for, even where they
    share no value, and what is in the body of a control-flow node that came from there.
    """
    parent = list(range(optimised.count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    inlined: dict[tuple[int, str], int] = {}  # sibling bodies inline under the same names
    for node in range(optimised.count):
        for value in optimised.inputs[node]:
            if value >= 0 and value not in found.values and optimised.producer[value] >= 0:
                parent[root(node)] = root(optimised.producer[value])
        if anchors.evidence[node] == "tag":
            continue
        owner = optimised.graph_owner[optimised.graph[node]]
        if owner >= 0 and anchors.evidence[owner] != "tag":
            parent[root(node)] = root(owner)
        for value in optimised.outputs[node]:
            if value < 0 or value in found.values:
                continue
            if call := inlining(optimised.value_name(value)):
                first = inlined.setdefault((optimised.graph[node], call), node)
                parent[root(node)] = root(first)
    groups: dict[int, list[int]] = defaultdict(list)
    for node in range(optimised.count):
        groups[root(node)].append(node)
    return list(groups.values())
