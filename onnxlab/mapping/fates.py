"""Last pass of the join: what became of each original node."""

from __future__ import annotations

from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.operators import REMOVABLE, SHAPE_ONLY
from onnxlab.mapping.origin import Fate, KernelOrigin
from onnxlab.mapping.regions import Regions

__all__ = ["find_fates"]

_GONE = {Fate.DEAD, Fate.FOLDED, Fate.ELIMINATED, Fate.DEDUPLICATED}


def find_fates(
    original: Dataflow, regions: Regions, origins: list[KernelOrigin], tagged: set[int]
) -> tuple[Fate, ...]:
    """Give every original row its fate; see `Fate` for what each means."""
    shared = {row for origin in origins if len(origin.nodes) > 1 for row in origin.nodes}
    alone = {origin.nodes[0] for origin in origins if len(origin.nodes) == 1}
    fates: list[Fate] = []
    for row in range(original.count):
        if row in alone:
            fates.append(Fate.EXECUTED)
        elif row in shared:
            fates.append(Fate.REGION)
        else:
            fates.append(_without_kernel(original, regions, row))
    _inherit(original, fates, tagged)
    return tuple(fates)


def _without_kernel(original: Dataflow, regions: Regions, row: int) -> Fate:
    node = original.protos[row]
    if node.op_type == "Constant" or row in regions.folded:
        return Fate.FOLDED
    if row in original.called or row in original.inlined:
        return Fate.INLINED
    if row not in original.live:
        return Fate.DEAD
    if row in regions.removals.eliminated:
        return Fate.ELIMINATED
    if row in regions.removals.deduplicated:
        return Fate.DEDUPLICATED
    outputs = [value for value in original.outputs[row] if value >= 0]
    if outputs and all(original.is_repeated(value) for value in outputs):
        return Fate.ELIMINATED if node.op_type == "Identity" else Fate.DEDUPLICATED
    if row in original.foldable:
        return Fate.INLINED if row in original.bodies else Fate.FOLDED
    if node.op_type in REMOVABLE | SHAPE_ONLY:
        return Fate.ELIMINATED
    return Fate.UNKNOWN


def _inherit(original: Dataflow, fates: list[Fate], tagged: set[int]) -> None:
    """Settle what is in the bodies of nodes that are gone or inlined.

    Owners precede their bodies in the table, so one pass forward reaches every depth.
    """
    for row, fate in enumerate(fates):
        graph = original.graph[row]
        owner = original.graph_owner[graph]
        if owner < 0 or fate in {Fate.EXECUTED, Fate.REGION}:
            continue
        if fates[owner] in _GONE:
            fates[row] = fates[owner]
        elif original.inlined.get(owner, graph) != graph:
            fates[row] = Fate.DEAD  # the branch that a constant condition rules out
        elif fate is Fate.UNKNOWN and owner not in tagged:
            fates[row] = Fate.ELIMINATED  # the owner was inlined and nothing here is left
