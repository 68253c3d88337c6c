"""What the report of a profile says, ready for its template: text and numbers, no markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from onnxlab.model.text import visible
from onnxlab.profiling.quantity import format_interval, format_share, format_us
from onnxlab.profiling.tally import tally, wall_us
from onnxlab.render.figures import page_figure
from onnxlab.render.report_facts import Fact, SessionRow, facts, session_rows
from onnxlab.render.report_time import (
    InsertedRow,
    Ledger,
    NodeRow,
    inserted_rows,
    ledger,
    node_rows,
)

if TYPE_CHECKING:
    from onnxlab.analysis.finding import Finding
    from onnxlab.profiling.cell import Cell
    from onnxlab.profiling.profile import Profile

__all__ = ["Advice", "Headline", "Report", "charts", "sections"]

_PLACES = 4
_CHART_HEIGHT_PX = 420


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One provider in one line; why it failed is told by a finding."""

    label: str
    wall: str
    facts: tuple[str, ...]
    is_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A finding; ``places`` are pairs of address and name."""

    severity: str
    hazard: str
    remedy: str
    why: str
    saving: str
    places: tuple[tuple[str, str], ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report, from top to bottom."""

    name: str
    summary: str
    headlines: tuple[Headline, ...]
    advice: tuple[Advice, ...]
    labels: tuple[str, ...]
    nodes: tuple[NodeRow, ...]
    node_count: int
    ledgers: tuple[Ledger, ...]
    inserted: tuple[InsertedRow, ...]
    sessions: tuple[SessionRow, ...]
    facts: tuple[tuple[str, tuple[Fact, ...]], ...]
    guessed: tuple[str, ...]
    measured_at: str


def sections(profile: Profile) -> Report:
    """Return the report of a profile."""
    ran = [cell for cell in profile.cells if cell.is_attributed]
    nodes, node_count = node_rows(profile, ran)
    return Report(
        name=visible(profile.model.name),
        summary=profile.model.summary,
        headlines=tuple(_headline(profile, cell) for cell in profile.cells),
        advice=tuple(_advice(profile, profile.findings)),
        labels=tuple(cell.label for cell in ran),
        nodes=nodes,
        node_count=node_count,
        ledgers=tuple(ledger(profile, cell) for cell in ran),
        inserted=inserted_rows(profile, ran),
        sessions=session_rows(profile),
        facts=facts(profile),
        guessed=profile.inputs.guessed,
        measured_at=_moment(profile.measured_at),
    )


def charts(profile: Profile) -> dict[str, Markup]:
    """Return the figures as JSON by the id of the element they go to."""
    if not any(cell.is_attributed for cell in profile.cells):
        return {}
    # In a script element nothing is unescaped: a "<" of the model must not end it.
    return {
        "treemap": Markup(page_figure(profile, height_px=_CHART_HEIGHT_PX).replace("<", "\\u003c"))
    }


def _moment(iso: str) -> str:
    return f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M} UTC" if iso else ""


def _headline(profile: Profile, cell: Cell) -> Headline:
    said: list[str] = []
    if cell.is_attributed:
        counted = tally(cell, profile.model.table)
        attributed = sum(r.time.value for r in counted.regions if r.kind != "unattributed")
        said.append(f"{len(cell.kernels):,} kernels")
        said.append(f"{format_share(counted.share(attributed))} of their time attributed")
    row: dict[Any, Any] = profile.summary.loc[cell.label].to_dict()
    for name, column in (("first run", "first_run_us"), ("session creation", "load_us")):
        time_us = float(row[column])
        if isfinite(time_us):
            said.append(f"{name} {format_us(time_us)}")
    wall = wall_us(cell, seed=profile.options.seed)
    return Headline(
        label=cell.label,
        wall=format_interval(wall) if cell.steady_sessions else "",
        facts=tuple(said),
        is_failed=bool(cell.error),
    )


def _advice(profile: Profile, findings: Sequence[Finding]) -> list[Advice]:
    names = {
        address: visible(profile.model.table.name(row))
        for row, address in enumerate(profile.model.addresses)
    }
    return [
        Advice(
            severity=str(finding.severity),
            hazard=finding.hazard,
            remedy=finding.remedy,
            why=finding.why,
            saving=format_us(finding.saving_us) if finding.saving_us else "",
            places=tuple(
                (address, names.get(address) or f"at {address}")
                for address in finding.addresses[:_PLACES]
                if address in names
            ),
            more=max(finding.count - _PLACES, 0),
        )
        for finding in findings
    ]
