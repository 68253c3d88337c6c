"""Inferred types and shapes: onnx's own inference, in a child process, that never fails a load."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Error as MessageError
from onnx import GraphProto, ModelProto, TensorProto, TypeProto
from onnx.helper import make_tensor_type_proto

from onnxlab.errors import OnnxlabError
from onnxlab.model.build_table import StringTable
from onnxlab.model.instance import instance_model
from onnxlab.model.table import GraphKind, GraphTable, ValueKind
from onnxlab.model.text import text
from onnxlab.model.types import TypeText, type_text
from onnxlab.model.walk import GraphVisit, node_bodies

if TYPE_CHECKING:
    from onnxlab.model.model import Model
    from onnxlab.sandbox.spawn import Child

__all__ = ["Shapes", "infer_shapes", "shapes_complete", "table_shapes"]

TIME_LIMIT_S = 20.0
MAX_INSTANCES = 1_000  # function instances whose insides are inferred

_LOG = logging.getLogger(__name__)
_TASKS = Path(__file__).parent / "child" / "shapes.py"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shapes:
    """Types and shapes of every value row, to stand in for those of the table.

    Attributes
    ----------
    strings
        The table's strings and more.
    value_dtype, value_shape, value_size_bytes
        As in `GraphTable`.
    problem
        One line where inference failed or was cut short, else empty.
    """

    strings: tuple[str, ...]
    value_dtype: npt.NDArray[np.int32]
    value_shape: npt.NDArray[np.int32]
    value_size_bytes: npt.NDArray[np.float64]
    problem: str = ""


def table_shapes(table: GraphTable) -> Shapes:
    """Return what the file itself says."""
    return Shapes(
        strings=table.strings,
        value_dtype=table.value_dtype,
        value_shape=table.value_shape,
        value_size_bytes=table.value_size_bytes,
    )


def shapes_complete(table: GraphTable) -> bool:
    """Tell whether the file says the type and rank of every node's output."""
    outputs = table.value_kind == ValueKind.NODE_OUTPUT
    # Sequences, maps and the like have no shape of their own.
    plain = np.array(["(" not in string for string in table.strings])
    missing = (table.value_dtype == 0) | ((table.value_shape == 0) & plain[table.value_dtype])
    return not bool(np.any(outputs & missing))


def infer_shapes(model: Model) -> Shapes:
    """Infer types and shapes in a child process, within 20 seconds; never raises for the model."""
    if shapes_complete(model.table):
        return table_shapes(model.table)
    from onnxlab.sandbox.limits import Limits
    from onnxlab.sandbox.spawn import Child

    found = _Found(model.table)
    problem = ""
    limits = Limits(time_s=TIME_LIMIT_S)
    try:
        with Child(tasks=_TASKS, limits=limits) as child:
            problem = _Inference(model, child, found).run()
    except (OnnxlabError, MessageError, OSError, ValueError) as error:
        _LOG.debug("shape inference failed", exc_info=True)
        problem = f"shape inference stopped: {error}"
    return found.shapes(problem)


class _Found:
    """Collects inferred types by value row."""

    def __init__(self, table: GraphTable) -> None:
        self._table = table
        self.types: dict[int, TypeProto] = {}
        self._rows: dict[int, dict[str, int]] = defaultdict(dict)
        for row, (graph, name) in enumerate(
            zip(table.value_graph.tolist(), table.value_name.tolist(), strict=True)
        ):
            self._rows[graph].setdefault(table.strings[name], row)

    def take(self, graph: int, proto: GraphProto) -> None:
        """Take over the types of an inferred graph that stands for a graph row."""
        rows = self._rows[graph]
        for values in (proto.value_info, proto.input, proto.output):
            for value in values:
                row = rows.get(text(value.name))
                if row is not None and value.HasField("type"):
                    self.types.setdefault(row, value.type)

    def shapes(self, problem: str) -> Shapes:
        """Return the table's columns, filled up with what was inferred."""
        table = self._table
        strings = StringTable(table.strings)
        dtype, shape = table.value_dtype.copy(), table.value_shape.copy()
        size_bytes = table.value_size_bytes.copy()
        texts: dict[bytes, TypeText] = {}
        for row, proto in self.types.items():
            known = table.strings[int(shape[row])]
            if dtype[row] and known and "?" not in known:
                continue
            key = proto.SerializeToString()
            shown = texts.get(key) or texts.setdefault(key, type_text(proto))
            if shown.dtype and (shown.shape or not known):
                dtype[row], shape[row] = strings.add(shown.dtype), strings.add(shown.shape)
                size_bytes[row] = shown.size_bytes
        return Shapes(
            strings=strings.strings(),
            value_dtype=dtype,
            value_shape=shape,
            value_size_bytes=size_bytes,
            problem=problem,
        )


