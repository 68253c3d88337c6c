"""Finding the original value that a name in the optimised model stands for."""

from __future__ import annotations

import re
from collections import defaultdict

from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.tags import parse_inlined_name
from onnxlab.model.table import GraphKind

__all__ = ["ValueLookup"]

_DERIVED = re.compile(r"^InsertedPrecisionFreeCast_|^InsertedCast_|/duplicated$")
_INLINED_BRANCH = re.compile(r"^_if_(then_branch|else_branch)_")


class ValueLookup:
    """Looks up original values by names as the optimised model has them.

    Parameters
    ----------
    original, optimised
        The two models.
    graphs
        Per optimised graph, the original graph it is, or -1.
    """

    def __init__(self, original: Dataflow, optimised: Dataflow, graphs: list[int]) -> None:
        self._old = original
        self._new = optimised
        self._graphs = graphs
        self._by_name: dict[str, list[int]] = defaultdict(list)
        for value in range(original.table.value_count):
            self._by_name[original.value_name(value)].append(value)

    def knows(self, name: str) -> bool:
        """Whether any original value bears a name."""
        return name in self._by_name

    def exact(self, name: str, graph: int) -> int:
        """Return the value of this very name that an optimised graph sees, or -1.

        Looked up in the original graph it is, in those around it, then among all bodies (one of
        them may have been inlined).
        """
        candidates = self._by_name.get(name, []) if name else []
        kinds = self._old.table.graph_kind
        while candidates and graph >= 0:
            for value in candidates:
                if self._old.value_graph[value] == self._graphs[graph]:
                    return value
            owner = self._new.graph_owner[graph]
            graph = self._new.graph[owner] if owner >= 0 else -1
        elsewhere = [v for v in candidates if kinds[self._old.value_graph[v]] == GraphKind.BODY]
        return elsewhere[0] if len(candidates) == len(elsewhere) == 1 else -1

    def find(self, name: str, graph: int) -> int:
        """Return the value of this name or of one the runtime made the name from, or -1."""
        for candidate in dict.fromkeys((name, _DERIVED.sub("", name))):
            if (value := self.exact(candidate, graph)) >= 0:
                return value
        if inlined := parse_inlined_name(name):
            instance, inner = inlined
            values = self._by_name.get(inner, ())
            return next((v for v in values if self._old.value_graph[v] == instance), -1)
        if branch := _INLINED_BRANCH.match(name):
            return self._in_branch(name[branch.end() :], branch[1])
        return -1

    def _in_branch(self, name: str, attribute: str) -> int:
        table = self._old.table
        matches = [
            value
            for value in self._by_name.get(name, ())
            if table.strings[table.graph_attribute[self._old.value_graph[value]]] == attribute
        ]
        return matches[0] if len(matches) == 1 else -1
