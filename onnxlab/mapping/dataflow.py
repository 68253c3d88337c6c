"""The original model's data flow across its graphs, bodies and function calls.

Rows are those of the `GraphTable`. The **source** of a value: a function's formal input is the
caller's argument, a call's output is what its body computes. Reading through sources makes calls
transparent, as inlining does; the same goes for an If of which one branch was inlined.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from functools import cached_property

import onnx

from onnxlab.mapping.equality import canonical_values
from onnxlab.mapping.operators import NONDETERMINISTIC, SHAPE_ONLY
from onnxlab.model.model import Model
from onnxlab.model.table import GraphKind, GraphTable, ValueKind
from onnxlab.model.text import text

__all__ = ["Dataflow"]


class Dataflow:
    """Inputs, outputs and equalities of every node row of one model.

    Attributes
    ----------
    protos
        The NodeProto of each node row (rows of one function's call sites share theirs).
    inputs, outputs
        Per node row, value rows as in the table (-1 omitted).
    captures
        Per node row, values of outer graphs that its bodies read.
    inlined
        Control-flow nodes that one of their bodies took the place of, with that body.
    """

    def __init__(self, model: Model, *, inlined: Mapping[int, int] | None = None) -> None:
        self.inlined = dict(inlined or {})
        self.table: GraphTable = model.table
        self.protos: list[onnx.NodeProto] = []
        self.initializers: dict[tuple[int, str], onnx.TensorProto] = {}
        self._first_row: list[int] = []
        for visit in model.walk.visits:
            self._first_row.append(visit.first_node)
            self.protos.extend(visit.proto.node)
            if isinstance(visit.proto, onnx.GraphProto):
                self.initializers |= {(visit.row, text(t.name)): t for t in visit.proto.initializer}
        self._first_row.append(len(self.protos))
        table = model.table
        self.overridable = model.proto.ir_version >= 4
        self.inputs = [table.inputs(row).tolist() for row in range(table.node_count)]
        self.outputs = [table.outputs(row).tolist() for row in range(table.node_count)]
        self.graph: list[int] = table.node_graph.tolist()
        self.producer: list[int] = table.value_producer.tolist()
        self.value_kind: list[int] = table.value_kind.tolist()
        self.value_graph: list[int] = table.value_graph.tolist()
        self.graph_kind: list[int] = table.graph_kind.tolist()
        self.graph_owner: list[int] = table.graph_owner.tolist()
        self._value_names: list[str] = [table.strings[name] for name in table.value_name.tolist()]
        self.captures = self._captures()

    @property
    def count(self) -> int:
        """Number of node rows."""
        return len(self.protos)

    def value_name(self, value: int) -> str:
        """Name of a value row."""
        return self._value_names[value]

    def graph_rows(self, graph: int) -> range:
        """Node rows directly in a graph."""
        return range(self._first_row[graph], self._first_row[graph + 1])

    def graph_inputs(self, graph: int) -> list[int]:
        """Value rows of a graph's inputs."""
        start = self.table.graph_inputs_start
        return list(map(int, self.table.graph_inputs[start[graph] : start[graph + 1]]))

    def graph_outputs(self, graph: int) -> list[int]:
        """Value rows of a graph's outputs."""
        start = self.table.graph_outputs_start
        return list(map(int, self.table.graph_outputs[start[graph] : start[graph + 1]]))

    @cached_property
    def bodies(self) -> dict[int, list[int]]:
        """Graph rows owned by each node row that owns any."""
        owned: dict[int, list[int]] = defaultdict(list)
        for graph, owner in enumerate(self.graph_owner):
            if owner >= 0:
                owned[owner].append(graph)
        return dict(owned)

    @cached_property
    def called(self) -> dict[int, int]:
        """The function graph that each calling node row stands for."""
        kinds = self.graph_kind
        return {
            row: graph
            for row, graphs in self.bodies.items()
            for graph in graphs
            if kinds[graph] == GraphKind.FUNCTION
        }

    @cached_property
    def source(self) -> list[int]:
        """Per value, the value it is once every function call is looked through."""
        step = list(range(self.table.value_count))  # a value itself where nothing lies behind it
        for row, graph in self.called.items():
            for formal, actual in zip(self.graph_inputs(graph), self.inputs[row], strict=False):
                if actual >= 0:
                    step[formal] = actual
            for formal, actual in zip(self.graph_outputs(graph), self.outputs[row], strict=False):
                if actual >= 0:
                    step[actual] = formal
        for row, graph in self.inlined.items():
            for inner, outer in zip(self.graph_outputs(graph), self.outputs[row], strict=False):
                if outer >= 0:
                    step[outer] = inner
        return [_follow(step, value) for value in range(len(step))]

    @cached_property
    def deps(self) -> list[list[int]]:
        """Per node row, the sources of all it reads, its bodies' captures included."""
        source = self.source
        return [
            [source[value] for value in (*self.inputs[row], *self.captures[row]) if value >= 0]
            for row in range(self.count)
        ]

    @cached_property
    def consumers(self) -> dict[int, list[int]]:
        """Node rows that read each source value."""
        readers: dict[int, list[int]] = defaultdict(list)
        for row, values in enumerate(self.deps):
            for value in dict.fromkeys(values):
                readers[value].append(row)
        return readers

    @cached_property
    def constant_values(self) -> set[int]:
        """Source values that depend on no input of the model."""
        inputs = set(self.graph_inputs(0)) if self.overridable else set()
        kinds = self.value_kind
        constant = {
            value
            for value in range(self.table.value_count)
            if kinds[value] == ValueKind.INITIALIZER and value not in inputs
        }
        for row in self.topological_rows:
            if row not in self.bodies and self._depends_on(row, constant):
                constant.update(value for value in self.outputs[row] if value >= 0)
        return constant

    @cached_property
    def foldable(self) -> set[int]:
        """Node rows that can be computed once all shapes are known."""
        rows: set[int] = set()
        known = set(self.constant_values)
        for row in self.topological_rows:
            shape_only = self.protos[row].op_type in SHAPE_ONLY
            # Of an If, the condition decides whether its branch can take its place.
            decisive = self.inputs[row] if self.protos[row].op_type == "If" else None
            if shape_only or self._depends_on(row, known, decisive):
                rows.add(row)
                if row not in self.bodies:
                    known.update(value for value in self.outputs[row] if value >= 0)
        return rows

    def _depends_on(self, row: int, known: set[int], values: list[int] | None = None) -> bool:
        if self.protos[row].op_type in NONDETERMINISTIC:
            return False
        sources = self.deps[row] if values is None else [self.source[v] for v in values if v >= 0]
        return all(value in known for value in sources)

    @cached_property
    def topological_rows(self) -> list[int]:
        """Node rows, a producer before its readers, whatever order the file has."""
        waiting = [0] * self.count
        ready: list[int] = []
        for row, values in enumerate(self.deps):
            waiting[row] = sum(self.producer[value] >= 0 for value in dict.fromkeys(values))
            if not waiting[row]:
                ready.append(row)
        for row in ready:  # grows while it is walked
            for value in self.outputs[row]:
                for reader in self.consumers.get(value, ()) if value >= 0 else ():
                    waiting[reader] -= 1
                    if not waiting[reader]:
                        ready.append(reader)
        return ready

    @cached_property
    def canonical(self) -> list[int]:
        """Per value, the first value equal to it."""
        return canonical_values(self)

    def is_repeated(self, value: int) -> bool:
        """Whether another node computes an equal value."""
        return self._computed[self.canonical[value]] > 1

    @cached_property
    def _computed(self) -> Counter[int]:
        return Counter(
            self.canonical[value] for values in self.outputs for value in values if value >= 0
        )

    def backward(
        self,
        starts: Iterable[int],
        stop: Container[int],
        *,
        through: Container[int] = (),
        shapes: bool = True,
    ) -> list[int]:
        """Return the node rows that compute some values from those in ``stop``.

        Parameters
        ----------
        starts
            Value rows; computed even if they are in ``stop`` themselves.
        stop
            Canonical values that need no computing.
        through
            Canonical values to be computed although they are in ``stop``.
        shapes
            Whether to go on past operators that read only a shape.
        """
        rows: dict[int, None] = {}
        pending = [self.source[value] for value in starts]
        while pending:
            row = self.producer[pending.pop()]
            if row < 0 or row in rows:
                continue
            rows[row] = None
            if not shapes and self.protos[row].op_type in SHAPE_ONLY:
                continue
            for value in self.deps[row]:
                same = self.canonical[value]
                if same not in stop or same in through:
                    pending.append(value)
        return list(rows)

    @cached_property
    def live(self) -> set[int]:
        """Node rows that the model's outputs depend on, those inside their bodies included."""
        rows: set[int] = set()
        pending = [self.source[value] for value in self.graph_outputs(0) if value >= 0]
        while pending:
            row = self.producer[pending.pop()]
            if row < 0 or row in rows:
                continue
            rows.add(row)
            pending.extend(self.deps[row])
            for graph in self.bodies.get(row, ()):
                outputs = self.graph_outputs(graph)
                pending.extend(self.source[value] for value in outputs if value >= 0)
        return rows

    def _captures(self) -> list[list[int]]:
        captured: list[dict[int, None]] = [{} for _ in range(self.count)]
        kinds = self.graph_kind
        reads = [(self.graph[row], v) for row in range(self.count) for v in self.inputs[row]]
        for graph in range(len(self.graph_owner)):
            reads.extend((graph, value) for value in self.graph_outputs(graph))
        for start, value in reads:
            graph = start
            while value >= 0 and self.value_graph[value] != graph:
                if kinds[graph] != GraphKind.BODY:
                    break
                owner = self.graph_owner[graph]
                captured[owner][value] = None
                graph = self.graph[owner]
        return [list(values) for values in captured]


def _follow(step: list[int], value: int) -> int:
    # A hostile model may make calls feed each other; the bound ends any such circle.
    for _ in range(len(step)):
        if step[value] == value:
            return value
        value = step[value]
    return value
