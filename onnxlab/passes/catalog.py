"""The catalog of passes: what each one does, where it belongs, how it is switched off.

The data is ``onnxruntime.toml`` beside this file. ONNX Runtime lists its optimisers nowhere and
accepts unknown names silently, so a name is checked here before it is used.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

import msgspec

from onnxlab.runtime.session import Level

__all__ = ["LEVELS", "PassKind", "PassRecord", "catalog", "find", "in_rule_set", "search"]

LEVELS: tuple[Level, ...] = ("none", "basic", "extended", "layout", "all")
"""The optimisation levels of ONNX Runtime; the index is the level of a `PassRecord`."""


class PassKind(StrEnum):
    """What sort of optimiser a record stands for."""

    TRANSFORMER = "transformer"
    RULE = "rewrite rule"  # applied by a rule set
    RULE_SET = "rule set"  # the transformer that applies the rules of a level


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRecord:
    """One optimiser.

    Attributes
    ----------
    id
        Its name, as ``disabled_optimizers`` takes it.
    level
        The lowest level at which it runs, an index into `LEVELS`.
    description, example
        What it does, and the same in one line, before → after.
    library
        The library that holds it.
    is_rule_set
        Whether it is the transformer that applies the rewrite rules of a level.
    rule_set
        For a rewrite rule: the id of the rule set that applies it.
    operators
        For a rewrite rule: it can act only on a graph that has one of these operators.
    hardware_specific
        Its result suits the machine it was made on.
    required
        The library runs it whatever is asked.
    needs
        What has to be set or present before it runs at all; empty for most.
    verified
        Its name was seen to have an effect on the version the catalog was written for.
    """

    id: str
    level: int
    description: str
    example: str
    library: str = "onnxruntime"
    is_rule_set: bool = False
    rule_set: str = ""
    operators: tuple[str, ...] = ()
    hardware_specific: bool = False
    required: bool = False
    needs: str = ""
    verified: bool = True

    @property
    def kind(self) -> PassKind:
        """What sort of optimiser it is."""
        if self.is_rule_set:
            return PassKind.RULE_SET
        return PassKind.RULE if self.rule_set else PassKind.TRANSFORMER

    @property
    def switchable(self) -> bool:
        """Whether switching it off is possible and can make a difference."""
        return not self.required and not self.needs and not self.is_rule_set


@cache
def catalog() -> tuple[PassRecord, ...]:
    """Return every known pass, level by level."""
    text = files(__package__).joinpath("onnxruntime.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["pass"], tuple[PassRecord, ...])


@cache
def _by_id() -> dict[str, PassRecord]:
    return {record.id: record for record in catalog()}


def find(pass_id: str) -> PassRecord:
    """Return the record of a pass.

    Raises
    ------
    ValueError
        No pass has that name; the message suggests the nearest ones.
    """
    known = _by_id()
    if pass_id in known:
        return known[pass_id]
    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(pass_id.lower(), lower, n=3, cutoff=0.6)
    advice = (
        f"Did you mean {' or '.join(lower[name] for name in near)}?"
        if near
        else "See Optimization.passes for the names."
    )
    raise ValueError(f"There is no pass {pass_id!r}. {advice}")


def in_rule_set(rule_set: str) -> tuple[PassRecord, ...]:
    """Return the rewrite rules that a rule set applies."""
    return tuple(record for record in catalog() if record.rule_set == rule_set)


def search(text: str, records: Iterable[PassRecord] | None = None) -> tuple[PassRecord, ...]:
    """Return the passes whose id, description or example holds every word of ``text``."""
    words = text.lower().split()
    chosen = catalog() if records is None else tuple(records)
    return tuple(
        record
        for record in chosen
        if all(
            word in f"{record.id} {record.description} {record.example}".lower() for word in words
        )
    )
