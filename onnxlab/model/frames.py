"""A model's tables as pandas DataFrames, and its one-line summary."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from onnxlab.model.external import external_place, is_external
from onnxlab.model.table import GraphTable, ValueKind

if TYPE_CHECKING:
    import pandas as pd
    from onnx import TensorProto

    from onnxlab.model.model import Model

__all__ = ["count_text", "scope_paths", "size_text", "summary"]

Array = npt.NDArray[Any]

_KINDS = {
    ValueKind.NODE_OUTPUT: "node output",
    ValueKind.INPUT: "input",
    ValueKind.INITIALIZER: "initializer",
    ValueKind.UNDEFINED: "undefined",
}


def nodes_frame(model: Model) -> pd.DataFrame:
    """See `Model.nodes`."""
    import pandas as pd

    table = model.table
    strings = table.strings
    graphs = [model.addresses.graph(row) for row in range(len(table.graph_kind))]
    paths = scope_paths(table)
    elements, weight_bytes = model.node_weights
    columns = {
        "name": [strings[i] for i in table.node_name.tolist()],
        "op_type": [strings[i] for i in table.node_op.tolist()],
        "domain": [strings[i] for i in table.node_domain.tolist()],
        "graph": [graphs[i] for i in table.node_graph.tolist()],
        "scope": [paths[i] for i in table.node_scope.tolist()],
        "inputs": _names(table, table.node_inputs_start, table.node_inputs),
        "outputs": _names(table, table.node_outputs_start, table.node_outputs),
        "parameters": elements,
        "weight_bytes": weight_bytes,
    }
    return pd.DataFrame(columns, index=pd.Index(model.addresses.nodes(), name="address"))


def values_frame(model: Model) -> pd.DataFrame:
    """See `Model.values`."""
    import pandas as pd

    table, shapes = model.table, model.infer_shapes()
    graphs = [model.addresses.graph(row) for row in range(len(table.graph_kind))]
    nodes = model.addresses.nodes()
    size = shapes.value_size_bytes
    used = table.node_inputs[table.node_inputs >= 0]
    columns = {
        "name": _strings(table.strings, table.value_name),
        "kind": [_KINDS[ValueKind(kind)] for kind in table.value_kind.tolist()],
        "dtype": _strings(shapes.strings, shapes.value_dtype),
        "shape": _strings(shapes.strings, shapes.value_shape),
        "size_bytes": np.where(size < 0, np.nan, size),
        "producer": [nodes[row] if row >= 0 else "" for row in table.value_producer.tolist()],
        "users": np.bincount(used, minlength=table.value_count)[: table.value_count],
        "graph": [graphs[row] for row in table.value_graph.tolist()],
    }
    return pd.DataFrame(columns, index=pd.Index(model.addresses.values(), name="address"))


def initializers_frame(model: Model) -> pd.DataFrame:
    """See `Model.initializers`."""
    import pandas as pd

    table, strings = model.table, model.table.strings
    weights = model.weights.entries
    rows = [weight.value for weight in weights]
    columns = {
        "name": [strings[table.value_name[row]] for row in rows],
        "dtype": [strings[table.value_dtype[row]] for row in rows],
        "shape": [strings[table.value_shape[row]] for row in rows],
        "elements": [weight.elements for weight in weights],
        "size_bytes": [weight.size_bytes for weight in weights],
        "storage": [
            "constant node" if weight.in_constant and weight.storage == "file" else weight.storage
            for weight in weights
        ],
        "location": [_location(weight.tensor) for weight in weights],
        "graph": [model.addresses.graph(int(table.value_graph[row])) for row in rows],
    }
    addresses = [model.value_address(row) for row in rows]
    return pd.DataFrame(columns, index=pd.Index(addresses, name="address"))


def inputs_frame(model: Model) -> pd.DataFrame:
    """See `Model.inputs`."""
    return _interface(model, model.input_rows)


def outputs_frame(model: Model) -> pd.DataFrame:
    """See `Model.outputs`."""
    return _interface(model, model.output_rows)


def _interface(model: Model, rows: list[int]) -> pd.DataFrame:
    import pandas as pd

    table, strings = model.table, model.table.strings
    size = table.value_size_bytes[rows]
    columns = {
        "name": [strings[table.value_name[row]] for row in rows],
        "dtype": [strings[table.value_dtype[row]] for row in rows],
        "shape": [strings[table.value_shape[row]] for row in rows],
        "size_bytes": np.where(size < 0, np.nan, size),
    }
    addresses = [model.value_address(row) for row in rows]
    return pd.DataFrame(columns, index=pd.Index(addresses, name="address"))


def scope_paths(table: GraphTable) -> list[str]:
    """Return the path of every scope, such as ``layer3/layer3.2``; empty for the root."""
    paths = [""]
    for parent, name in zip(
        table.scope_parent[1:].tolist(), table.scope_name[1:].tolist(), strict=True
    ):
        own = table.strings[name]
        paths.append(f"{paths[parent]}/{own}" if parent else own)
    return paths


def node_weights(model: Model) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return per node the elements and bytes of the weights that it is the first to read."""
    table = model.table
    elements = np.zeros(table.node_count, np.int64)
    size_bytes = np.zeros(table.node_count, np.int64)
    counts = np.diff(table.node_inputs_start)
    consumer = np.repeat(np.arange(table.node_count), counts)
    first = np.full(table.value_count, -1, np.int64)
    present = table.node_inputs >= 0
    first[table.node_inputs[present][::-1]] = consumer[present][::-1]
    for weight in model.weights.entries:
        node = first[weight.value]
        if node >= 0:
            elements[node] += min(weight.elements, 1 << 48)
            size_bytes[node] += min(weight.size_bytes, 1 << 48)
    return elements, size_bytes


