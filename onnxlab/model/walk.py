"""The order of graphs and nodes: the one place that knows it.

Graphs come in depth-first pre-order: the main graph, then for each node in order the bodies in
its attributes and the body of the local function that it calls. Node rows are contiguous per
graph, so ``row = first_node + index in the graph``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from onnxlab.model.table import GraphKind
from onnxlab.model.text import text

__all__ = [
    "FunctionKey",
    "GraphVisit",
    "Walk",
    "call_key",
    "function_key",
    "iter_graphs",
    "node_bodies",
    "walk_graphs",
]

FunctionKey = tuple[str, str, str]

MAX_EXPANDED_NODES = 200_000  # in all instances of local functions
MAX_GRAPHS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphVisit:
    """One graph of a model, in the table's order.

    Attributes
    ----------
    row
        Its row among graphs.
    kind
        Main graph, body of a control-flow node, or instance of a local function.
    owner
        Row of the node that holds the body or calls the function; -1 for none.
    attribute
        Name of the attribute (``branches[1]`` within a list of graphs) or of the function.
    proto
        The graph or function itself.
    first_node
        Row of its first node.
    function_key
        Domain, name and overload for a function, else None.
    """

    row: int
    kind: GraphKind
    owner: int
    attribute: str
    proto: GraphProto | FunctionProto
    first_node: int
    function_key: FunctionKey | None

    @property
    def node_count(self) -> int:
        """Number of nodes directly in the graph."""
        return len(self.proto.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """All graphs of a model.

    Attributes
    ----------
    visits
        The graphs in order.
    recursive_calls
        Rows of nodes that call a function from within itself; not followed.
    unexpanded_calls
        Rows of nodes whose function was not instantiated because there are too many.
    """

    visits: tuple[GraphVisit, ...]
    recursive_calls: tuple[int, ...]
    unexpanded_calls: tuple[int, ...]

    @property
    def node_count(self) -> int:
        """Number of nodes in all graphs."""
        last = self.visits[-1]
        return last.first_node + last.node_count


def iter_graphs(proto: ModelProto) -> Iterator[GraphVisit]:
    """Visit every graph of a model in the table's order."""
    return iter(walk_graphs(proto).visits)


def walk_graphs(proto: ModelProto) -> Walk:
    """Visit every graph of a model, and note the calls that were not followed."""
    return _Walker(proto).run()


def function_key(function: FunctionProto) -> FunctionKey:
    """Return what a call names: domain, name, overload."""
    return (
        _plain_domain(function.domain),
        text(function.name),
        text(getattr(function, "overload", "")),
    )


def call_key(node: NodeProto) -> FunctionKey:
    """Return the key of the function that a node would call."""
    return _plain_domain(node.domain), text(node.op_type), text(getattr(node, "overload", ""))


def node_bodies(node: NodeProto) -> Iterator[tuple[str, GraphProto]]:
    """Yield the graphs in a node's attributes with the names that addresses use."""
    for attribute in node.attribute:
        kind = attribute.type
        if kind == AttributeProto.GRAPH or (not kind and attribute.HasField("g")):
            if attribute.HasField("g"):
                yield text(attribute.name), attribute.g
        elif kind == AttributeProto.GRAPHS or (not kind and attribute.graphs):
            for index, graph in enumerate(attribute.graphs):
                yield f"{text(attribute.name)}[{index}]", graph


def _plain_domain(domain: str) -> str:
    plain = text(domain)
    return "" if plain == "ai.onnx" else plain


@dataclass(frozen=True, slots=True)
class _Pending:
    kind: GraphKind
    owner: int
    attribute: str
    proto: GraphProto | FunctionProto
    key: FunctionKey | None
    calling: frozenset[FunctionKey]  # the functions whose bodies enclose this graph


class _Walker:
    def __init__(self, proto: ModelProto) -> None:
        self._proto = proto
        self._functions: dict[FunctionKey, onnx.FunctionProto] = {}
        for function in proto.functions:
            self._functions.setdefault(function_key(function), function)
        self._visits: list[GraphVisit] = []
        self._recursive: list[int] = []
        self._unexpanded: list[int] = []
        self._called: set[FunctionKey] = set()
        self._rows = 0
        self._expanded = 0

    def run(self) -> Walk:
        main = _Pending(GraphKind.MAIN, -1, "", self._proto.graph, None, frozenset())
        self._descend(main)
        for key, function in self._functions.items():
            if key not in self._called:
                uncalled = _Pending(GraphKind.FUNCTION, -1, key[1], function, key, frozenset({key}))
                self._descend(uncalled)
        return Walk(
            visits=tuple(self._visits),
            recursive_calls=tuple(self._recursive),
            unexpanded_calls=tuple(self._unexpanded),
        )

    def _descend(self, root: _Pending) -> None:
        stack = [root]
        while stack:
            pending = stack.pop()
            visit = GraphVisit(
                row=len(self._visits),
                kind=pending.kind,
                owner=pending.owner,
                attribute=pending.attribute,
                proto=pending.proto,
                first_node=self._rows,
                function_key=pending.key,
            )
            self._visits.append(visit)
            self._rows += visit.node_count
            if pending.calling:
                self._expanded += visit.node_count
            stack.extend(reversed(self._children(visit, pending.calling)))

    def _children(self, visit: GraphVisit, calling: frozenset[FunctionKey]) -> list[_Pending]:
        children: list[_Pending] = []
        functions = self._functions
        for row, node in enumerate(visit.proto.node, visit.first_node):
            for name, body in node_bodies(node) if node.attribute else ():
                children.append(_Pending(GraphKind.BODY, row, name, body, None, calling))
            if functions:
                key = call_key(node)
                if key in functions and self._may_expand(row, key, calling, len(children)):
                    inside = calling | {key}
                    children.append(
                        _Pending(GraphKind.FUNCTION, row, key[1], functions[key], key, inside)
                    )
        return children

    def _may_expand(
        self, row: int, key: FunctionKey, calling: frozenset[FunctionKey], waiting: int
    ) -> bool:
        self._called.add(key)
        if key in calling:
            self._recursive.append(row)
            return False
        if self._expanded > MAX_EXPANDED_NODES or len(self._visits) + waiting > MAX_GRAPHS:
            self._unexpanded.append(row)
            return False
        return True
