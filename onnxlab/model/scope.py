"""The hierarchy of scopes, from the evidence that a model carries.

In order: the exporter's metadata (``pkg.torch.onnx.name_scopes``, ``namespace``), paths in node
names (``/layer1/conv/Conv``, or dotted where a graph clearly uses dots), paths in the names of
outputs. A node that has bodies is a scope too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from onnx import NodeProto

from onnxlab.model.table import GraphKind, ScopeKind
from onnxlab.model.text import text
from onnxlab.model.walk import GraphVisit, Walk

__all__ = ["ScopeBuilder"]

MAX_DEPTH = 32
MAX_SCOPES = 300_000
MAX_METADATA_CHARS = 20_000

_NAME_SCOPES = "pkg.torch.onnx.name_scopes"
_NAMESPACE = "namespace"
# The dynamo exporter adds this one without a module behind it.
_FALSE_SCOPE = "_empty_nn_module_stack"
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.\w+)+")

Path = Sequence[str]


class ScopeBuilder:
    """Collects scopes for the graphs of a walk.

    Parameters
    ----------
    walk
        The graphs in the table's order.
    add_string
        Numbers a string of the table.
    """

    def __init__(self, walk: Walk, add_string: Callable[[str], int]) -> None:
        self._walk = walk
        self._add_string = add_string
        self._parent = [-1]
        self._name = [0]
        self._kind = [int(ScopeKind.ROOT)]
        self._node = [-1]
        self._children: dict[tuple[int, str], int] = {}
        self._node_scope: list[int] = []
        self._firsts = np.array([visit.first_node for visit in walk.visits])
        self._module_path: dict[int, Path] = {-1: ()}  # of nodes with bodies

    def build(self) -> list[int]:
        """Return the scope row of every node."""
        owners = [visit.owner for visit in self._walk.visits]
        bodies: dict[int, int] = {}
        for owner in owners:
            if owner >= 0:
                bodies[owner] = bodies.get(owner, 0) + 1
        node_scopes: dict[int, int] = {}
        for visit in self._walk.visits:
            base = self._base(visit, bodies, node_scopes)
            self._add_graph(visit, base, bodies)
        return self._node_scope

    def columns(self) -> dict[str, npt.NDArray[np.int32] | npt.NDArray[np.uint8]]:
        """Return the ``scope_*`` columns."""
        return {
            "scope_parent": np.array(self._parent, np.int32),
            "scope_name": np.array(self._name, np.int32),
            "scope_kind": np.array(self._kind, np.uint8),
            "scope_node": np.array(self._node, np.int32),
        }

    def _base(self, visit: GraphVisit, bodies: dict[int, int], node_scopes: dict[int, int]) -> int:
        """Return the scope that holds a graph's nodes."""
        if visit.kind == GraphKind.MAIN:
            return 0
        if visit.owner < 0:
            return self._new(0, f"ƒ {visit.attribute}", ScopeKind.MODULE, -1)
        scope = node_scopes.get(visit.owner)
        if scope is None:
            parent = self._node_scope[visit.owner]
            scope = self._new(parent, self._label(visit), ScopeKind.NODE, visit.owner)
            node_scopes[visit.owner] = scope
        if bodies[visit.owner] > 1:
            return self._new(scope, visit.attribute, ScopeKind.BODY, -1)
        return scope

    def _label(self, visit: GraphVisit) -> str:
        """Name the scope of a node with bodies: the last part of its name, or its operator."""
        graph = self._walk.visits[self._graph_of(visit.owner)]
        node = graph.proto.node[visit.owner - graph.first_node]
        name = text(node.name)
        return name.rstrip("/").rpartition("/")[2] or text(node.op_type)

    def _graph_of(self, row: int) -> int:
        return int(np.searchsorted(self._firsts, row, side="right")) - 1

    def _new(self, parent: int, name: str, kind: ScopeKind, node: int) -> int:
        self._parent.append(parent)
        self._name.append(self._add_string(name))
        self._kind.append(int(kind))
        self._node.append(node)
        return len(self._parent) - 1

    def _add_graph(self, visit: GraphVisit, base: int, bodies: dict[int, int]) -> None:
        nodes = visit.proto.node
        split = _splitter(nodes)
        outer = self._module_path[visit.owner]
        rows = self._node_scope
        known: dict[str, int] = {}  # what comes before the last part of a name → scope
        for row, node in enumerate(nodes, visit.first_node):
            prefix = "" if node.metadata_props or row in bodies else _prefix(node.name)
            scope = known.get(prefix) if prefix else None
            if scope is None:
                path = _evidence(node, split)
                if row in bodies:
                    self._module_path[row] = path
                scope = self._descend(base, _below(path, outer))
                if prefix:
                    known[prefix] = scope
            rows.append(scope)

    def _descend(self, base: int, path: Path) -> int:
        scope = base
        for part in path[:MAX_DEPTH]:
            child = self._children.get((scope, part))
            if child is None:
                if len(self._parent) >= MAX_SCOPES:
                    return scope
                child = self._new(scope, part, ScopeKind.MODULE, -1)
                self._children[scope, part] = child
            scope = child
        return scope


