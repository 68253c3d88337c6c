"""Addresses: the stable text of rows, through bodies and functions.

A node: ``12`` (13th of the main graph), ``12/then_branch/3``, ``7/ƒ/0`` (first node of the
function that node 7 calls), ``ƒ/local/Gelu/0`` (of a function that nobody calls). A value: its
graph's address, a colon and its name, as in ``:logits`` and ``12/then_branch:y``; where a graph
defines a name more than once, the later ones are ``~2:y``, ``~3:y``.
"""

from __future__ import annotations

import re
from urllib.parse import quote

import numpy as np

from onnxlab.model.table import GraphKind, GraphTable

__all__ = ["AddressBook"]

FUNCTION = "ƒ"

_UNSAFE = re.compile(r"[/%:~ƒ\s]")


class AddressBook:
    """Converts between the rows of one table and their addresses."""

    def __init__(self, table: GraphTable, function_keys: dict[int, tuple[str, str, str]]) -> None:
        self._table = table
        counts = np.bincount(table.node_graph, minlength=len(table.graph_kind))
        self._counts = counts
        self._first = np.concatenate(([0], np.cumsum(counts)))[:-1]
        self._graphs: list[str] = []
        self._graph_rows: dict[str, int] = {}
        for row in range(len(table.graph_kind)):
            address = base = self._graph_address(row, function_keys.get(row))
            repeat = 1
            while address in self._graph_rows:  # a node with two attributes of one name
                repeat += 1
                address = f"{base}~{repeat}"
            self._graph_rows[address] = row
            self._graphs.append(address)
        self._values: dict[str, int] | None = None
        self._value_addresses: list[str] = []

    def node(self, row: int) -> str:
        """Return the address of a node row."""
        if not 0 <= row < self._table.node_count:
            raise IndexError(f"no node row {row}: the model has {self._table.node_count}")
        graph = int(self._table.node_graph[row])
        return self._join(self._graphs[graph], str(row - int(self._first[graph])))

    def nodes(self) -> list[str]:
        """Return the addresses of all node rows."""
        addresses: list[str] = []
        for graph, count in zip(self._graphs, self._counts.tolist(), strict=True):
            prefix = f"{graph}/" if graph else ""
            addresses.extend(f"{prefix}{index}" for index in range(count))
        return addresses

    def node_row(self, address: str) -> int:
        """Return the row of a node's address, or raise `ValueError`."""
        prefix, _, index = address.rpartition("/")
        graph = self._graph_rows.get(prefix)
        canonical = index.isascii() and index.isdigit() and str(int(index[:12])) == index
        if graph is None or not canonical or int(index) >= self._counts[graph]:
            raise ValueError(f"no node has the address {address!r}")
        return int(self._first[graph]) + int(index)

    def graph(self, row: int) -> str:
        """Return the address of a graph row, empty for the main graph."""
        return self._graphs[row]

    def first_node(self, graph: int) -> int:
        """Return the row of a graph's first node."""
        return int(self._first[graph])

    def value(self, row: int) -> str:
        """Return the address of a value row."""
        if not 0 <= row < self._table.value_count:
            raise IndexError(f"no value row {row}: the model has {self._table.value_count}")
        self._index_values()
        return self._value_addresses[row]

    def values(self) -> list[str]:
        """Return the addresses of all value rows."""
        self._index_values()
        return self._value_addresses

    def value_row(self, address: str) -> int:
        """Return the row of a value's address, or raise `ValueError`."""
        row = self._index_values().get(address)
        if row is None:
            raise ValueError(f"no value has the address {address!r}")
        return row

    def _index_values(self) -> dict[str, int]:
        if self._values is None:
            table, rows = self._table, {}
            repeats: dict[tuple[int, str], int] = {}
            columns = zip(table.value_graph.tolist(), table.value_name.tolist(), strict=True)
            for row, (graph, name_id) in enumerate(columns):
                name = table.strings[name_id]
                address = f"{self._graphs[graph]}:{name}"
                if address in rows:
                    count = repeats[graph, name] = repeats.get((graph, name), 1) + 1
                    address = f"{self._graphs[graph]}~{count}:{name}"
                rows[address] = row
            self._values = rows
            self._value_addresses = list(rows)
        return self._values

    def _graph_address(self, row: int, key: tuple[str, str, str] | None) -> str:
        table = self._table
        kind, owner = table.graph_kind[row], int(table.graph_owner[row])
        if kind == GraphKind.MAIN:
            return ""
        if kind == GraphKind.FUNCTION and owner < 0:
            domain, name, overload = key or ("", "", "")
            parts = [FUNCTION, domain, name, overload] if overload else [FUNCTION, domain, name]
            return "/".join(parts[:1] + [_escape(part) for part in parts[1:]])
        graph = int(table.node_graph[owner])
        node = self._join(self._graphs[graph], str(owner - int(self._first[graph])))
        if kind == GraphKind.FUNCTION:
            return f"{node}/{FUNCTION}"
        return f"{node}/{_escape(table.strings[table.graph_attribute[row]])}"

    @staticmethod
    def _join(graph: str, index: str) -> str:
        return f"{graph}/{index}" if graph else index


def _escape(part: str) -> str:
    return _UNSAFE.sub(lambda match: quote(match.group(), safe=""), part)
