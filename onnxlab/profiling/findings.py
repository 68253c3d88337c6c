"""What a profile says should be done: failures first, then by what each thing would save."""

from __future__ import annotations

from collections.abc import Iterator

from onnxlab.analysis.finding import Finding, Findings, Severity
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.time_findings import find_in_times

__all__ = ["find"]

_NAMED = 3
_ALWAYS_THERE = "CPUExecutionProvider"
_WHERE_MISSING = "Where the provider is missing, onnxlab.providers() says what to install."
_SEVERITIES = list(Severity)


def find(profile: Profile) -> Findings:
    """Return the findings of a profile, and those of its model that call for a change."""
    findings: list[Finding] = []
    for cell in profile.cells:
        findings.extend(_cell_findings(profile, cell))
        if cell.is_attributed:
            findings.extend(find_in_times(profile, cell))
    findings.extend((*_input_findings(profile), *_notes(profile)))
    findings.sort(key=_rank)  # stable: within a rank, where the time goes comes first
    grave = [finding for finding in profile.lint if finding.severity is not Severity.INFO]
    return Findings((*findings, *grave))


def _rank(finding: Finding) -> tuple[bool, float, int]:
    failed = finding.severity is Severity.ERROR
    return (not failed, -(finding.saving_us or 0.0), _SEVERITIES.index(finding.severity))


def _notes(profile: Profile) -> Iterator[Finding]:
    for note in dict.fromkeys(note for cell in profile.cells for note in cell.notes):
        yield Finding(code="measurement-note", severity=Severity.INFO, hazard=note)


def _input_findings(profile: Profile) -> Iterator[Finding]:
    guessed = profile.inputs.guessed
    more = f"; and {len(guessed) - _NAMED} more" if len(guessed) > _NAMED else ""
    if guessed:
        yield Finding(
            code="guessed-inputs",
            severity=Severity.INFO,
            hazard=f"Sizes and values were guessed: {'; '.join(guessed[:_NAMED])}{more}.",
            remedy="Give real data with inputs=, and sizes with dims=.",
            why="Random data may mislead where the work depends on the data or on its size.",
            count=len(guessed),
        )


def _cell_findings(profile: Profile, cell: Cell) -> Iterator[Finding]:
    if cell.error:
        yield Finding(
            code="provider-failed",
            severity=Severity.ERROR,
            hazard=f"{cell.label} failed: {cell.error}.",
            remedy="" if cell.provider == _ALWAYS_THERE else _WHERE_MISSING,
            why="What was measured before the failure stands; the other providers do too.",
        )
    if cell.level != profile.options.level:
        yield Finding(
            code="optimisation-fails",
            severity=Severity.WARNING,
            hazard=(
                f"The runtime fails on this model at level {profile.options.level!r}; "
                f"it was measured on {cell.label} at level {cell.level!r}."
            ),
            remedy="Find the pass that breaks it with onnxlab.optimize, and switch it off.",
            why="The model is valid, so the optimiser is at fault.",
        )
