"""Which operators are known: ONNX's own schemas, local functions, ONNX Runtime's additions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx
from onnx import FunctionProto, ModelProto

from onnxlab.model.contrib import CONTRIB_OPS
from onnxlab.model.text import text
from onnxlab.model.walk import Walk, call_key, function_key

__all__ = ["known_operators", "opset_versions", "schema_of"]

_NEWEST_VERSION = 2**31 - 1  # what onnx can look up; a file may say more


def opset_versions(proto: ModelProto | FunctionProto) -> dict[str, int]:
    """Return the imported version of each domain; the default domain is the empty string."""
    versions: dict[str, int] = {}
    for entry in proto.opset_import:
        domain = text(entry.domain)
        versions.setdefault("" if domain == "ai.onnx" else domain, entry.version)
    return versions


def schema_of(op: str, domain: str, version: int) -> onnx.defs.OpSchema | None:
    """Return an operator's schema, or None where the installed onnx has none."""
    newest = min(max(version, 1), _NEWEST_VERSION)
    if not onnx.defs.has(op, newest, domain):
        return None
    return onnx.defs.get_schema(op, newest, domain)


def known_operators(walk: Walk, proto: ModelProto) -> npt.NDArray[np.bool_]:
    """Return per node row whether its operator has a schema or a local function."""
    functions = {function_key(function) for function in proto.functions}
    model_versions = opset_versions(proto)
    seen: dict[tuple[str, str, int], bool] = {}
    known: list[bool] = []
    for visit in walk.visits:
        graph = visit.proto
        versions = opset_versions(graph) if isinstance(graph, FunctionProto) else model_versions
        for node in graph.node:
            domain, op = node.domain, node.op_type
            if functions and call_key(node) in functions:
                known.append(True)
                continue
            version = versions.get("" if domain == "ai.onnx" else domain, 0)
            key = (op, domain, version)
            found = seen.get(key)
            if found is None:
                found = seen[key] = _is_known(text(op), text(domain), version)
            known.append(found)
    return np.array(known, bool)


def _is_known(op: str, domain: str, version: int) -> bool:
    plain = "" if domain == "ai.onnx" else domain
    # An opset that onnx does not know is reported once, not on every node.
    return schema_of(op, plain, version or 1 << 30) is not None or op in CONTRIB_OPS.get(
        plain, frozenset()
    )
