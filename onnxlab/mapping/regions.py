"""Third pass of the join: which original nodes each optimised node computes.

A kernel computes what lies between the values it reads and the values it writes. Both are known
original values for most kernels, so the original nodes between them are its region. Where a value
in between is unknown (an operator that the runtime decomposed), the kernels on both its sides
form one group and share one region.
"""

from __future__ import annotations

from dataclasses import dataclass

from onnxlab.mapping.anchors import Anchors
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.groups import group_nodes
from onnxlab.mapping.identify import Identified
from onnxlab.mapping.operators import CASTLESS, FUSING, MOVING, REMOVABLE, SHAPE_ONLY
from onnxlab.mapping.removals import Removals, find_removals
from onnxlab.model.table import ValueKind

__all__ = ["Regions", "find_regions"]


@dataclass(slots=True, kw_only=True)
class Regions:
    """The original rows behind each optimised node.

    Attributes
    ----------
    rows
        Per optimised node, sorted original rows; empty for an inserted or unknown one.
    folded
        Original rows computed when the session was made.
    removals
        Original rows removed although a kernel beside them survived as it was.
    available
        Canonical original values that exist in the optimised model.
    """

    rows: list[tuple[int, ...]]
    folded: set[int]
    removals: Removals
    available: set[int]


def find_regions(
    original: Dataflow, optimised: Dataflow, anchors: Anchors, found: Identified
) -> Regions:
    """Slice the original between the known values of the optimised model."""
    available, folded_values = _available(original, optimised, anchors, found)
    folded = _folded_rows(original, folded_values, available)
    available |= folded_values
    removals = find_removals(original, optimised, anchors, found, available)
    regions = Regions(
        rows=[()] * optimised.count, folded=folded, removals=removals, available=available
    )
    for group in group_nodes(optimised, anchors, found):
        workers = [node for node in group if node not in found.inserted]
        rows = _region(original, optimised, anchors, found, regions, workers)
        for node in workers:
            regions.rows[node] = rows
    _hand_back_arithmetic(original, optimised, regions)
    return regions


def _available(
    original: Dataflow, optimised: Dataflow, anchors: Anchors, found: Identified
) -> tuple[set[int], set[int]]:
    """Split the known values into those computed by runs and those stored in the model."""
    available: set[int] = set()
    folded: set[int] = set()
    kinds = optimised.value_kind
    for new, old in found.values.items():
        stored = kinds[new] == ValueKind.INITIALIZER and original.producer[old] >= 0
        (folded if stored else available).add(original.canonical[old])
    for node in anchors.unchanged:
        row = anchors.rows[node]
        for new, old in zip(optimised.inputs[node], original.inputs[row], strict=False):
            # A constant stands where the original reads a computed value.
            if min(new, old) >= 0 and kinds[new] == ValueKind.INITIALIZER:
                source = original.source[old]
                if original.producer[source] >= 0:
                    folded.add(original.canonical[source])
    return available, folded - available


def _folded_rows(original: Dataflow, folded: set[int], available: set[int]) -> set[int]:
    rows = set(original.backward(folded, available, shapes=False))
    for row in range(original.count):
        outputs = [value for value in original.outputs[row] if value >= 0]
        if outputs and all(value in original.constant_values for value in outputs):
            rows.add(row)
    return rows


def _region(
    original: Dataflow,
    optimised: Dataflow,
    anchors: Anchors,
    found: Identified,
    regions: Regions,
    workers: list[int],
) -> tuple[int, ...]:
    starts = [
        found.values[value]
        for node in workers
        for value in optimised.outputs[node]
        if value in found.values
    ]
    anchored = {anchors.rows[node] for node in workers if anchors.rows[node] >= 0}
    # An Identity after a fusion equals the fusion's own result.
    through = set() if anchored else {original.canonical[value] for value in starts}
    sliced = set(original.backward(starts, regions.available, through=through))
    for row in anchored:
        needed = [v for v in original.deps[row] if original.canonical[v] not in regions.available]
        sliced.update(original.backward(needed, regions.available))
    for node in workers:
        sliced.update(found.absorbed.get(node, ()))
    sliced -= anchored
    at_run_time = {row for row in sliced if not _is_folded(original, regions, row)}
    if at_run_time or anchored:
        sliced = at_run_time
    sliced -= _repeated(original, anchored, sliced)
    idle = _idle(original, optimised, anchors, workers, sliced)
    regions.removals.eliminated |= idle
    called = {
        inner
        for row in anchored
        if row in original.called
        for inner in _instance_rows(original, row)
    }
    return tuple(sorted(anchored | called | (sliced - idle)))


def _hand_back_arithmetic(original: Dataflow, optimised: Dataflow, regions: Regions) -> None:
    """Give arithmetic that a Reshape or Transpose seems to do to the kernel before it.

    A BatchNormalization after MatMul and Reshape goes into the MatMul's weights. The tensors in
    between keep their names although their values changed, so the slice finds it too late.
    """
    for node, proto in enumerate(optimised.protos):
        rows = regions.rows[node]
        if proto.op_type not in MOVING or len(rows) < 2:
            continue
        arithmetic = {r for r in rows if original.protos[r].op_type not in MOVING | REMOVABLE}
        before = node
        while before >= 0 and optimised.protos[before].op_type in MOVING:
            source = next(iter(optimised.inputs[before]), -1)
            before = optimised.producer[source] if source >= 0 else -1
        if before >= 0 and regions.rows[before] and set(rows) > arithmetic:
            regions.rows[node] = tuple(sorted(set(rows) - arithmetic))
            regions.rows[before] = tuple(sorted({*regions.rows[before], *arithmetic}))


def _is_folded(original: Dataflow, regions: Regions, row: int) -> bool:
    # A DequantizeLinear of a constant weight is never folded but taken in by an integer kernel.
    return row in regions.folded and original.protos[row].op_type != "DequantizeLinear"


def _idle(
    original: Dataflow,
    optimised: Dataflow,
    anchors: Anchors,
    workers: list[int],
    sliced: set[int],
) -> set[int]:
    """Tell what was merely removed after a node from what its kernel took over."""
    ops = {row: original.protos[row].op_type for row in sliced}
    idle = {row for row, op in ops.items() if op in {"Identity", "Dropout"}}
    if idle == sliced and not any(anchors.rows[node] >= 0 for node in workers):
        return set()
    if all(optimised.protos[node].op_type in CASTLESS for node in workers):
        idle |= {row for row, op in ops.items() if op == "Cast"}
    if len(workers) == 1 and workers[0] in anchors.unchanged:
        own = original.protos[anchors.rows[workers[0]]].op_type
        if own not in FUSING:
            idle |= {row for row, op in ops.items() if op in REMOVABLE | SHAPE_ONLY}
    return idle


def _repeated(original: Dataflow, anchored: set[int], sliced: set[int]) -> set[int]:
    """Find rows equal to an anchored one, whose output bears their name now."""
    outputs = {
        original.canonical[value]
        for row in anchored
        for value in original.outputs[row]
        if value >= 0
    }
    return {
        row
        for row in sliced
        if any(
            value >= 0 and original.canonical[value] in outputs for value in original.outputs[row]
        )
    }


def _instance_rows(original: Dataflow, call: int) -> list[int]:
    rows: list[int] = []
    pending = list(original.bodies.get(call, ()))
    while pending:
        graph = pending.pop()
        inside = original.graph_rows(graph)
        rows.extend(inside)
        for row in inside:
            pending.extend(original.bodies.get(row, ()))
    return rows
