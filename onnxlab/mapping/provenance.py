"""The join of an original with the model that the runtime made of it.

Passes over arrays, one a module: `correspond` (what the tags tell), `anchors` (which node stands
for which), `identify` (which value is which), `regions` (what each kernel computes), `insertions`
(who owns what the runtime put in), `fates` (what became of each node).
"""

from __future__ import annotations

from onnxlab.mapping.anchors import find_anchors
from onnxlab.mapping.correspond import correspond
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.fates import find_fates
from onnxlab.mapping.identify import identify
from onnxlab.mapping.insertions import Owners
from onnxlab.mapping.lookup import ValueLookup
from onnxlab.mapping.operators import INSERTED, cost_rank
from onnxlab.mapping.origin import KernelOrigin, OriginKind, Provenance
from onnxlab.mapping.regions import find_regions
from onnxlab.model.model import Model

__all__ = ["provenance"]


def provenance(original: Model, optimised: Model) -> Provenance:
    """Say which original nodes each optimised node runs, and what became of each original.

    Parameters
    ----------
    original
        The model as the user has it; its rows are the ones named.
    optimised
        What the runtime saved for the instrumented copy (`onnxlab.mapping.instrument`).
    """
    known = correspond(original, optimised)
    old, new = Dataflow(original, inlined=known.inlined), Dataflow(optimised)
    lookup = ValueLookup(old, new, known.graphs)
    anchors = find_anchors(old, new, known, lookup)
    found = identify(old, new, anchors, lookup)
    regions = find_regions(old, new, anchors, found)
    leads = [_lead(old, rows, anchors.rows[node]) for node, rows in enumerate(regions.rows)]
    owners = Owners(old, new, found, lookup)
    origins: list[KernelOrigin] = []
    for node, rows in enumerate(regions.rows):
        if rows:
            evidence = anchors.evidence[node] or "slice"
            origins.append(_working(rows, leads[node], evidence))
        else:
            origins.append(_inserted(new.protos[node].op_type, owners.owner(node, leads)))
    return Provenance(
        origins=tuple(origins), fates=find_fates(old, regions, origins, set(known.tagged))
    )


def _lead(original: Dataflow, rows: tuple[int, ...], anchor: int) -> int | None:
    """Return the row of the costliest operator; of equals the anchor, else the last."""
    if not rows:
        return None
    return max(rows, key=lambda row: (cost_rank(original.protos[row].op_type), row == anchor, row))


def _working(rows: tuple[int, ...], lead: int | None, evidence: str) -> KernelOrigin:
    kind = OriginKind.NODE if len(rows) == 1 else OriginKind.REGION
    return KernelOrigin(kind=kind, nodes=rows, lead=lead, evidence=evidence)


def _inserted(op_type: str, owner: int | None) -> KernelOrigin:
    if op_type not in INSERTED or owner is None:
        return KernelOrigin(kind=OriginKind.UNATTRIBUTED)
    return KernelOrigin(
        kind=OriginKind.INSERTED, owner=owner, insertion=INSERTED[op_type], evidence="inserted"
    )
