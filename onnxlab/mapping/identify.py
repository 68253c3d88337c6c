"""Second pass of the join: which original value each value of the optimised model is.

Evidence, strongest first: the name of a tensor (the last one of a fusion keeps its name), the
anchor of the node that computes it, the value a surviving reader expects, and inserted nodes,
which hand on one value in another form.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from onnxlab.mapping.anchors import Anchors
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.lookup import ValueLookup
from onnxlab.mapping.operators import ABSORBED_AFTER, ACTIVATIONS, CONVOLUTIONS, INSERTED

__all__ = ["Identified", "identify"]


@dataclass(slots=True, kw_only=True)
class Identified:
    """What is known of the optimised model's values.

    Attributes
    ----------
    values
        For each optimised value that is known, the original value it is.
    absorbed
        For each optimised node, the original rows it computes after its anchor.
    inserted
        Optimised nodes that only hand on one value in another form.
    """

    values: dict[int, int] = field(default_factory=dict)
    absorbed: dict[int, list[int]] = field(default_factory=dict)
    inserted: set[int]


def identify(
    original: Dataflow, optimised: Dataflow, anchors: Anchors, lookup: ValueLookup
) -> Identified:
    """Find what each value of the optimised model is in the original."""
    return _Identifier(original, optimised, anchors, lookup).run()


class _Identifier:
    def __init__(
        self, original: Dataflow, optimised: Dataflow, anchors: Anchors, lookup: ValueLookup
    ) -> None:
        self._old = original
        self._new = optimised
        self._anchors = anchors
        self._lookup = lookup
        self._found = Identified(inserted=set(anchors.inserted))

    def run(self) -> Identified:
        self._by_names()
        self._by_restored_operators()
        self._spread()
        self._by_anchors()
        self._spread()
        self._by_readers()
        self._spread()
        self._keep_working_nodes()
        return self._found

    def _know(self, new: int, old: int) -> None:
        self._found.values.setdefault(new, self._old.source[old])

    def _by_names(self) -> None:
        for value in range(self._new.table.value_count):
            name, graph = self._new.value_name(value), self._new.value_graph[value]
            if (known := self._lookup.find(name, graph)) >= 0:
                self._know(value, known)

    def _by_restored_operators(self) -> None:
        """Give an original Reshape, ... that was merged or moved the input it had."""
        for node, row in enumerate(self._anchors.rows):
            is_restored = row >= 0 and self._anchors.evidence[node] != "tag"
            if not is_restored or self._new.protos[node].op_type not in INSERTED:
                continue
            new, old = self._new.inputs[node][0], self._old.inputs[row][0]
            if old >= 0 and self._new.producer[new] >= 0:
                self._know(new, old)

    def _spread(self) -> None:
        """Carry values through chains of inserted nodes, in both directions."""
        values = self._found.values
        pending = sorted(self._found.inserted)
        while pending:
            waiting: list[int] = []
            for node in pending:
                source, result = self._new.inputs[node][0], self._new.outputs[node][0]
                if source in values:
                    values.setdefault(result, values[source])
                elif result in values and self._new.producer[source] >= 0:
                    values[source] = values[result]
                else:
                    waiting.append(node)
            if len(waiting) == len(pending):
                return
            pending = waiting

    def _by_anchors(self) -> None:
        """Identify a renamed output: its anchor's, or that of what the kernel computes on top.

        Later nodes first: what they stand for must not be absorbed by an earlier one.
        """
        taken = {row for row in self._anchors.rows if row >= 0}
        known = set(self._found.values.values())
        known.update(self._old.source[v] for v in self._old.graph_outputs(0) if v >= 0)
        for node in reversed(range(self._new.count)):
            row, outputs = self._anchors.rows[node], self._new.outputs[node]
            if row < 0 or not outputs:
                continue
            if outputs[0] >= 0 and outputs[0] not in self._found.values:
                absorbed: list[int] = []
                if node not in self._anchors.unchanged:
                    absorbed = self._absorb(node, row, taken, known)
                taken.update(absorbed)
                self._found.absorbed[node] = absorbed
                last = self._old.outputs[absorbed[-1] if absorbed else row]
                if last and last[0] >= 0:
                    self._know(outputs[0], last[0])
                    known.add(self._found.values[outputs[0]])
            for new, old in zip(outputs[1:], self._old.outputs[row][1:], strict=False):
                if min(new, old) >= 0:
                    self._know(new, old)

    def _absorb(self, node: int, row: int, taken: set[int], known: set[int]) -> list[int]:
        """Follow the original forward along what the kernel can compute after its own operator.

        A convolution says what it took in: a fourth input for an addition, an attribute for an
        activation.
        """
        proto = self._new.protos[node]
        is_conv = proto.op_type in CONVOLUTIONS
        may_add = not is_conv or (len(proto.input) > 3 and proto.input[3] != "")
        may_activate = not is_conv or any(a.name == "activation" for a in proto.attribute)
        absorbed: list[int] = []
        value = self._first_output(row)
        while value >= 0 and value not in known:
            readers = self._old.consumers.get(value, [])
            if len(readers) != 1 or readers[0] in taken:
                break
            op = self._old.protos[readers[0]].op_type
            if op in {"Add", "Sum", "Mul"}:
                allowed, may_add = may_add, not is_conv
            elif op in ACTIVATIONS:
                allowed, may_activate = may_activate, not is_conv
            else:
                allowed = op in ABSORBED_AFTER
            if not allowed:
                break
            absorbed.append(readers[0])
            value = self._first_output(readers[0])
        return absorbed

    def _first_output(self, row: int) -> int:
        outputs = self._old.outputs[row]
        return self._old.source[outputs[0]] if outputs and outputs[0] >= 0 else -1

    def _by_readers(self) -> None:
        """Identify what a node that survived unchanged reads: what the original reads there."""
        for node in sorted(self._anchors.unchanged):
            inputs = self._old.inputs[self._anchors.rows[node]]
            for new, old in zip(self._new.inputs[node], inputs, strict=False):
                if min(new, old) >= 0 and self._new.producer[new] >= 0:
                    self._know(new, old)

    def _keep_working_nodes(self) -> None:
        """Count as working those between two different original values."""
        values, canonical = self._found.values, self._old.canonical
        for node in self._anchors.inserted:
            source = values.get(self._new.inputs[node][0])
            result = values.get(self._new.outputs[node][0])
            if source is not None and result is not None and canonical[source] != canonical[result]:
                self._found.inserted.discard(node)
