"""Which passes are on: a set of switches, and what it means for ONNX Runtime."""

from __future__ import annotations

from dataclasses import dataclass, replace

from onnxlab.passes.catalog import LEVELS, PassRecord, catalog, find, in_rule_set
from onnxlab.runtime.session import Level

__all__ = ["PRESETS", "Pipeline", "preset", "switchable"]

PRESETS = LEVELS
"""Names of the presets: what ONNX Runtime does at each of its levels."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A choice of passes.

    Parameters
    ----------
    enabled
        Ids of the passes that are on, switchable ones only; `preset` and `toggled` make it.
    """

    enabled: frozenset[str]

    @property
    def level_index(self) -> int:
        """The lowest level, an index into `LEVELS`, at which every enabled pass runs."""
        return max((find(name).level for name in self.enabled), default=0)

    @property
    def level(self) -> Level:
        """The optimisation level to ask for."""
        return LEVELS[self.level_index]

    @property
    def disabled(self) -> tuple[str, ...]:
        """The passes of that level to switch off, in catalog order."""
        return tuple(
            record.id
            for record in switchable()
            if record.level <= self.level_index and record.id not in self.enabled
        )

    @property
    def name(self) -> str:
        """A short name: the preset, or the preset less what is switched off."""
        disabled = self.disabled
        if not disabled:
            return self.level
        if len(disabled) <= 2:
            return f"{self.level} − {' − '.join(disabled)}"
        return f"{self.level} − {len(disabled)} passes"

    def toggled(self, pass_id: str, enabled: bool, /) -> Pipeline:
        """Return the pipeline with one pass, or all rules of a rule set, on or off.

        Raises
        ------
        ValueError
            No such pass, or one that cannot be switched.
        """
        ids = {record.id for record in _switched_by(find(pass_id))}
        return replace(self, enabled=self.enabled | ids if enabled else self.enabled - ids)


def switchable() -> tuple[PassRecord, ...]:
    """Return the passes that have a switch."""
    return tuple(record for record in catalog() if record.switchable)


def preset(name: str) -> Pipeline:
    """Return the pipeline that ONNX Runtime runs at a level, one of `PRESETS`.

    Raises
    ------
    ValueError
        No such preset.
    """
    if name not in PRESETS:
        raise ValueError(f"There is no preset {name!r}. The presets are {', '.join(PRESETS)}.")
    level = PRESETS.index(name)
    return Pipeline(frozenset(record.id for record in switchable() if record.level <= level))


def _switched_by(record: PassRecord) -> tuple[PassRecord, ...]:
    if record.is_rule_set:
        return tuple(rule for rule in in_rule_set(record.id) if rule.switchable)
    if record.required:
        raise ValueError(f"{record.id} cannot be switched: ONNX Runtime always runs it.")
    if record.needs:
        raise ValueError(f"{record.id} does not run here: it needs {record.needs}.")
    return (record,)
