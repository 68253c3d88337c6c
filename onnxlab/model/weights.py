"""Every stored tensor of a model: initializers, sparse ones, and those of Constant nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from onnx import AttributeProto, GraphProto, SparseTensorProto, TensorProto

from onnxlab.errors import ModelError
from onnxlab.model.binding import bound_attribute
from onnxlab.model.external import external_place, is_external, resolve_location
from onnxlab.model.table import GraphTable, NodeFlag, ValueKind
from onnxlab.model.text import text
from onnxlab.model.types import packed_bytes

if TYPE_CHECKING:
    from onnxlab.model.model import Model
    from onnxlab.model.walk import FunctionKey, GraphVisit

__all__ = ["Weight", "Weights", "collect_weights"]

Stored = TensorProto | SparseTensorProto | AttributeProto

_MAX_DIMS = 64
_CONSTANT_KINDS = frozenset(
    (
        AttributeProto.FLOAT,
        AttributeProto.INT,
        AttributeProto.STRING,
        AttributeProto.FLOATS,
        AttributeProto.INTS,
        AttributeProto.STRINGS,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """A stored tensor.

    Attributes
    ----------
    value
        Row of the value that it defines.
    stored
        The tensor, or the attribute of a Constant node.
    in_constant
        Whether it belongs to a Constant node.
    elements
        How many elements the file really holds of it: 0 where its data are absent.
    size_bytes
        Bytes they take.
    storage
        ``file``, ``external``, or ``absent``.
    counted
        False in a function's further instances, which repeat the same tensor.
    """

    value: int
    stored: Stored
    in_constant: bool
    elements: int
    size_bytes: int
    storage: str
    counted: bool

    @property
    def tensor(self) -> TensorProto | None:
        """The dense tensor, or the values of a sparse one."""
        if isinstance(self.stored, SparseTensorProto):
            return self.stored.values
        return self.stored if isinstance(self.stored, TensorProto) else None


class Weights:
    """The stored tensors in the order of the table."""

    def __init__(self, entries: list[Weight], external_bytes: int) -> None:
        self.entries = entries
        self.external_bytes = external_bytes

    @cached_property
    def parameter_count(self) -> int:
        """Elements of all stored tensors, each counted once."""
        return sum(weight.elements for weight in self.entries if weight.counted)

    @cached_property
    def by_value(self) -> dict[int, Weight]:
        """The stored tensor of a value row."""
        return {weight.value: weight for weight in self.entries}

    def find(self, model: Model, name: str) -> Weight:
        """Return the stored tensor with a name in the main graph, or with a value address."""
        weight = self._main_names(model.table).get(name)
        if weight is None:
            try:
                weight = self.by_value.get(model.value_row(name))
            except ValueError:
                weight = None
        if weight is None:
            raise ValueError(f"no stored tensor has the name or address {name!r}")
        return weight

    def _main_names(self, table: GraphTable) -> dict[str, Weight]:
        names: dict[str, Weight] = {}
        for weight in self.entries:
            if table.value_graph[weight.value] == 0:
                names.setdefault(table.strings[table.value_name[weight.value]], weight)
        return names


def collect_weights(model: Model) -> Weights:
    """Find every stored tensor, without reading any."""
    table = model.table
    rows = _initializer_rows(table)
    places = _Places(model)
    repeats = _repeats(model)
    entries: list[Weight] = []
    for visit in model.walk.visits:
        counted = not repeats[visit.row]
        for name, stored in _initializers(visit):
            row = rows.get((visit.row, name))
            if row is not None:
                entries.append(_weight(row, stored, places, counted=counted, in_constant=False))
    constants = np.flatnonzero(table.node_flags & NodeFlag.CONSTANT)
    for row in constants.tolist():
        constant = _constant(model, row)
        outputs = table.outputs(row)
        if constant is not None and len(outputs) and outputs[0] >= 0:
            entries.append(
                _weight(int(outputs[0]), constant, places, counted=True, in_constant=True)
            )
    return Weights(entries, places.external_bytes)


def _repeats(model: Model) -> list[bool]:
    """Tell for each graph whether it lies in a further instance of a function seen before."""
    seen: set[FunctionKey] = set()
    repeats: list[bool] = []
    for visit in model.walk.visits:
        outer = visit.owner >= 0 and repeats[int(model.table.node_graph[visit.owner])]
        repeats.append(outer or visit.function_key in seen)
        if visit.function_key is not None:
            seen.add(visit.function_key)
    return repeats


def _initializer_rows(table: GraphTable) -> dict[tuple[int, str], int]:
    rows = np.flatnonzero(table.value_kind == ValueKind.INITIALIZER).tolist()
    return {
        (int(table.value_graph[row]), table.strings[table.value_name[row]]): row for row in rows
    }


def _initializers(visit: GraphVisit) -> Iterator[tuple[str, TensorProto | SparseTensorProto]]:
    if isinstance(visit.proto, GraphProto):
        for tensor in visit.proto.initializer:
            yield text(tensor.name), tensor
        for sparse in visit.proto.sparse_initializer:
            yield text(sparse.values.name), sparse


def _constant(model: Model, row: int) -> Stored | None:
    for own in model.node_proto(row).attribute:
        attribute, _ = bound_attribute(model, row, own)
        if attribute is None:
            continue
        if own.name == "value" and attribute.HasField("t"):
            return attribute.t
        if own.name == "sparse_value" and attribute.HasField("sparse_tensor"):
            return attribute.sparse_tensor
        if text(own.name).startswith("value_") and attribute.type in _CONSTANT_KINDS:
            return attribute
    return None


class _Places:
    """What is where: looks each external file up once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._sizes: dict[str, int] = {}
        self.external_bytes = 0

    def storage(self, tensor: TensorProto, size_bytes: int | None) -> str:
        """Say where a tensor's data are, ``absent`` where they are not."""
        if is_external(tensor):
            found = self._reaches(tensor, size_bytes or 0)
            return "external" if found else "absent"
        if self._model.payload(tensor) is not None or size_bytes == 0:
            return "file"
        inline = tensor.raw_data or any(
            getattr(tensor, field)
            for field in ("float_data", "int32_data", "int64_data", "string_data")
        )
        more = inline or tensor.double_data or tensor.uint64_data
        return "file" if more else "absent"

    def held_bytes(self, tensor: TensorProto) -> int:
        """Return how many bytes the file holds for a tensor, its name and the like included."""
        payload = self._model.payload(tensor)
        return payload.length if payload is not None else tensor.ByteSize()

    def _reaches(self, tensor: TensorProto, size_bytes: int) -> bool:
        try:
            place = external_place(tensor)
        except ModelError:
            return False
        size = self._sizes.get(place.location)
        if size is None:
            try:
                path = resolve_location(place.location, self._model.folder, model=self._model.path)
                size = path.stat().st_size
            except (ModelError, OSError):
                size = -1
            self._sizes[place.location] = size
        return place.offset + size_bytes <= size


