"""A finding: a hazard, its remedy and why, with the places it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Finding", "Severity"]


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"  # the model is not valid, or cannot run
    WARNING = "warning"  # it works, but something is likely not what was meant
    INFO = "info"  # worth knowing


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing worth telling the user.

    Attributes
    ----------
    code
        A stable, hyphenated id such as ``duplicate-node-name``.
    severity
        See `Severity`.
    hazard, remedy, why
        Three sentences a colleague would say: what is wrong, what to do, and why it matters.
    addresses
        Addresses of the nodes or values concerned (at most 100; ``count`` has the full number).
    count
        How many places it concerns.
    saving_us
        Microseconds per run that the remedy would save, where that is known.
    """

    code: str
    severity: Severity
    hazard: str
    remedy: str = ""
    why: str = ""
    addresses: tuple[str, ...] = ()
    count: int = 1
    saving_us: float | None = None
