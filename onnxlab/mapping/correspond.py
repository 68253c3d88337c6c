"""What tags alone tell: which node survived where, and which branch of an If was inlined."""

from __future__ import annotations

from dataclasses import dataclass

from onnx import GraphProto, TensorProto

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


_BRANCHES = {True: "then_branch", False: "else_branch"}


def correspond(original: Model, optimised: Model) -> Correspondence:
    """Read the tags of an optimised model."""
    old, new = original.table, optimised.table
    tagged: list[int] = []
    for visit in optimised.walk.visits:
        for node in visit.proto.node:
            row = parse_tag(text(node.doc_string))
            tagged.append(row if row < old.node_count else -1)
    graphs = _matching_graphs(old, new, tagged)
    inlined = _constant_branches(original, set(tagged)) | _inlined(old, new, tagged, graphs)
    return Correspondence(tagged=tagged, graphs=graphs, inlined=inlined)


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


def _constant_branches(original: Model, tagged: set[int]) -> dict[int, int]:
    """Find the branch that a stored condition selects, of each If that did not survive.

    Fusions may leave no node of the branch recognisable.
    """
    table = original.table
    branches: dict[int, int] = {}
    for graph, owner in enumerate(table.graph_owner.tolist()):
        if owner < 0 or owner in tagged or table.op(owner) != "If":
            continue
        value = next(iter(table.inputs(owner).tolist()), -1)
        condition = _stored_truth(original, value)
        if condition is None:
            continue
        if table.strings[table.graph_attribute[graph]] == _BRANCHES[condition]:
            branches[owner] = graph
    return branches


def _stored_truth(original: Model, value: int) -> bool | None:
    """Return a stored boolean, None for any other value."""
    table = original.table
    if value < 0:
        return None
    producer = int(table.value_producer[value])
    if producer >= 0:
        node = original.node_proto(producer)
        tensors = [a.t for a in node.attribute if node.op_type == "Constant" and a.name == "value"]
    else:
        graph = original.walk.visits[int(table.value_graph[value])].proto
        name = table.strings[table.value_name[value]]
        stored = graph.initializer if isinstance(graph, GraphProto) else ()
        tensors = [tensor for tensor in stored if text(tensor.name) == name]
    if not tensors or tensors[0].data_type != TensorProto.BOOL:
        return None
    data = tensors[0].raw_data or bytes(map(bool, tensors[0].int32_data))
    return bool(data[0]) if len(data) == 1 else None