class _Inference:
    def __init__(self, model: Model, child: Child, found: _Found) -> None:
        self._model = model
        self._child = child
        self._found = found
        self._deadline = time.monotonic() + TIME_LIMIT_S
        self._bodies: dict[int, list[GraphVisit]] = defaultdict(list)
        for visit in model.walk.visits[1:]:
            if visit.owner >= 0 and visit.kind == GraphKind.BODY:
                self._bodies[int(model.table.node_graph[visit.owner])].append(visit)

    def run(self) -> str:
        """Infer the model, then the functions that it calls; return the first problem."""
        problem = self._infer([(self._model.walk.visits[0], self._model.proto)])
        instances = 0
        for level in _levels(self._model.walk.visits, self._model.table):
            level = level[: MAX_INSTANCES - instances]
            instances += len(level)
            jobs = [(visit, self._instance(visit)) for visit in level]
            problem = self._infer(jobs) or problem if jobs else problem
        return problem

    def _instance(self, visit: GraphVisit) -> ModelProto:
        row = visit.owner
        types = [self._type(int(value)) for value in self._model.table.inputs(row)]
        return instance_model(self._model.proto, visit.proto, self._model.node_proto(row), types)

    def _type(self, value: int) -> TypeProto | None:
        known = self._found.types.get(value)
        weight = self._model.weights.by_value.get(value)
        if known is not None or weight is None or not isinstance(weight.stored, TensorProto):
            return known
        return make_tensor_type_proto(weight.stored.data_type, list(weight.stored.dims))

    def _infer(self, jobs: list[tuple[GraphVisit, ModelProto]]) -> str:
        left_s = self._deadline - time.monotonic()
        if left_s <= 0:
            return f"shape inference took longer than {TIME_LIMIT_S:.0f} s"
        paths = []
        for number, (_, proto) in enumerate(jobs):
            path = self._child.workdir / f"model{number}.onnx"
            path.write_bytes(proto.SerializeToString())
            paths.append(path)
        names = [str(path) for path in paths]
        problems = self._child.call("infer", time_limit_s=left_s, paths=names)
        for (visit, _), path, problem in zip(jobs, paths, problems, strict=True):
            if not problem:
                self._take(visit, ModelProto.FromString(path.read_bytes()).graph)
        return next(filter(None, problems), "")

    def _take(self, visit: GraphVisit, graph: GraphProto) -> None:
        """Take over a graph and, alongside, the bodies inside it."""
        pairs = [(visit, graph)]
        while pairs:
            visit, graph = pairs.pop()
            self._found.take(visit.row, graph)
            for body in self._bodies[visit.row]:
                node = graph.node[body.owner - visit.first_node]
                inferred = dict(node_bodies(node)).get(body.attribute)
                if inferred is not None:
                    pairs.append((body, inferred))


def _levels(visits: tuple[GraphVisit, ...], table: GraphTable) -> Iterator[list[GraphVisit]]:
    """Yield the function instances that are called from the graphs seen so far, level by level."""
    depth: list[int] = []
    levels: dict[int, list[GraphVisit]] = defaultdict(list)
    for visit in visits:
        outer = depth[int(table.node_graph[visit.owner])] if visit.owner >= 0 else 0
        inside = visit.kind == GraphKind.FUNCTION and visit.owner >= 0
        depth.append(outer + inside)
        if inside:
            levels[outer + 1].append(visit)
    yield from (levels[level] for level in sorted(levels))