def _prefix(name: str | bytes) -> str:
    return name.rpartition("/")[0] if isinstance(name, str) else ""


def _below(path: Path, outer: Path) -> Path:
    """Drop the part of a body node's path that its owner's scope stands for already."""
    shared = 0
    while shared < min(len(path), len(outer)) and path[shared] == outer[shared]:
        shared += 1
    return path[shared:] if shared == len(outer) else path


def _evidence(node: NodeProto, split: Callable[[str], Path]) -> Path:
    """Return the modules around a node, outermost first; empty where nothing is known."""
    if node.metadata_props:
        path = _from_metadata(node)
        if path is not None:
            return path
    path = split(text(node.name))
    if not path and node.output:
        path = split(text(node.output[0]))
    return path


def _splitter(nodes: Sequence[NodeProto]) -> Callable[[str], Path]:
    return _split_dots if _uses_dots(nodes) else _split_slashes


def _split_slashes(name: str) -> Path:
    # TensorFlow Lite's converter joins the names of fused nodes by semicolons.
    first = name.partition(";")[0]
    return [part for part in first.split("/")[:-1] if part][:MAX_DEPTH]


def _split_dots(name: str) -> Path:
    return name.split(".")[:-1][:MAX_DEPTH] if _DOTTED.fullmatch(name) else ()


def _uses_dots(nodes: Sequence[NodeProto]) -> bool:
    """Tell whether node names are dotted paths: most are, and they share first parts."""
    names = [text(node.name) for node in nodes if node.name]
    if len(names) < 4 or any("/" in name for name in names):
        return False
    dotted = [name for name in names if _DOTTED.fullmatch(name)]
    heads = {name.partition(".")[0] for name in dotted}
    return 2 * len(dotted) >= len(names) and 2 * len(heads) <= len(dotted)


def _from_metadata(node: NodeProto) -> Path | None:
    found = {
        entry.key: entry.value
        for entry in node.metadata_props
        if entry.key in (_NAME_SCOPES, _NAMESPACE)
    }
    scopes = _literal_names(text(found.get(_NAME_SCOPES, "")))
    if scopes is None and _NAMESPACE in found:
        parts = text(found[_NAMESPACE])[:MAX_METADATA_CHARS].split("/")
        scopes = [part.partition(":")[0].strip() for part in parts]
    return None if scopes is None else _modules(scopes)


def _literal_names(literal: str) -> list[str] | None:
    if not literal or len(literal) > MAX_METADATA_CHARS:
        return None
    try:
        names = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return names


def _modules(scopes: list[str]) -> Path:
    """Turn full module paths (``''``, ``layer1``, ``layer1.0``, the node) into own names."""
    modules: list[str] = []
    outer = ""
    for scope in scopes[:-1][:MAX_DEPTH]:
        if not scope or scope.startswith(_FALSE_SCOPE):
            continue
        modules.append(scope.removeprefix(f"{outer}.") if outer else scope)
        outer = scope
    return modules
