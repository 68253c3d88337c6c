"""Pieces of HTML for a notebook: tables and lists without scripts and, but for `styled`, style."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from onnxlab.model.text import visible
from onnxlab.render.html import render, template_text
from onnxlab.render.report import sections

if TYPE_CHECKING:
    from onnxlab.analysis.finding import Findings
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.model.model import Model
    from onnxlab.model.table import GraphTable
    from onnxlab.profiling.profile import Profile

__all__ = ["findings", "model", "optimization", "profile", "profile_head", "profile_table"]
__all__ += ["styled"]

_ROWS = 20
_FIRST_FINDINGS = 3
_NAME_CHARACTERS = 80


def model(opened: Model) -> str:
    """Return a model's line, findings, inputs, outputs and operators."""
    table = opened.table
    counts = Counter(visible(table.op(row)) for row in range(table.node_count))
    ports = [
        (kind, *_port(table, row))
        for kind, starts, rows in (
            ("input", table.graph_inputs_start, table.graph_inputs),
            ("output", table.graph_outputs_start, table.graph_outputs),
        )
        for row in rows[starts[0] : starts[1]].tolist()
    ]
    return render(
        "fragment_model.html.j2",
        name=visible(opened.name),
        summary=opened.summary,
        findings=opened.lint(),
        ports=ports[:_ROWS],
        operators=counts.most_common(_ROWS),
    )


def _port(table: GraphTable, row: int) -> tuple[str, str, str]:
    name, dtype, shape = table.value_name[row], table.value_dtype[row], table.value_shape[row]
    return visible(table.strings[name]), table.strings[dtype], visible(table.strings[shape])


def findings(found: Findings) -> str:
    """Return findings as a list."""
    return render("fragment_findings.html.j2", findings=found) or "<p>no findings</p>"


def profile(measured: Profile) -> str:
    """Return a profile's lines, findings and costliest nodes."""
    return profile_head(measured) + profile_table(measured)


def profile_head(measured: Profile) -> str:
    """Return a profile's lines and findings."""
    report = sections(measured)
    return render(
        "fragment_profile.html.j2",
        report=report,
        first=report.advice[:_FIRST_FINDINGS],
        others=report.advice[_FIRST_FINDINGS:],
    )


def profile_table(measured: Profile) -> str:
    """Return a profile's costliest nodes."""
    report = sections(measured)
    return render(
        "fragment_nodes.html.j2",
        labels=report.labels,
        rows=report.nodes[:_ROWS],
        more=report.node_count - min(report.node_count, _ROWS),
        end_of=_end_of,
    )


def _end_of(name: str) -> str:
    """Return a long name without its start: the end is what tells nodes apart."""
    return name if len(name) <= _NAME_CHARACTERS else "…" + name[1 - _NAME_CHARACTERS :]


def styled(html: str) -> str:
    """Return a piece of a profile with the style that a live notebook gives it."""
    return f"<style>{template_text('notebook.css')}</style>{html}"


def optimization(choice: Optimization) -> str:
    """Return the passes that act and the effect of those that are on."""
    passes = choice.passes
    return render(
        "fragment_optimization.html.j2",
        name=visible(choice.model.name),
        passes=passes[passes["acts"]].to_dict("records"),
        effect=[tuple(map(visible, row)) for row in choice.known_effect.rows],
    )