def summary(model: Model) -> str:
    """See `Model.summary`."""
    opset = model.opsets.get("")
    count, parameters = model.table.node_count, model.parameter_count
    parts = [
        f"opset {opset}" if opset is not None else "no opset",
        f"{count:,} node{'' if count == 1 else 's'}",
        f"{count_text(parameters)} parameter{'' if parameters == 1 else 's'}",
        size_text(model.size_bytes),
    ]
    return " · ".join(parts)


def count_text(number: int) -> str:
    """Return a count with three significant digits: ``25.6 M``."""
    return _scaled(number, ("", " k", " M", " G", " T"), 1000, exact_below=10_000)


def size_text(size_bytes: int) -> str:
    """Return a size with three significant digits: ``97.5 MB``."""
    return _scaled(size_bytes, (" B", " kB", " MB", " GB", " TB"), 1000, exact_below=1000)


def _scaled(number: int, units: tuple[str, ...], step: int, *, exact_below: int) -> str:
    if number < exact_below:
        return f"{number:,}{units[0]}"
    scaled, unit = float(number), 0
    while scaled >= 999.5 and unit < len(units) - 1:
        scaled, unit = scaled / step, unit + 1
    return f"{scaled:.3g}{units[unit]}" if scaled < 999.5 else f"{scaled:,.0f}{units[unit]}"


def _names(table: GraphTable, starts: Array, flat: Array) -> list[tuple[str, ...]]:
    strings, value_name = table.strings, table.value_name
    names = [strings[value_name[row]] if row >= 0 else "" for row in flat.tolist()]
    bounds = starts.tolist()
    return [tuple(names[a:b]) for a, b in pairwise(bounds)]


def _strings(strings: Sequence[str], column: Array) -> list[str]:
    return [strings[i] for i in column.tolist()]


def _location(tensor: TensorProto | None) -> str:
    if tensor is None or not is_external(tensor):
        return ""
    from onnxlab.errors import ModelError

    try:
        return external_place(tensor).location
    except ModelError:
        return ""
