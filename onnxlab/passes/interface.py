"""What a pass changed for those who use the model: its inputs and outputs."""

from __future__ import annotations

from typing import Any

from onnxlab.model.model import Model

__all__ = ["interface_changes"]


def interface_changes(original: Model, variant: Model) -> tuple[str, ...]:
    """Return which inputs and outputs were renamed, retyped or fixed in size."""
    changes: list[str] = []
    for kind, before, after in (
        ("input", original.inputs, variant.inputs),
        ("output", original.outputs, variant.outputs),
    ):
        old: dict[str, Any] = {row["name"]: row for row in before.to_dict("records")}
        new: dict[str, Any] = {row["name"]: row for row in after.to_dict("records")}
        changes += [f"{kind} {name} is gone" for name in old if name not in new]
        changes += [f"{kind} {name} is new" for name in new if name not in old]
        for name in old:
            if name in new:
                changes += _port_changes(f"{kind} {name}", old[name], new[name])
    return tuple(changes)


def _port_changes(label: str, old: Any, new: Any) -> list[str]:
    changes = []
    if old["dtype"] != new["dtype"]:
        changes.append(f"{label} is {new['dtype']} instead of {old['dtype']}")
    before, after = str(old["shape"]).split("×"), str(new["shape"]).split("×")
    is_symbol_fixed = len(before) == len(after) and any(
        not a.isdigit() and a not in ("", "?", "[]") and b.isdigit()
        for a, b in zip(before, after, strict=True)
    )
    if is_symbol_fixed:
        changes.append(f"{label} is fixed to {new['shape']} instead of {old['shape']}")
    return changes
