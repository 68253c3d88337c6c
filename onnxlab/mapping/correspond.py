"""What tags alone tell: which node survived where, and which branch of an If was inlined."""

from __future__ import annotations

from dataclasses import dataclass

from onnxlab.mapping.tags import parse_tag
from onnxlab.model.model import Model
from onnxlab.model.table import GraphKind, GraphTable
from onnxlab.model.text import text

__all__ = ["Correspondence", "correspond"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence:
    """The tagged nodes of an optimised model and the graphs they stand in.

    Attributes
    ----------
    tagged
        Per optimised node, the original row its tag names, or -1.
    graphs
        Per optimised graph, the original graph it is, or -1.
    inlined
        Original control-flow nodes that one of their bodies took the place of, with that body:
        an If whose condition is constant.
    """

    tagged: list[int]
    graphs: list[int]
    inlined: dict[int, int]


def correspond(original: Model, optimised: Model) -> Correspondence:
    """Read the tags of an optimised model."""
    old, new = original.table, optimised.table
    tagged: list[int] = []
    for visit in optimised.walk.visits:
        for node in visit.proto.node:
            row = parse_tag(text(node.doc_string))
            tagged.append(row if row < old.node_count else -1)
    graphs = _matching_graphs(old, new, tagged)
    return Correspondence(tagged=tagged, graphs=graphs, inlined=_inlined(old, new, tagged, graphs))


def _matching_graphs(old: GraphTable, new: GraphTable, tagged: list[int]) -> list[int]:
    """Match a body to the original body in the same attribute of the same (tagged) node."""
    bodies = {
        (owner, old.strings[attribute]): graph
        for graph, (owner, attribute) in enumerate(
            zip(old.graph_owner.tolist(), old.graph_attribute.tolist(), strict=True)
        )
    }
    matches = [0]
    for graph in range(1, len(new.graph_owner)):
        owner = int(new.graph_owner[graph])
        row = tagged[owner] if owner >= 0 else -1
        attribute = new.strings[new.graph_attribute[graph]]
        matches.append(bodies.get((row, attribute), -1) if row >= 0 else -1)
    return matches


def _inlined(
    old: GraphTable, new: GraphTable, tagged: list[int], graphs: list[int]
) -> dict[int, int]:
    """Find bodies whose nodes stand in the graph around them now."""
    inlined: dict[int, int] = {}
    for node, row in enumerate(tagged):
        home = graphs[new.node_graph[node]]
        if row < 0 or home < 0:
            continue
        graph = int(old.node_graph[row])
        while graph != home and (owner := int(old.graph_owner[graph])) >= 0:
            if old.graph_kind[graph] == GraphKind.BODY:
                inlined.setdefault(owner, graph)
            graph = int(old.node_graph[owner])
    return inlined
