"""A runnable copy of a model whose every node can be recognised after optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf.message import EncodeError
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto

from onnxlab.errors import ModelError
from onnxlab.mapping.names import unique_names
from onnxlab.mapping.tags import specialised_name, tag
from onnxlab.mapping.weights import place_weights
from onnxlab.model.model import Model
from onnxlab.model.table import GraphKind
from onnxlab.model.walk import GraphVisit, function_key, node_bodies
from onnxlab.runtime.spec import Runnable

__all__ = ["Instrumented", "instrument"]

Holder: TypeAlias = GraphProto | FunctionProto

_RUNTIME_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrumented:
    """A copy of a model for the attribution session.

    Attributes
    ----------
    runnable
        What to make the session of.
    names
        The name each node row bears in the copy.
    """

    runnable: Runnable
    names: tuple[str, ...]


def instrument(model: Model) -> Instrumented:
    """Return a copy of a model whose nodes carry their row as a tag.

    Large weights are not copied: they point into the model's own file. Node names are made
    usable and unique; nothing else changes, so the runtime optimises the copy alike.

    Raises
    ------
    FileChanged
        If the model's file is no longer the one that was opened.
    ModelError
        If the copy would pass protobuf's limit of 2 GB.
    """
    model.check_unchanged()
    if model.data is not None:
        copy, folder = ModelProto.FromString(model.data), model.folder
    else:
        copy = ModelProto()
        copy.CopyFrom(model.proto)
        folder = place_weights(copy, model)
    del copy.training_info[:]
    names = unique_names(model.table)
    _tag_nodes(copy, model, names)
    runnable = Runnable(data=_serialise(copy, model.name), folder=folder, name=model.name)
    return Instrumented(runnable=runnable, names=tuple(names))


def _tag_nodes(copy: ModelProto, model: Model, names: list[str]) -> None:
    """Tag and name every node; give each call of a local function a function of its own.

    The runtime inlines functions, and numbers what it inlines in an order of its own. Only
    functions of their own let the calls be told apart.
    """
    holders: dict[int, tuple[GraphVisit, Holder]] = {}
    for visit in model.walk.visits:
        if visit.kind == GraphKind.MAIN:
            holder: Holder = copy.graph
        elif visit.owner < 0:
            break  # functions that nothing calls come last
        else:
            outer, outer_holder = holders[int(model.table.node_graph[visit.owner])]
            holder = _held_graph(copy, outer_holder.node[visit.owner - outer.first_node], visit)
        holders[visit.row] = visit, holder
        for row, node in enumerate(holder.node, visit.first_node):
            node.doc_string = tag(row)
            node.name = names[row]


def _held_graph(copy: ModelProto, node: NodeProto, visit: GraphVisit) -> Holder:
    if visit.kind == GraphKind.BODY:
        return next(graph for name, graph in node_bodies(node) if name == visit.attribute)
    shared = next(f for f in copy.functions if function_key(f) == visit.function_key)
    if shared.domain in _RUNTIME_DOMAINS:
        return shared  # the runtime may have a kernel of this very name
    own = copy.functions.add()
    own.CopyFrom(shared)
    own.name = node.op_type = specialised_name(shared.name, visit.row)
    return own


def _serialise(copy: ModelProto, name: str) -> bytes:
    try:
        data: bytes = copy.SerializeToString()
    except (EncodeError, ValueError) as error:
        raise ModelError(
            f"{name} is over 2 GB and cannot be copied: save it with external data"
        ) from error
    return data
