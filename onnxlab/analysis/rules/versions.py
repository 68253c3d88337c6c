"""Rules about operators, opsets and format versions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import metadata

import numpy as np
import onnx
from onnx import FunctionProto

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.analysis.rules.report import counted, listed, node_finding
from onnxlab.model.contrib import CONTRIB_OPS
from onnxlab.model.model import Model
from onnxlab.model.operators import opset_versions
from onnxlab.model.table import NodeFlag
from onnxlab.model.text import text

__all__ = ["RULES"]

# From which release on ONNX Runtime reads an IR version or an opset; all read older ones.
_RUNTIME_FOR_IR = {14: (1, 32)}
_RUNTIME_FOR_OPSET = {27: (1, 32), 28: (1, 32)}
_WIDELY_READ_IR = 13
_OLDEST_OPSET = 7
_RUNTIMES = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-openvino", "onnxruntime-directml")


def ir_version(model: Model) -> Iterator[Finding]:
    """Find an IR version that the runtime does not read, that is none, or that is missing."""
    version = model.proto.ir_version
    if version <= 0:
        yield Finding(
            code="no-ir-version",
            severity=Severity.ERROR,
            hazard=f"The model says IR version {version}, which does not exist."
            if model.proto.HasField("ir_version")
            else "The model does not say its IR version.",
            remedy="Set ir_version, 8 for example, and save the model again.",
            why="Runtimes and checkers may refuse it.",
        )
    if version > _WIDELY_READ_IR:
        yield _needs_runtime(
            "new-ir-version",
            f"has IR version {version}",
            _RUNTIME_FOR_IR.get(version),
            remedy=f"For older ones save a copy with ir_version = {_WIDELY_READ_IR}: that suffices "
            "unless the model uses what is new in the format.",
        )


def _needs_runtime(
    code: str, trait: str, needed: tuple[int, int] | None, *, remedy: str
) -> Finding:
    """Return a finding about something that only new runtimes read: a warning if ours does not."""
    installed = _installed_runtime()
    reads = needed is not None and installed is not None and installed[1] >= needed
    release = f"ONNX Runtime {needed[0]}.{needed[1]} or newer" if needed else "a newer ONNX Runtime"
    here = f"; {installed[0]} is installed" if installed else ""
    return Finding(
        code=code,
        severity=Severity.INFO if reads else Severity.WARNING,
        hazard=f"The model {trait}, which needs {release}{here}.",
        remedy=remedy,
        why="A runtime refuses a version that it does not know.",
    )


def _installed_runtime() -> tuple[str, tuple[int, int]] | None:
    """Return the version of ONNX Runtime installed beside us, without importing it."""
    for package in _RUNTIMES:
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        match = re.match(r"(\d+)\.(\d+)", version)
        if match:
            return version, (int(match[1]), int(match[2]))
    return None


def opset_imports(model: Model) -> Iterator[Finding]:
    """Find opsets that are unknown, too old to run, or missing."""
    for domain, version in model.opsets.items():
        newest = _newest_opsets().get(domain)
        if newest is not None and version > newest:
            label = f"{domain} opset" if domain else "opset"
            yield Finding(
                code="unknown-opset",
                severity=Severity.WARNING,
                hazard=f"The model imports {label} {version}; the newest that onnx "
                f"{onnx.__version__} knows is {newest}.",
                remedy=f"Export it with an opset up to {newest}, or update onnx and the runtime.",
                why="ONNX Runtime refuses an opset that it does not know.",
            )
    version = model.opsets.get("", _OLDEST_OPSET)
    if version in _RUNTIME_FOR_OPSET:
        yield _needs_runtime(
            "new-opset",
            f"imports opset {version}",
            _RUNTIME_FOR_OPSET[version],
            remedy="For older ones export it with an older opset.",
        )
    if version < _OLDEST_OPSET:
        yield Finding(
            code="old-opset",
            severity=Severity.WARNING,
            hazard=f"The model imports opset {version}, which ONNX Runtime cannot be relied on "
            f"to run: it supports {_OLDEST_OPSET} and newer.",
            remedy="Convert it: onnx.version_converter.convert_version(model, 13).",
            why="The kernels of operators that old were never written, or were removed.",
        )
    yield from _missing_imports(model)


@cache
def _newest_opsets() -> dict[str, int]:
    """Return the newest version of each domain that onnx defines."""
    newest: dict[str, int] = {}
    for schema in onnx.defs.get_all_schemas():
        newest[schema.domain] = max(newest.get(schema.domain, 0), schema.since_version)
    return newest | {"": onnx.defs.onnx_opset_version()}


def _missing_imports(model: Model) -> Iterator[Finding]:
    table = model.table
    imported = set(model.opsets)
    for function in model.proto.functions:
        imported |= {text(function.domain), *opset_versions(function)}
    rows: dict[str, list[int]] = defaultdict(list)
    for number in np.unique(table.node_domain).tolist():
        domain = table.strings[number]
        domain = "" if domain == "ai.onnx" else domain
        if domain not in imported:
            rows[domain] += np.flatnonzero(table.node_domain == number).tolist()
    for domain, nodes in rows.items():
        yield node_finding(
            model,
            nodes,
            code="missing-opset-import",
            severity=Severity.WARNING,
            hazard=f"{counted(len(nodes), 'node')} of the domain {domain or 'ai.onnx'!r}, which "
            "the model does not import.",
            remedy="Add the domain to opset_import.",
            why="Without it the operators' version is not defined; the checker refuses the model.",
        )


def unknown_operators(model: Model) -> Iterator[Finding]:
    """Find operators without a schema."""
    table = model.table
    rows = np.flatnonzero(table.node_flags & NodeFlag.UNKNOWN_OP).tolist()
    if not rows:
        return
    kinds = dict.fromkeys(
        (table.op(row), table.strings[int(table.node_domain[row])]) for row in rows
    )
    names = [_operator(op, domain) for op, domain in kinds]
    foreign = any(domain for _, domain in kinds)
    yield node_finding(
        model,
        rows,
        code="unknown-operator",
        severity=Severity.WARNING,
        hazard=f"{counted(len(rows), 'node')} with an operator that neither ONNX nor ONNX Runtime "
        f"knows: {listed(names)}.",
        remedy="Load the library of custom operators that it needs when running it."
        if foreign
        else "Check the operator's name and the opset import.",
        why="Shapes cannot be inferred past it, and the model cannot run without it.",
    )


def _operator(op: str, domain: str) -> str:
    """Name an operator, and the opset where it exists if that is another."""
    if domain not in ("", "ai.onnx"):
        return f"{domain}::{op}"
    if onnx.defs.has(op):
        since = min(
            schema.since_version
            for schema in onnx.defs.get_all_schemas_with_history()
            if schema.name == op and schema.domain == ""
        )
        return f"{op} (exists from opset {since} on)"
    if op in CONTRIB_OPS["com.microsoft"]:
        return f"{op} (exists in the domain com.microsoft)"
    return op


def functions(model: Model) -> Iterator[Finding]:
    """Find local functions that call themselves, or are too many to unfold."""
    walk = model.walk
    if walk.recursive_calls:
        rows = list(walk.recursive_calls)
        names = dict.fromkeys(model.table.op(row) for row in rows)
        yield node_finding(
            model,
            rows,
            code="recursive-function",
            severity=Severity.ERROR,
            hazard=f"A local function calls itself: {listed(names)}.",
            remedy="Unroll it, or use a Loop.",
            why="ONNX forbids recursion; unfolding stops here at the first repeated call.",
        )
    if walk.unexpanded_calls:
        yield node_finding(
            model,
            list(walk.unexpanded_calls),
            code="functions-not-unfolded",
            severity=Severity.WARNING,
            hazard=f"{counted(len(walk.unexpanded_calls), 'call')} of local functions "
            "not unfolded: together their bodies are too large.",
            why="The nodes inside those calls are not listed.",
        )
    uncalled = [
        visit for visit in walk.visits if visit.function_key is not None and visit.owner < 0
    ]
    if uncalled and not walk.recursive_calls:
        yield Finding(
            code="unused-function",
            severity=Severity.INFO,
            hazard=f"{counted(len(uncalled), 'local function', ('is', 'are'))} never called: "
            f"{listed(visit.attribute for visit in uncalled)}.",
            remedy="Remove what is not needed.",
            count=len(uncalled),
        )


def function_imports(model: Model) -> Iterator[Finding]:
    """Find local functions that stand for an operator of the standard."""
    shadowing = [
        text(function.name)
        for function in model.proto.functions
        if isinstance(function, FunctionProto) and text(function.domain) in ("", "ai.onnx")
    ]
    if shadowing:
        yield Finding(
            code="function-replaces-operator",
            severity=Severity.INFO,
            hazard=f"Local functions in ONNX's own domain: {listed(shadowing)}.",
            why="They take the place of the standard operators of those names.",
            count=len(shadowing),
        )


RULES = (ir_version, opset_imports, unknown_operators, functions, function_imports)
