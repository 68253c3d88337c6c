"""First pass of the join: which original node each optimised node stands for.

Evidence, strongest first: its tag; the tensor name that NCHWc nodes bear as their own; for an
operator that the runtime also inserts, the name of its output; the node name that a fusion
derived from one of the nodes it replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import onnx

from onnxlab.mapping.correspond import Correspondence
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.lookup import ValueLookup
from onnxlab.mapping.names import unique_names
from onnxlab.mapping.operators import INSERTED, REORDERS, default_domain
from onnxlab.mapping.tags import inlining

__all__ = ["Anchors", "find_anchors"]

_LAYOUT_SUFFIX = re.compile(r"_(?:nchwc|nhwc)(?:_token_\d+)?$")
_DERIVED_NAME = re.compile(
    r"(?:_token_\d+|_nchwc|_nhwc|_new_reshape|_transpose|_quant|/[A-Za-z]+Fusion/?)+$"
)


@dataclass(slots=True, kw_only=True)
class Anchors:
    """What is known of the optimised model's nodes one by one.

    Attributes
    ----------
    rows
        The original row each node stands for, or -1.
    evidence
        How that was found; empty where it was not.
    unchanged
        Nodes that survived with the same operator, attributes and number of inputs.
    inserted
        Nodes of operators that the runtime inserts, which stand for no original node.
    """

    rows: list[int]
    evidence: list[str]
    unchanged: set[int]
    inserted: set[int]


def find_anchors(
    original: Dataflow, optimised: Dataflow, correspondence: Correspondence, lookup: ValueLookup
) -> Anchors:
    """Find what each node of the optimised model stands for in the original."""
    return _Finder(original, optimised, correspondence, lookup).run()


class _Finder:
    def __init__(
        self,
        original: Dataflow,
        optimised: Dataflow,
        correspondence: Correspondence,
        lookup: ValueLookup,
    ) -> None:
        self._old = original
        self._new = optimised
        self._lookup = lookup
        self._names = {name: row for row, name in enumerate(unique_names(original.table))}
        self._tagged = {row for row in correspondence.tagged if row >= 0}
        self._found = Anchors(
            rows=list(correspondence.tagged),
            evidence=["tag" if row >= 0 else "" for row in correspondence.tagged],
            unchanged=set(),
            inserted=set(),
        )

    def run(self) -> Anchors:
        found = self._found
        for node in range(self._new.count):
            if found.rows[node] >= 0:
                if self._is_unchanged(node, found.rows[node]):
                    found.unchanged.add(node)
            elif self._new.protos[node].op_type in INSERTED:
                self._place_structural(node)
            else:
                self._anchor_fused(node)
        return found

    def _is_unchanged(self, node: int, row: int) -> bool:
        new, old = self._new.protos[node], self._old.protos[row]
        return (
            _same_operator(new, old)
            and sum(map(bool, new.input)) == sum(map(bool, old.input))
            and _attributes_agree(new, old)
        )

    def _place_structural(self, node: int) -> None:
        """Tell an original Reshape, ... that was merged or moved from an inserted one."""
        proto, graph = self._new.protos[node], self._new.graph[node]
        ends = [*self._new.inputs[node][:1], *self._new.outputs[node][:1]]
        if len(ends) < 2 or min(ends) < 0 or any(self._is_inside_operator(v) for v in ends):
            return
        source, result = (self._lookup.exact(self._new.value_name(v), graph) for v in ends)
        by_tensor = self._old.producer[result] if result >= 0 else -1
        by_name = self._names.get(_DERIVED_NAME.sub("", proto.name), -1)
        candidates = [(by_tensor, "tensor-name"), (by_name, "node-name")]
        if proto.op_type == "ReorderInput":
            readers = self._old.consumers.get(source, ())
            free = [row for row in readers if row not in self._tagged]
            moving = [row for row in free if self._old.protos[row].op_type == "Transpose"]
            candidates += [(row, "tensor-name") for row in moving if len(moving) == 1]
        for row, evidence in candidates:
            is_free = row >= 0 and row not in self._tagged
            if is_free and _does_work_of(proto, self._old.protos[row]):
                self._anchor(node, row, evidence)
                return
        self._found.inserted.add(node)

    def _anchor_fused(self, node: int) -> None:
        """Use the names that passes give their new nodes."""
        name, graph = self._new.protos[node].name, self._new.graph[node]
        tensor = _LAYOUT_SUFFIX.sub("", name)
        if tensor != name and (value := self._lookup.find(tensor, graph)) >= 0:
            row = self._old.producer[self._old.source[value]]
            if row >= 0:
                self._anchor(node, row, "tensor-name")
                return
        # An output of a known name says more than a node name.
        outputs = self._new.outputs[node]
        if any(v >= 0 and self._lookup.find(self._new.value_name(v), graph) >= 0 for v in outputs):
            return
        row = self._names.get(_DERIVED_NAME.sub("", name), -1)
        if row >= 0:
            self._anchor(node, row, "node-name")

    def _anchor(self, node: int, row: int, evidence: str) -> None:
        self._found.rows[node] = row
        self._found.evidence[node] = evidence

    def _is_inside_operator(self, value: int) -> bool:
        """Whether a value came from the function in an operator's schema."""
        name = self._new.value_name(value)
        return bool(inlining(name)) and not self._lookup.knows(name)


def _same_operator(new: onnx.NodeProto, old: onnx.NodeProto) -> bool:
    domains = default_domain(new.domain), default_domain(old.domain)
    return new.op_type == old.op_type and domains[0] == domains[1]


def _does_work_of(new: onnx.NodeProto, old: onnx.NodeProto) -> bool:
    """Whether a node is an original one, or a change of layout that took in a Transpose."""
    if old.op_type == "Transpose" and new.op_type in REORDERS:
        return any(a.name == "channels_last" and a.i == 1 for a in new.attribute)
    return _same_operator(new, old)


def _attributes_agree(new: onnx.NodeProto, old: onnx.NodeProto) -> bool:
    """Whether no attribute of the original was changed; the runtime adds default ones."""
    kept = {a.name: a for a in new.attribute}
    for attribute in old.attribute:
        other = kept.get(attribute.name)
        is_body = attribute.type in {onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS}
        if is_body or attribute.ref_attr_name or other is None:
            continue
        if _plain(attribute) != _plain(other):
            return False
    return True


def _plain(attribute: onnx.AttributeProto) -> bytes:
    copy = onnx.AttributeProto()
    copy.CopyFrom(attribute)
    copy.ClearField("doc_string")
    return copy.SerializeToString(deterministic=True)
