"""A finding: a hazard, its remedy and why, with the places it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from onnxlab import exits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Finding", "Findings", "Severity"]


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


class Findings(tuple[Finding, ...]):
    """Findings in order of importance.

    Examples
    --------
    >>> from onnxlab.testing import mlp
    >>> from onnxlab.model.load import load
    >>> load(mlp()).lint()
    no findings
    """

    __slots__ = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row per finding: code, severity, hazard, remedy, why, addresses, count, saving_us."""
        import pandas as pd

        columns = list(Finding.__dataclass_fields__)
        rows = [[getattr(finding, column) for column in columns] for finding in self]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        if not self:
            return "no findings"
        lines = []
        for finding in self:
            sentences = " ".join(filter(None, (finding.hazard, finding.remedy)))
            lines.append(f"{finding.severity}: {sentences} [{finding.code}]")
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return exits.call("Findings._repr_mimebundle_", self, include, exclude)
