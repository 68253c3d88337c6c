"""Rules about what goes in and out, and what else the file holds."""

from __future__ import annotations

from collections.abc import Iterator

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.analysis.rules.report import counted, listed
from onnxlab.model.model import Model
from onnxlab.model.text import text

__all__ = ["RULES"]


def negative_dimensions(model: Model) -> Iterator[Finding]:
    """Find inputs and outputs with a dimension below zero."""
    graph = model.proto.graph
    names = [
        text(value.name)
        for values in (graph.input, graph.output)
        for value in values
        if any(dim.dim_value < 0 for dim in value.type.tensor_type.shape.dim)
    ]
    if names:
        yield Finding(
            code="negative-dimension",
            severity=Severity.INFO,
            hazard=f"A dimension below zero in inputs or outputs: {listed(names)}.",
            remedy="It is taken as unknown: say its size when running, as for a symbol.",
            why="Exporters write -1 for what they do not know; ONNX leaves such a dimension out.",
            addresses=tuple(f":{name}" for name in names[:100]),
            count=len(names),
        )


def no_outputs(model: Model) -> Iterator[Finding]:
    """Find a graph that gives nothing back."""
    if not model.proto.graph.output:
        yield Finding(
            code="no-outputs",
            severity=Severity.ERROR,
            hazard="The model has no outputs.",
            remedy="Declare what it shall return as graph outputs.",
            why="Runtimes refuse a model without outputs.",
        )


def training(model: Model) -> Iterator[Finding]:
    """Find graphs for training beside the model's own."""
    infos = model.proto.training_info
    if not infos:
        return
    graphs = [
        f"{text(graph.name) or word} ({counted(len(graph.node), 'node')})"
        for info in infos
        for word, graph in (("initialization", info.initialization), ("algorithm", info.algorithm))
        if graph.node or graph.name
    ]
    yield Finding(
        code="training-info",
        severity=Severity.INFO,
        hazard=f"The file also holds {counted(len(graphs), 'graph')} for training: "
        f"{listed(graphs)}.",
        why="They are not part of inference and are not shown.",
        count=len(graphs),
    )


RULES = (no_outputs, negative_dimensions, training)
