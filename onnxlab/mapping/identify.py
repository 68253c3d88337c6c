"""First pass of the join: which original value each value of the optimised model is.

Evidence, strongest first: the name of a tensor (the last one of a fusion keeps its name), the tag
of the node that computes it, the tensor name that NCHWc nodes carry as their own name, the value a
surviving reader expects, and inserted nodes, which hand on one value in another form.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

import onnx

from onnxlab.mapping.correspond import Correspondence
from onnxlab.mapping.dataflow import Dataflow, default_domain
from onnxlab.mapping.operators import (
    ABSORBED_AFTER,
    ACTIVATIONS,
    CONVOLUTIONS,
    INSERTED,
)
from onnxlab.mapping.tags import inlining, parse_inlined_name
from onnxlab.model.table import GraphKind

__all__ = ["Identified", "identify"]

_LAYOUT_SUFFIX = re.compile(r"_(?:nchwc|nhwc)(?:_token_\d+)?$")
_DERIVED_NAME = re.compile(
    r"(?:_token_\d+|_nchwc|_nhwc|/duplicated\w*|/[A-Za-z]+Fusion/?|_transpose|_quant)$"
)
_DERIVED_VALUE = re.compile(r"^InsertedPrecisionFreeCast_|^InsertedCast_|/duplicated$")
_INLINED_BRANCH = re.compile(r"^_if_(then_branch|else_branch)_")
_ROUNDS = 8  # chains of inserted nodes are short


@dataclass(slots=True, kw_only=True)
class Identified:
    """What is known of the optimised model's nodes and values.

    Attributes
    ----------
    tagged
        Per optimised node, the original row its tag names, or -1.
    anchors
        Per optimised node, the original row it stands for, or -1; the tag where there is one.
    evidence
        Per optimised node, how its anchor was found; empty without.
    unchanged
        Optimised nodes that survived with the same operator, attributes and number of inputs.
    inserted
        Optimised nodes that only hand on one value in another form.
    values
        For each optimised value that is known, the original value it is.
    absorbed
        For each optimised node, the original rows it computes after its anchor.
    """

    tagged: list[int]
    anchors: list[int]
    evidence: list[str]
    unchanged: set[int]
    inserted: set[int]
    values: dict[int, int] = field(default_factory=dict)
    absorbed: dict[int, list[int]] = field(default_factory=dict)


def identify(original: Dataflow, optimised: Dataflow, correspondence: Correspondence) -> Identified:
    """Find what each node and value of the optimised model is in the original."""
    return _Identifier(original, optimised, correspondence).run()


class _Identifier:
    def __init__(
        self, original: Dataflow, optimised: Dataflow, correspondence: Correspondence
    ) -> None:
        self._old = original
        self._new = optimised
        tagged = correspondence.tagged
        self._found = Identified(
            tagged=tagged,
            anchors=list(tagged),
            evidence=["tag" if row >= 0 else "" for row in tagged],
            unchanged={i for i, row in enumerate(tagged) if row >= 0 and self._same(i, row)},
            inserted=set(),
        )
        self._graphs = correspondence.graphs
        self._by_name: dict[str, list[int]] = defaultdict(list)
        for value in range(original.table.value_count):
            self._by_name[original.value_name(value)].append(value)

    def run(self) -> Identified:
        self._name_values()
        self._anchor_by_tensor_name()
        self._mark_inserted()
        self._spread()
        self._anchor_by_node_name()
        self._value_of_anchors()
        self._spread()
        self._expect_by_readers()
        self._spread()
        self._unmark_working_nodes()
        return self._found

    def _same(self, node: int, row: int) -> bool:
        new, old = self._new.protos[node], self._old.protos[row]
        return (
            new.op_type == old.op_type
            and default_domain(new.domain) == default_domain(old.domain)
            and sum(map(bool, new.input)) == sum(map(bool, old.input))
            and _attributes_agree(new, old)
        )

    def _name_values(self) -> None:
        """Take a name that both models know, or one made from it, for the same value."""
        for value in range(self._new.table.value_count):
            known = self._named(self._new.value_name(value), self._new.value_graph[value])
            if known >= 0:
                self._found.values[value] = known

    def _named(self, name: str, graph: int) -> int:
        if not name:
            return -1
        for candidate in (name, _DERIVED_VALUE.sub("", name)):
            if (value := self._lookup(candidate, graph)) >= 0:
                return value
        if inlined := parse_inlined_name(name):
            instance, inner = inlined
            return next(
                (v for v in self._by_name.get(inner, ()) if self._old.value_graph[v] == instance),
                -1,
            )
        if branch := _INLINED_BRANCH.match(name):
            return self._in_branch(name[branch.end() :], branch[1])
        return -1

    def _lookup(self, name: str, graph: int) -> int:
        """Look a name up in the matching graph, then in those around it, then anywhere."""
        candidates = self._by_name.get(name, [])
        kinds = self._old.table.graph_kind
        while candidates and graph >= 0:
            for value in candidates:
                if self._old.value_graph[value] == self._graphs[graph]:
                    return value
            owner = self._new.graph_owner[graph]
            graph = self._new.graph[owner] if owner >= 0 else -1
        elsewhere = [v for v in candidates if kinds[self._old.value_graph[v]] == GraphKind.BODY]
        return elsewhere[0] if len(candidates) == len(elsewhere) == 1 else -1

    def _in_branch(self, name: str, attribute: str) -> int:
        table = self._old.table
        matches = [
            value
            for value in self._by_name.get(name, ())
            if table.strings[table.graph_attribute[self._old.value_graph[value]]] == attribute
        ]
        return matches[0] if len(matches) == 1 else -1

    def _anchor_by_tensor_name(self) -> None:
        """Use that the NCHWc and NHWC passes name their nodes after the tensor they compute."""
        for node, proto in enumerate(self._new.protos):
            stem = _LAYOUT_SUFFIX.sub("", proto.name)
            if self._found.anchors[node] >= 0 or stem == proto.name or proto.op_type in INSERTED:
                continue
            value = self._named(stem, self._new.graph[node])
            row = self._old.producer[self._old.source[value]] if value >= 0 else -1
            if row >= 0:
                self._anchor(node, row, "tensor-name")

    def _anchor_by_node_name(self) -> None:
        """Use that other fusions derive their node's name from that of one they replace."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row in range(self._old.count):
            if name := self._old.table.name(row):
                rows[name].append(row)
        for node, proto in enumerate(self._new.protos):
            known = any(value in self._found.values for value in self._new.outputs[node])
            if self._found.anchors[node] >= 0 or known or node in self._found.inserted:
                continue
            matches = rows.get(_stem(proto.name), [])
            if len(matches) == 1 and proto.name:
                self._anchor(node, matches[0], "node-name")

    def _anchor(self, node: int, row: int, evidence: str) -> None:
        self._found.anchors[node] = row
        self._found.evidence[node] = evidence

    def _mark_inserted(self) -> None:
        for node, proto in enumerate(self._new.protos):
            if self._found.anchors[node] >= 0 or proto.op_type not in INSERTED:
                continue
            ends = [*self._new.inputs[node][:1], *self._new.outputs[node][:1]]
            if len(ends) == 2 and not any(self._is_inside_operator(value) for value in ends):
                self._found.inserted.add(node)

    def _is_inside_operator(self, value: int) -> bool:
        """Whether a value came from the function in an operator's schema."""
        return value >= 0 and bool(inlining(self._new.value_name(value)))

    def _spread(self) -> None:
        """Carry values through inserted nodes, in both directions."""
        values = self._found.values
        for _ in range(_ROUNDS):
            before = len(values)
            for node in self._found.inserted:
                source, result = self._new.inputs[node][0], self._new.outputs[node][0]
                if source < 0 or result < 0:
                    continue
                if source in values:
                    values.setdefault(result, values[source])
                elif result in values and self._new.producer[source] >= 0:
                    values[source] = values[result]
            if len(values) == before:
                return

    def _value_of_anchors(self) -> None:
        """Identify a renamed output: its anchor's, or that of what the kernel computes on top.

        Later nodes first: what they stand for must not be absorbed by an earlier one.
        """
        found = self._found
        taken = {row for row in found.anchors if row >= 0}
        for node in reversed(range(self._new.count)):
            row, outputs = found.anchors[node], self._new.outputs[node]
            if row < 0 or not outputs or outputs[0] in found.values:
                self._other_outputs(node, row)
                continue
            last = row
            if node not in found.unchanged:
                absorbed = self._absorb(node, row, taken)
                taken.update(absorbed)
                if absorbed:
                    found.absorbed[node] = absorbed
                    last = absorbed[-1]
            if self._old.outputs[last] and outputs[0] >= 0:
                found.values[outputs[0]] = self._old.source[self._old.outputs[last][0]]
            self._other_outputs(node, row)

    def _other_outputs(self, node: int, row: int) -> None:
        if row < 0:
            return
        pairs = zip(self._new.outputs[node][1:], self._old.outputs[row][1:], strict=False)
        for new, old in pairs:
            if new >= 0 and old >= 0:
                self._found.values.setdefault(new, self._old.source[old])

    def _absorb(self, node: int, row: int, taken: set[int]) -> list[int]:
        """Follow the original forward along what the kernel can compute after its own operator.

        A convolution says what it took in: a fourth input for an addition, an attribute for an
        activation.
        """
        proto = self._new.protos[node]
        is_conv = proto.op_type in CONVOLUTIONS
        may_add = not is_conv or (len(proto.input) > 3 and proto.input[3] != "")
        may_activate = not is_conv or any(a.name == "activation" for a in proto.attribute)
        known = set(self._found.values.values())
        outputs = {self._old.source[value] for value in self._old.graph_outputs(0)}
        absorbed: list[int] = []
        value = self._old.source[self._old.outputs[row][0]] if self._old.outputs[row] else -1
        while value >= 0 and value not in outputs and value not in known:
            readers = self._old.consumers.get(value, [])
            if len(readers) != 1 or readers[0] in taken:
                break
            op = self._old.protos[readers[0]].op_type
            if op not in ABSORBED_AFTER:
                break
            if op in {"Add", "Sum", "Mul"}:
                if not may_add:
                    break
                may_add = not is_conv
            elif op in ACTIVATIONS:
                if not may_activate:
                    break
                may_activate = not is_conv
            absorbed.append(readers[0])
            value = self._old.source[self._old.outputs[readers[0]][0]]
        return absorbed

    def _expect_by_readers(self) -> None:
        """Identify what a node that survived unchanged reads: what the original reads there."""
        for node in self._found.unchanged:
            row = self._found.tagged[node]
            for new, old in zip(self._new.inputs[node], self._old.inputs[row], strict=False):
                if new >= 0 and old >= 0 and self._new.producer[new] >= 0:
                    self._found.values.setdefault(new, self._old.source[old])

    def _unmark_working_nodes(self) -> None:
        """Keep as working nodes those between two different original values."""
        values, canonical = self._found.values, self._old.canonical
        for node in list(self._found.inserted):
            source = values.get(self._new.inputs[node][0])
            result = values.get(self._new.outputs[node][0])
            if source is not None and result is not None and canonical[source] != canonical[result]:
                self._found.inserted.discard(node)


def _stem(name: str) -> str:
    for _ in range(8):
        shorter = _DERIVED_NAME.sub("", name)
        if shorter == name:
            break
        name = shorter
    return name


def _attributes_agree(new: onnx.NodeProto, old: onnx.NodeProto) -> bool:
    """Whether no attribute of the original was changed; the runtime adds default ones."""
    kept = {a.name: a for a in new.attribute}
    for attribute in old.attribute:
        if attribute.type in {onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS}:
            continue
        other = kept.get(attribute.name)
        if attribute.ref_attr_name or other is None:
            continue
        if _plain(attribute) != _plain(other):
            return False
    return True


def _plain(attribute: onnx.AttributeProto) -> bytes:
    copy = onnx.AttributeProto()
    copy.CopyFrom(attribute)
    copy.ClearField("doc_string")
    return copy.SerializeToString(deterministic=True)
