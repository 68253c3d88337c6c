"""What is wrong or odd about a model, without running it."""

from __future__ import annotations

from onnxlab.analysis.checker import check
from onnxlab.analysis.finding import Finding, Findings, Severity
from onnxlab.analysis.rules import graph, interface, tensors, versions
from onnxlab.model.model import Model

__all__ = ["lint"]

RULES = (*graph.RULES, *versions.RULES, *tensors.RULES, *interface.RULES)

# What the checker would only repeat, in its own words.
_CHECKER_REPEATS = frozenset(
    (
        "branches-differ",
        "external-data-missing",
        "missing-opset-import",
        "unknown-operator",
        "unknown-opset",
        "unsorted",
    )
)
_ORDER = {severity: number for number, severity in enumerate(Severity)}


def lint(model: Model, *, checker: bool = True) -> Findings:
    """Return a model's findings, worst first.

    Parameters
    ----------
    model
        The model.
    checker
        Whether to ask onnx's checker too, where our own rules do not find what it would repeat:
        it takes about a second, in a child process.
    """
    findings: list[Finding] = [finding for rule in RULES for finding in rule(model)]
    known = any(
        finding.severity is Severity.ERROR or finding.code in _CHECKER_REPEATS
        for finding in findings
    )
    if checker and not known:
        findings += check(model)
    return Findings(sorted(findings, key=lambda finding: _ORDER[finding.severity]))
