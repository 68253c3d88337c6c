"""Joining the kernels of a trace with the nodes of the optimised model, and so with the original.

The join is by name within a graph, never by position: the runtime executes in an order of its own,
and its node indices are neither those of the file nor stable.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from onnxlab.mapping.names import unique_names
from onnxlab.mapping.origin import Fate, KernelOrigin, OriginKind, Provenance
from onnxlab.mapping.tags import plain_name
from onnxlab.model.model import Model
from onnxlab.model.table import GraphTable
from onnxlab.profiling.trace import Int64, Trace, TracedKernel

__all__ = ["Attribution", "KernelRecord", "attribute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRecord:
    """One kernel of the session and where it comes from.

    Attributes
    ----------
    name
        The node's name as the original has it where it survived, else the runtime's.
    op_type, provider
        What ran and where.
    origin
        The original nodes it runs; see `onnxlab.mapping.origin.KernelOrigin`.
    optimised_row
        Its row in the optimised model, -1 where it was not found there.
    calls
        Calls per run, on average.
    """

    name: str
    op_type: str
    provider: str
    origin: KernelOrigin
    optimised_row: int
    calls: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attribution:
    """The kernels of a session with their origins.

    Attributes
    ----------
    kernels
        In the order of the optimised graph.
    self_us
        Integer microseconds of each kernel without the bodies it executes, ``[runs × kernels]``.
        A row's sum is the sum of the run's kernel events.
    fates
        One per original row; NOT_EXECUTED where kernels exist but none of them ran.
    """

    kernels: tuple[KernelRecord, ...]
    self_us: Int64
    fates: tuple[Fate, ...]


def attribute(
    original: Model, optimised: Model, trace: Trace, provenance: Provenance
) -> Attribution:
    """Give every kernel of a trace its origin, and refine the fates by what ran.

    Parameters
    ----------
    original, optimised
        The user's model, and what the runtime saved for its instrumented copy.
    trace
        The session's kernels; all of their time is kept.
    provenance
        The join of the two models.
    """
    rows = _Rows(optimised.table).find(trace.kernels)
    columns: dict[tuple[int, TracedKernel | None], list[int]] = defaultdict(list)
    for column, row in enumerate(rows):
        columns[row, trace.kernels[column] if row < 0 else None].append(column)
    order = sorted(columns, key=lambda key: (key[0] < 0, key[0], columns[key]))
    self_us = np.zeros((trace.self_us.shape[0], len(order)), np.int64)
    kernels: list[KernelRecord] = []
    names = _original_names(original.table)
    runs = max(trace.calls.shape[0], 1)
    for position, key in enumerate(order):
        members = columns[key]
        self_us[:, position] = trace.self_us[:, members].sum(axis=1)
        kernel, row = trace.kernels[members[0]], key[0]
        origin = provenance.origins[row] if row >= 0 else _UNATTRIBUTED
        kernels.append(
            KernelRecord(
                name=names.get(kernel.name) or plain_name(kernel.name),
                op_type=kernel.op_type,
                provider=kernel.provider,
                origin=origin,
                optimised_row=row,
                calls=float(trace.calls[:, members].sum()) / runs,
            )
        )
    return Attribution(
        kernels=tuple(kernels), self_us=self_us, fates=_refined(provenance.fates, kernels)
    )


_UNATTRIBUTED = KernelOrigin(kind=OriginKind.UNATTRIBUTED)


def _original_names(table: GraphTable) -> dict[str, str]:
    return {name: table.name(row) for row, name in enumerate(unique_names(table))}


def _refined(fates: tuple[Fate, ...], kernels: list[KernelRecord]) -> tuple[Fate, ...]:
    ran = {row for kernel in kernels for row in kernel.origin.nodes}
    with_kernel = {Fate.EXECUTED, Fate.REGION}
    return tuple(
        Fate.NOT_EXECUTED if fate in with_kernel and row not in ran else fate
        for row, fate in enumerate(fates)
    )


class _Rows:
    """Finds the row of each traced kernel in the optimised model's table."""

    def __init__(self, table: GraphTable) -> None:
        self._named: dict[tuple[int, str], list[int]] = defaultdict(list)
        self._nameless: dict[tuple[int, str], list[int]] = defaultdict(list)
        self._anywhere: dict[str, list[int]] = defaultdict(list)
        self._names: dict[int, set[str]] = defaultdict(set)
        self._nameless_ops: dict[int, set[str]] = defaultdict(set)
        self._bodies: dict[int, list[int]] = defaultdict(list)
        for graph, owner in enumerate(table.graph_owner.tolist()):
            self._bodies[owner].append(graph)
        for row, graph in enumerate(table.node_graph.tolist()):
            if name := table.name(row):
                self._named[graph, name].append(row)
                self._anywhere[name].append(row)
                self._names[graph].add(name)
            else:
                self._nameless[graph, table.op(row)].append(row)
                self._nameless_ops[graph].add(table.op(row))

    def find(self, kernels: tuple[TracedKernel, ...]) -> list[int]:
        """Return a row per kernel, -1 where there is none."""
        rows = [-1] * len(kernels)
        alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for position, kernel in enumerate(kernels):
            candidates = self._candidates(kernel)
            if len(candidates) == 1:
                rows[position] = candidates[0]
            elif candidates:
                alike[tuple(candidates)].append(position)
        for candidates_, positions in alike.items():
            # Passes walk the graph in order, so indices of new nodes grow in the order of rows.
            indices = sorted({kernels[position].node_index for position in positions})
            for position in positions:
                rank = indices.index(kernels[position].node_index)
                rows[position] = candidates_[min(rank, len(candidates_) - 1)]
        return rows

    def _candidates(self, kernel: TracedKernel) -> list[int]:
        graphs = self._graphs(kernel)
        for graph in graphs:
            if found := self._named.get((graph, kernel.name)):
                return found
        if kernel.name == f"{kernel.op_type}_{kernel.node_index}":
            for graph in graphs:
                if found := self._nameless.get((graph, kernel.op_type)):
                    return found
        elsewhere = self._anywhere.get(kernel.name, [])
        return elsewhere if len(elsewhere) == 1 else []

    def _graphs(self, kernel: TracedKernel) -> list[int]:
        """Return the graphs the kernel can stand in, the likeliest first."""
        graphs = [0]
        for name in kernel.inside:
            owners = [row for graph in graphs for row in self._owners(graph, name)]
            graphs = [graph for owner in owners for graph in self._bodies.get(owner, ())]
        siblings = set(kernel.siblings)
        ops = {name.rpartition("_")[0] for name in siblings}
        return sorted(
            graphs,
            key=lambda graph: (
                -len(siblings & self._names[graph]),
                -len(ops & self._nameless_ops[graph]),
            ),
        )

    def _owners(self, graph: int, name: str) -> list[int]:
        named = self._named.get((graph, name))
        return named or self._nameless.get((graph, name.rpartition("_")[0]), [])
