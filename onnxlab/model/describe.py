"""What stands in a model's panel: pairs of a key and its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from onnxlab.model.text import elide, text, visible_lines
from onnxlab.model.walk import function_key

if TYPE_CHECKING:
    from onnxlab.model.model import Model

__all__ = ["model_entries"]

MAX_LISTED = 100
MAX_TEXT_CHARS = 2_000


def model_entries(model: Model) -> list[tuple[str, str]]:
    """Return pairs of key and text: producer, versions, opsets, inputs, outputs, metadata, ..."""
    return [(key, elide(visible_lines(value), MAX_TEXT_CHARS)) for key, value in _entries(model)]


def _entries(model: Model) -> Iterator[tuple[str, str]]:
    proto = model.proto
    if proto.graph.name:
        yield "graph", text(proto.graph.name)
    producer = f"{text(proto.producer_name)} {text(proto.producer_version)}".strip()
    if producer:
        yield "producer", producer
    yield "IR version", str(proto.ir_version)
    for domain, version in list(model.opsets.items())[:MAX_LISTED]:
        yield f"opset {domain or 'ai.onnx'}", str(version)
    if proto.domain or proto.model_version:
        yield "model", f"{text(proto.domain)} version {proto.model_version}".strip()
    yield from _interface(model)
    if proto.functions:
        calls = Counter(v.function_key for v in model.walk.visits if v.owner >= 0)
        names = []
        for function in proto.functions[:MAX_LISTED]:
            count = calls[function_key(function)]
            names.append(f"{text(function.name)} ({count} call{'' if count == 1 else 's'})")
        yield "local functions", f"{len(proto.functions)}: {', '.join(names)}"
    yield from _training(model)
    for annotation in proto.graph.quantization_annotation[:MAX_LISTED]:
        parameters = (
            f"{text(entry.key)} {text(entry.value)}"
            for entry in annotation.quant_parameter_tensor_names
        )
        yield f"quantisation of {text(annotation.tensor_name)}", ", ".join(parameters)
    for text_of in (proto.doc_string, proto.graph.doc_string):
        if text_of:
            yield "documentation", text(text_of)
    for entry in proto.metadata_props[:MAX_LISTED]:
        yield f"metadata {text(entry.key)}", text(entry.value)


def _interface(model: Model) -> Iterator[tuple[str, str]]:
    table, strings = model.table, model.table.strings
    for word, rows in (("input", model.input_rows), ("output", model.output_rows)):
        for row in rows[:MAX_LISTED]:
            dtype = strings[int(table.value_dtype[row])] or "unknown type"
            shape = strings[int(table.value_shape[row])] or "unknown rank"
            yield f"{word} {strings[int(table.value_name[row])]}", f"{dtype} {shape}"
        if len(rows) > MAX_LISTED:
            yield f"further {word}s", str(len(rows) - MAX_LISTED)


def _training(model: Model) -> Iterator[tuple[str, str]]:
    for number, info in enumerate(model.proto.training_info[:MAX_LISTED]):
        for word, graph in (("initialization", info.initialization), ("algorithm", info.algorithm)):
            if graph.node or graph.initializer or graph.name:
                ops = ", ".join(text(node.op_type) for node in graph.node[:20])
                label = text(graph.name) or "unnamed"
                nodes = f"{len(graph.node)} node{'' if len(graph.node) == 1 else 's'}"
                shown = f"{label}: {nodes} ({ops})" if ops else f"{label}: {nodes}"
                yield f"training {word} {number}", shown
