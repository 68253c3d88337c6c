"""The join of an original with the model that the runtime made of it.

Passes over arrays, one a module: `correspond` (what the tags tell), `identify` (which value is
which), `regions` (what each kernel computes), `insertions` (who owns what the runtime put in),
`fates` (what became of each node).
"""

from __future__ import annotations

from onnxlab.mapping.correspond import correspond
from onnxlab.mapping.dataflow import Dataflow
from onnxlab.mapping.fates import find_fates
from onnxlab.mapping.identify import Identified, identify
from onnxlab.mapping.insertions import Owners
from onnxlab.mapping.operators import INSERTED, cost_rank
from onnxlab.mapping.origin import KernelOrigin, OriginKind, Provenance
from onnxlab.mapping.regions import Regions, find_regions
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
    found = identify(old, new, known)
    regions = find_regions(old, new, found)
    leads = [_lead(old, rows, found.anchors[node]) for node, rows in enumerate(regions.rows)]
    owners = Owners(old, new, found, regions)
    origins = [_origin(new, node, found, regions, leads, owners) for node in range(new.count)]
    return Provenance(origins=tuple(origins), fates=find_fates(old, regions, origins))


def _lead(original: Dataflow, rows: tuple[int, ...], anchor: int) -> int | None:
    """Return the row of the costliest operator; of equals the anchor, else the last."""
    if not rows:
        return None
    return max(rows, key=lambda row: (cost_rank(original.protos[row].op_type), row == anchor, row))


def _origin(
    optimised: Dataflow,
    node: int,
    found: Identified,
    regions: Regions,
    leads: list[int | None],
    owners: Owners,
) -> KernelOrigin:
    rows = regions.rows[node]
    if rows:
        kind = OriginKind.NODE if len(rows) == 1 else OriginKind.REGION
        evidence = found.evidence[node] or "slice"
        return KernelOrigin(kind=kind, nodes=rows, lead=leads[node], evidence=evidence)
    op_type = optimised.protos[node].op_type
    if op_type in INSERTED and (owner := owners.owner(node, leads)) is not None:
        insertion = INSERTED[op_type]
        evidence = "inserted"
        return KernelOrigin(
            kind=OriginKind.INSERTED, owner=owner, insertion=insertion, evidence=evidence
        )
    return KernelOrigin(kind=OriginKind.UNATTRIBUTED)
