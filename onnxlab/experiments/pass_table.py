"""The passes as a table, those that act on the model first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from onnxlab.passes.catalog import PassRecord, catalog
from onnxlab.passes.ort import Action

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["pass_frame"]

_IDLE = Action(acts=False)


def pass_frame(enabled: Collection[str], actions: Mapping[str, Action]) -> pd.DataFrame:
    """Return one row per pass; see `onnxlab.experiments.optimization.Optimization.passes`."""
    import pandas as pd

    records = [record for record in catalog() if not record.is_rule_set]
    shown = sorted(
        ((record, actions.get(record.id, _IDLE)) for record in records),
        key=lambda pair: (not pair[1].acts, -abs(pair[1].delta_nodes or 0)),
    )
    rows = [_row(record, enabled, action) for record, action in shown]
    return pd.DataFrame(rows).astype({"delta_nodes": "Int64"})


def _row(record: PassRecord, enabled: Collection[str], action: Action) -> dict[str, object]:
    return {
        "id": record.id,
        "level": record.level,
        "kind": str(record.kind),
        "description": record.description,
        "example": record.example,
        "enabled": record.id in enabled or record.required,
        "acts": action.acts,
        "delta_nodes": action.delta_nodes,
        "note": action.note or (f"needs {record.needs}" if record.needs else ""),
    }
