"""Details of one value, on request: where it is stored, what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onnx import AttributeProto, GraphProto, SparseTensorProto, TensorProto

from onnxlab.errors import OnnxlabError
from onnxlab.model.external import external_place, is_external
from onnxlab.model.frames import size_text
from onnxlab.model.statistics import Statistics, statistics
from onnxlab.model.table import ValueKind
from onnxlab.model.tensors import TensorReader
from onnxlab.model.text import elide, text, visible, visible_lines
from onnxlab.wire.attributes import preview
from onnxlab.wire.details import metadata_entries
from onnxlab.wire.schema import Entry, ValueDetail

if TYPE_CHECKING:
    from onnx import ValueInfoProto

    from onnxlab.model.model import Model
    from onnxlab.model.weights import Weight

__all__ = ["value_detail"]

MAX_TEXT_CHARS = 20_000


def value_detail(model: Model, row: int) -> ValueDetail:
    """Return everything about a value that the columns do not hold.

    Reads all of a stored tensor for its statistics, in pieces.
    """
    address = model.value_address(row)  # also checks the row
    weight = model.weights.by_value.get(row)
    info = _value_info(model, row)
    entries = _type_entries(model, row)
    if weight is not None:
        entries += _weight_entries(model, weight)
    entries += _annotations(model, row)
    doc = info.doc_string if info is not None else ""
    if info is not None:
        entries += metadata_entries(getattr(info, "metadata_props", ()))
    if weight is not None and weight.tensor is not None:
        doc = doc or weight.tensor.doc_string
        entries += metadata_entries(getattr(weight.tensor, "metadata_props", ()))
    return ValueDetail(
        value=row,
        address=visible(address),
        entries=entries,
        doc=elide(visible_lines(doc), MAX_TEXT_CHARS),
        preview=_preview(model, weight) if weight is not None else "",
    )


def _type_entries(model: Model, row: int) -> list[Entry]:
    table = model.table
    shapes = model.known_shapes
    dtype = shapes.strings[shapes.value_dtype[row]]
    shape = shapes.strings[shapes.value_shape[row]]
    size_bytes = shapes.value_size_bytes[row]
    kind = ValueKind(int(table.value_kind[row]))
    entries = [
        Entry(key="name", text=visible(table.strings[table.value_name[row]])),
        Entry(key="dtype", text=visible(dtype) or "unknown"),
        Entry(key="shape", text=visible(shape) or "unknown rank"),
    ]
    if size_bytes >= 0:
        entries.append(Entry(key="size", text=size_text(int(min(size_bytes, 1e18)))))
    if kind == ValueKind.NODE_OUTPUT:
        producer = int(table.value_producer[row])
        label = table.name(producer) or model.address(producer)
        entries.append(Entry(key="from", text=visible(f"{table.op(producer)} {label}")))
    else:
        entries.append(Entry(key="kind", text=kind.name.lower()))
    return entries


def _weight_entries(model: Model, weight: Weight) -> list[Entry]:
    entries = [Entry(key="stored", text=visible(_place(model, weight)))]
    stored = weight.stored
    if isinstance(stored, SparseTensorProto):
        total = 1.0
        for dim in stored.dims:
            total *= max(dim, 0)
        density = f" ({weight.elements / total:.3g} of all)" if total else ""
        entries.append(Entry(key="stored elements", text=f"{weight.elements:,}{density}"))
    tensor = weight.tensor
    if tensor is None or weight.storage == "absent" or not weight.elements:
        return entries
    if tensor.data_type in (TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        return entries
    try:
        found = statistics(TensorReader(model).chunks(tensor))
    except OnnxlabError as error:
        return [*entries, Entry(key="problem", text=visible(str(error)))]
    return entries + _statistics_entries(found)


def _statistics_entries(found: Statistics) -> list[Entry]:
    numbers = {
        "minimum": found.minimum,
        "maximum": found.maximum,
        "mean": found.mean,
        "standard deviation": found.std,
    }
    counts = {
        "zeros": found.zero_count,
        "NaN": found.nan_count,
        "infinite": found.inf_count,
        "denormal": found.denormal_count,
    }
    entries = [Entry(key=key, text=f"{number:.6g}") for key, number in numbers.items()]
    for key, count in counts.items():
        if count or key == "zeros":
            share = f" ({count / found.count:.3g} of all)" if count else ""
            entries.append(Entry(key=key, text=f"{count:,}{share}"))
    return entries


def _place(model: Model, weight: Weight) -> str:
    tensor = weight.tensor
    if tensor is not None and is_external(tensor):
        try:
            place = external_place(tensor)
        except OnnxlabError as error:
            return str(error)
        where = f"{place.location!r} at byte {place.offset:,}"
        return where if weight.storage == "external" else f"nowhere: {where} cannot be read"
    if weight.storage == "absent":
        return "nowhere: the file holds no data for it"
    payload = model.payload(tensor) if tensor is not None else None
    where = "in the file" + (f" at byte {payload.offset:,}" if payload else "")
    return where + (", in a Constant node" if weight.in_constant else "")


def _preview(model: Model, weight: Weight) -> str:
    if isinstance(weight.stored, AttributeProto):
        flat = TensorReader(model).read(weight).ravel()
        shown = ", ".join(visible(elide(str(entry), 200)) for entry in flat[:64])
        return f"[{shown}{', …' if flat.size > 64 else ''}]"
    tensor = weight.tensor
    if tensor is None or (weight.storage == "absent" and not is_external(tensor)):
        return ""
    return elide(preview(model, tensor), MAX_TEXT_CHARS)


def _value_info(model: Model, row: int) -> ValueInfoProto | None:
    table = model.table
    name = table.strings[table.value_name[row]]
    proto = model.walk.visits[int(table.value_graph[row])].proto
    infos = [proto.value_info]
    if isinstance(proto, GraphProto):
        infos = [proto.input, proto.output, proto.value_info]
    for values in infos:
        for value in values:
            if text(value.name) == name:
                return value
    return None


def _annotations(model: Model, row: int) -> list[Entry]:
    table = model.table
    name = table.strings[table.value_name[row]]
    proto = model.walk.visits[int(table.value_graph[row])].proto
    entries = []
    if isinstance(proto, GraphProto):
        for annotation in proto.quantization_annotation:
            if text(annotation.tensor_name) == name:
                for entry in annotation.quant_parameter_tensor_names:
                    key, value = visible(entry.key), visible(entry.value)
                    entries.append(Entry(key=f"quantisation {key}", text=value))
    return entries
