"""What the runtime removed beside nodes that survived as they were.

A node with the same operator and attributes computes itself alone. Where it reads another value
than the original does, the two must be equal: what lies between them did nothing, or did again
what another node does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from onnxlab.mapping.anchors import Anchors
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.identify import Identified
from onnxlab.mapping.operators import REMOVABLE

__all__ = ["Removals", "find_removals"]


@dataclass(slots=True, kw_only=True)
class Removals:
    """Original rows without a kernel, and why.

    Attributes
    ----------
    eliminated
        Rows that did nothing.
    deduplicated
        Rows that did again what another node does.
    """

    eliminated: set[int] = field(default_factory=set)
    deduplicated: set[int] = field(default_factory=set)


def find_removals(
    original: Dataflow,
    optimised: Dataflow,
    anchors: Anchors,
    found: Identified,
    available: set[int],
) -> Removals:
    """Compare what unchanged nodes read with what their originals read.

    Parameters
    ----------
    original, optimised, anchors, found
        The models and what is known of them.
    available
        Canonical original values that exist in the optimised model; those found equal to one of
        them are added.
    """
    removals = Removals()
    for node in sorted(anchors.unchanged):
        inputs = original.inputs[anchors.rows[node]]
        for new, old in zip(optimised.inputs[node], inputs, strict=False):
            if min(new, old) < 0 or new not in found.values:
                continue
            expected = original.source[old]
            if original.canonical[expected] in available:
                continue
            if (equal := _compare(original, expected, found.values[new])) is None:
                between = original.backward([expected], available)
                if any(original.protos[row].op_type not in REMOVABLE for row in between):
                    continue
                equal = Removals(eliminated=set(between))
            removals.eliminated |= equal.eliminated
            removals.deduplicated |= equal.deduplicated
            available.add(original.canonical[expected])
    return removals


def _compare(original: Dataflow, expected: int, read: int) -> Removals | None:
    """Walk back from two values in step, past what does nothing; None where they part."""
    removals = Removals()
    pairs = [(expected, read)]
    seen = set(pairs)
    for value, other in pairs:  # grows while it is walked
        if original.canonical[value] == original.canonical[other]:
            continue
        row, twin = original.producer[value], original.producer[other]
        if _do_the_same(original, row, twin):
            removals.deduplicated.add(row)
            more = list(zip(original.deps[row], original.deps[twin], strict=True))
        elif (before := _before_idle(original, row)) is not None:
            removals.eliminated.add(row)
            more = [(before, other)]
        elif (before := _before_idle(original, twin)) is not None:
            more = [(value, before)]
        else:
            return None
        pairs.extend(pair for pair in more if pair not in seen)
        seen.update(more)
    return removals


def _before_idle(original: Dataflow, row: int) -> int | None:
    """Return the value that a node hands on if it is of a kind that may do nothing."""
    if row < 0 or original.protos[row].op_type not in REMOVABLE or not original.deps[row]:
        return None
    data = [value for value in original.deps[row] if value not in original.constant_values]
    return (data or original.deps[row])[0]


def _do_the_same(original: Dataflow, row: int, twin: int) -> bool:
    if min(row, twin) < 0 or row == twin:
        return False
    node, other = original.protos[row], original.protos[twin]
    return (
        node.op_type == other.op_type
        and list(node.attribute) == list(other.attribute)
        and len(original.deps[row]) == len(original.deps[twin])
    )
