"""Running a tiny model and saying, in its own tensor names, what became of each node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import numpy_helper, parser

from onnxlab.mapping.instrument import instrument
from onnxlab.mapping.origin import Fate, OriginKind
from onnxlab.mapping.provenance import provenance
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.model.table import GraphKind
from onnxlab.profiling.attribute import Attribution, attribute
from onnxlab.profiling.trace import Trace, parse
from onnxlab.runtime.session import Runner, SessionSpec

__all__ = ["Outcome", "model_of", "outcome"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a session made of a model.

    Nodes are called by their first output; ``call/t`` is a node in the function that ``call``
    calls, ``y/then_branch/t`` one in a body.

    Attributes
    ----------
    regions
        What each working kernel covers.
    inserted
        Kind and owner of each inserted kernel.
    fates
        What became of each node without a working kernel.
    """

    regions: set[frozenset[str]]
    inserted: set[tuple[str, str]]
    fates: dict[str, Fate]
    attribution: Attribution
    trace: Trace


def model_of(
    text: str, weights: Mapping[str, tuple[int, ...]] | None = None, *, opset: int = 17
) -> onnx.ModelProto:
    """Parse a graph and give it seeded random weights of some shapes."""
    header = f'<ir_version: 8, opset_import: ["": {opset}, "local": 1, "com.microsoft": 1]>'
    model = parser.parse_model(f"{header}\n{text}")
    random = np.random.default_rng(0)
    for name, shape in (weights or {}).items():
        array = np.abs(random.standard_normal(shape)).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def outcome(
    runner: Runner,
    proto: onnx.ModelProto,
    level: str,
    feeds: Mapping[str, np.ndarray],
    *,
    runs: int = 3,
) -> Outcome:
    """Instrument, run, trace back."""
    original = load(proto)
    spec = SessionSpec(level=level)
    session = runner.trace(instrument(original).runnable, spec, feeds, runs=runs, warmup=1)
    assert session.optimised_path is not None
    optimised = load(session.optimised_path)
    trace = parse(session.events)
    found = attribute(original, optimised, trace, provenance(original, optimised))
    working = {OriginKind.NODE, OriginKind.REGION}
    labels = [_label(original, row) for row in range(original.table.node_count)]
    return Outcome(
        regions={
            frozenset(labels[row] for row in kernel.origin.nodes)
            for kernel in found.kernels
            if kernel.origin.kind in working
        },
        inserted={
            (str(kernel.origin.insertion), labels[kernel.origin.owner])
            for kernel in found.kernels
            if kernel.origin.owner is not None
        },
        fates={
            labels[row]: fate
            for row, fate in enumerate(found.fates)
            if fate not in {Fate.EXECUTED, Fate.REGION}
        },
        attribution=found,
        trace=trace,
    )


def _label(model: Model, row: int) -> str:
    table = model.table
    parts: list[str] = []
    while row >= 0:
        graph = table.node_graph[row]
        parts.append(model.node_proto(row).output[0])
        if table.graph_kind[graph] == GraphKind.BODY:
            parts.append(table.strings[table.graph_attribute[graph]])
        row = int(table.graph_owner[graph])
    return "/".join(reversed(parts))
