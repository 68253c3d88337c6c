"""Details of one node, on request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from onnxlab.model.operators import opset_versions, schema_of
from onnxlab.model.text import elide, text, visible, visible_lines
from onnxlab.wire.attributes import attribute_message
from onnxlab.wire.schema import Entry, NodeDetail

if TYPE_CHECKING:
    from collections.abc import Iterable

    from onnx import NodeProto, StringStringEntryProto

    from onnxlab.model.model import Model

__all__ = ["metadata_entries", "node_detail"]

MAX_ATTRIBUTES = 500
MAX_TEXT_CHARS = 20_000
MAX_DOC_CHARS = 1_000


def node_detail(model: Model, row: int) -> NodeDetail:
    """Return everything about a node that the columns do not hold."""
    address = model.address(row)  # also checks the row
    node = model.node_proto(row)
    return NodeDetail(
        node=row,
        address=visible(address),
        attributes=[
            attribute_message(model, row, attribute)
            for attribute in node.attribute[:MAX_ATTRIBUTES]
        ],
        doc=elide(visible_lines(node.doc_string), MAX_TEXT_CHARS),
        metadata=metadata_entries(getattr(node, "metadata_props", ())),
        schema_doc=_schema_doc(model, row, node),
    )


def metadata_entries(properties: Iterable[StringStringEntryProto]) -> list[Entry]:
    """Return metadata as entries."""
    entries = []
    for number, entry in enumerate(properties):
        if number == MAX_ATTRIBUTES:
            break
        shown = elide(visible_lines(entry.value), MAX_TEXT_CHARS)
        entries.append(Entry(key=elide(visible(entry.key), 200), text=shown))
    return entries


def _schema_doc(model: Model, row: int, node: NodeProto) -> str:
    function = model.called_function(row)
    if function is not None:
        return elide(_first_paragraph(text(function.doc_string)), MAX_DOC_CHARS)
    proto = model.opset_scope(row)
    domain = text(node.domain)
    domain = "" if domain == "ai.onnx" else domain
    version = opset_versions(proto).get(domain)
    schema = schema_of(text(node.op_type), domain, version or 1 << 30)
    return elide(_first_paragraph(schema.doc or ""), MAX_DOC_CHARS) if schema else ""


def _first_paragraph(doc: str) -> str:
    """Return the first paragraph of an operator's documentation as plain text."""
    for paragraph in re.split(r"\n\s*\n", visible_lines(doc)):
        plain = " ".join(paragraph.split())
        if plain:
            return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain).replace("`", "")
    return ""
