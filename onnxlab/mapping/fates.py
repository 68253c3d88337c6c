"""Last pass of the join: what became of each original node."""

from __future__ import annotations

from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.operators import REMOVABLE, SHAPE_ONLY
from onnxlab.mapping.origin import Fate, KernelOrigin
from onnxlab.mapping.regions import Regions
from onnxlab.model.table import GraphKind

__all__ = ["find_fates"]

_GONE = {Fate.DEAD, Fate.FOLDED, Fate.ELIMINATED, Fate.DEDUPLICATED}


def find_fates(
    original: Dataflow, regions: Regions, origins: list[KernelOrigin]
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
    _inherit(original, fates)
    return tuple(fates)


def _without_kernel(original: Dataflow, regions: Regions, row: int) -> Fate:
    node = original.protos[row]
    if node.op_type == "Constant" or row in regions.folded:
        return Fate.FOLDED
    if row in original.called:
        return Fate.INLINED
    if row not in original.live:
        return Fate.DEAD
    if row in regions.eliminated:
        return Fate.ELIMINATED
    outputs = [value for value in original.outputs[row] if value >= 0]
    if outputs and all(original.canonical[value] != value for value in outputs):
        return Fate.ELIMINATED if node.op_type == "Identity" else Fate.DEDUPLICATED
    if node.op_type in REMOVABLE | SHAPE_ONLY:
        return Fate.ELIMINATED
    return Fate.UNKNOWN


def _inherit(original: Dataflow, fates: list[Fate]) -> None:
    """Settle control flow that has no kernel of its own, and the bodies of what is gone.

    Owners precede their bodies in the table, so one pass forward reaches every depth.
    """
    kinds, owners = original.table.graph_kind, original.graph_owner
    busy = {owner for graph, owner in enumerate(owners) if _has_kernel(original, fates, graph)}
    for row in range(original.count):
        owner = owners[original.graph[row]]
        if fates[row] is Fate.UNKNOWN and row in original.bodies and row in busy:
            fates[row] = Fate.INLINED
        if owner < 0:
            continue
        if fates[row] in {Fate.EXECUTED, Fate.REGION, Fate.FOLDED}:
            continue
        if fates[owner] in _GONE:
            fates[row] = fates[owner]
        elif (
            fates[owner] is Fate.INLINED
            and kinds[original.graph[row]] == GraphKind.BODY
            and not _has_kernel(original, fates, original.graph[row])
        ):
            # The other branch of an If whose condition is constant can never run.
            fates[row] = Fate.DEAD


def _has_kernel(original: Dataflow, fates: list[Fate], graph: int) -> bool:
    kernels = {Fate.EXECUTED, Fate.REGION, Fate.INLINED}
    return any(fates[row] in kernels for row in original.graph_rows(graph))
