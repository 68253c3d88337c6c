"""Fourth pass of the join: on whose behalf each inserted node was put in."""

from __future__ import annotations

from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.identify import Identified
from onnxlab.mapping.lookup import ValueLookup
from onnxlab.mapping.operators import MOVING

__all__ = ["Owners"]


class Owners:
    """Finds the original node that owns an inserted one.

    A node that brings a value back into its original form serves the kernel before it (its output
    bears the value's own name); any other prepares the input of the kernel after it.
    """

    def __init__(
        self, original: Dataflow, optimised: Dataflow, found: Identified, lookup: ValueLookup
    ) -> None:
        self._old = original
        self._new = optimised
        self._found = found
        self._lookup = lookup

    def owner(self, node: int, leads: list[int | None]) -> int | None:
        """Return the row that owns an inserted node, given every kernel's lead."""
        before = self._nearest(node, leads, forward=False)
        after = self._nearest(node, leads, forward=True)
        name = self._new.value_name(self._new.outputs[node][0])
        restores = self._lookup.knows(name)
        if self._new.protos[node].op_type in MOVING:  # of a precision that another node changed
            restores = restores or self._lookup.find(name, self._new.graph[node]) >= 0
        first, second = (before, after) if restores else (after, before)
        if first is not None:
            return first
        return second if second is not None else self._by_value(node)

    def _nearest(self, node: int, leads: list[int | None], *, forward: bool) -> int | None:
        seen = {node}
        pending = [node]
        for current in pending:  # grows while it is walked: breadth first
            for other in self._neighbours(current, forward=forward):
                if other in seen:
                    continue
                seen.add(other)
                if other not in self._found.inserted:
                    if leads[other] is not None:
                        return leads[other]
                    continue
                pending.append(other)
        return None

    def _neighbours(self, node: int, *, forward: bool) -> list[int]:
        if forward:
            results = [value for value in self._new.outputs[node] if value >= 0]
            return [n for value in results for n in self._new.consumers.get(value, ())]
        producers = [self._new.producer[value] for value in self._new.inputs[node] if value >= 0]
        return [n for n in producers if n >= 0]

    def _by_value(self, node: int) -> int | None:
        """Fall back on who computes or reads the value in the original."""
        ends = (*self._new.outputs[node], *self._new.inputs[node])
        for value in (self._found.values.get(end, -1) for end in ends):
            if value < 0:
                continue
            if self._old.producer[value] >= 0:
                return self._old.producer[value]
            if readers := self._old.consumers.get(value):
                return readers[0]
        return None