def _weight(
    value: int, stored: Stored, places: _Places, *, counted: bool, in_constant: bool
) -> Weight:
    if isinstance(stored, AttributeProto):
        elements, size = _attribute_size(stored)
        storage = "file"
    else:
        tensor = stored.values if isinstance(stored, SparseTensorProto) else stored
        elements = _elements(tensor)
        exact = packed_bytes(tensor.data_type, elements)
        storage = places.storage(tensor, exact)
        held = places.held_bytes(tensor)
        size = held if exact is None else exact
        if storage == "absent" or (storage == "file" and size > 8 * held):
            elements = size = 0  # dimensions that the data do not fill count for nothing
        elif storage == "external" and counted:
            places.external_bytes += size
    return Weight(
        value=value,
        stored=stored,
        in_constant=in_constant,
        elements=elements,
        size_bytes=size,
        storage=storage,
        counted=counted,
    )


def _attribute_size(attribute: AttributeProto) -> tuple[int, int]:
    """Return elements and bytes of a Constant node's attribute that is no tensor."""
    kind = attribute.type
    if kind == AttributeProto.FLOATS:
        return len(attribute.floats), 4 * len(attribute.floats)
    if kind == AttributeProto.INTS:
        return len(attribute.ints), 8 * len(attribute.ints)
    if kind == AttributeProto.STRINGS:
        return len(attribute.strings), sum(map(len, attribute.strings))
    if kind == AttributeProto.STRING:
        return 1, len(attribute.s)
    return 1, 4 if kind == AttributeProto.FLOAT else 8


def _elements(tensor: TensorProto) -> int:
    dims = tensor.dims
    if len(dims) > _MAX_DIMS or any(dim < 0 for dim in dims):
        return 0
    return math.prod(dims)
