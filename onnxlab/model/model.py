"""A model as its file says, without having read its weights."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import onnx

from onnxlab import exits
from onnxlab.model import frames
from onnxlab.model.address import AddressBook
from onnxlab.model.build_table import build_table
from onnxlab.model.operators import known_operators, opset_versions
from onnxlab.model.shapes import Shapes, infer_shapes, shapes_complete, table_shapes
from onnxlab.model.skeleton import Payload, Skeleton
from onnxlab.model.source import Stamp, check_stamp
from onnxlab.model.table import GraphTable, ValueKind
from onnxlab.model.tensors import TensorReader
from onnxlab.model.walk import FunctionKey, Walk, call_key, function_key, walk_graphs
from onnxlab.model.weights import Weights, collect_weights

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from onnxlab.analysis.finding import Findings

__all__ = ["Model"]


class Model:
    """An opened model; made by `onnxlab.load`.

    Attributes
    ----------
    proto
        The skeleton: the ``ModelProto`` without large tensor payloads (see `payload`).
    table
        Its graphs, scopes, nodes and values as columns.
    walk
        Its graphs in the table's order.
    name
        The file's name, or the graph's where there is no file.
    path, stamp
        The file, and what tells whether it is still the one that was opened; None without one.
    folder
        Where external data may lie; None where that is unknown.
    data
        The serialised model where it was given in memory.
    """

    def __init__(
        self,
        *,
        proto: onnx.ModelProto,
        table: GraphTable,
        walk: Walk,
        name: str,
        path: Path | None,
        stamp: Stamp | None,
        folder: Path | None,
        data: bytes | None,
        skeleton: Skeleton,
    ) -> None:
        self.proto = proto
        self.table = table
        self.walk = walk
        self.name = name
        self.path = path
        self.stamp = stamp
        self.folder = folder
        self.data = data
        self._payloads = skeleton.payloads
        self._marker = skeleton.marker
        self._shapes: Shapes | None = None
        self._shapes_lock = threading.Lock()

    @classmethod
    def from_skeleton(
        cls,
        proto: onnx.ModelProto,
        *,
        skeleton: Skeleton,
        name: str,
        path: Path | None,
        stamp: Stamp | None,
        folder: Path | None,
        data: bytes | None,
    ) -> Model:
        """Tabulate a parsed skeleton."""
        walk = walk_graphs(proto)
        table = build_table(walk, known_op=known_operators(walk, proto))
        return cls(
            proto=proto,
            table=table,
            walk=walk,
            name=name,
            path=path,
            stamp=stamp,
            folder=folder,
            data=data,
            skeleton=skeleton,
        )

    @classmethod
    def from_optimised(cls, path: Path) -> Model:
        """Open a model that a runtime saved."""
        from onnxlab.model.load import load

        return load(path)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """One row per node of every graph, indexed by address.

        Columns: ``name``, ``op_type``, ``domain``, ``graph`` (address, empty for the main graph),
        ``scope`` (path), ``inputs`` and ``outputs`` (names, empty for omitted ones),
        ``parameters`` (elements of the weights it is the first to read), ``weight_bytes``.
        """
        return frames.nodes_frame(self)

    @cached_property
    def values(self) -> pd.DataFrame:
        """One row per value of every graph, indexed by address.

        Columns: ``name``, ``kind`` (node output, input, initializer, undefined), ``dtype``,
        ``shape``, ``size_bytes`` (missing where unknown), ``producer`` (node address), ``users``
        (how many node inputs read it), ``graph``. What the file does not say about types and
        shapes is inferred at first use: see `infer_shapes`.
        """
        return frames.values_frame(self)

    @cached_property
    def initializers(self) -> pd.DataFrame:
        """One row per stored tensor with a name, indexed by value address.

        Columns: ``name``, ``dtype``, ``shape``, ``elements``, ``size_bytes`` (as stored),
        ``storage`` (in the file, external, ...), ``location`` (external file), ``graph``. Tensors
        of Constant nodes are listed too, as storage ``constant node``.
        """
        return frames.initializers_frame(self)

    @cached_property
    def inputs(self) -> pd.DataFrame:
        """What has to be fed, in declared order: ``name``, ``dtype``, ``shape``, ``size_bytes``.

        Inputs that have an initializer are left out: they need no feeding.
        """
        return frames.inputs_frame(self)

    @cached_property
    def outputs(self) -> pd.DataFrame:
        """The main graph's outputs, in declared order, with the columns of `inputs`."""
        return frames.outputs_frame(self)

    @property
    def input_rows(self) -> list[int]:
        """Value rows of what has to be fed, in declared order."""
        rows = self.table.graph_inputs[: self.table.graph_inputs_start[1]].tolist()
        return [row for row in rows if self.table.value_kind[row] == ValueKind.INPUT]

    @property
    def output_rows(self) -> list[int]:
        """Value rows of the main graph's outputs, in declared order."""
        rows = self.table.graph_outputs[: self.table.graph_outputs_start[1]].tolist()
        return [row for row in rows if row >= 0]

    @cached_property
    def weights(self) -> Weights:
        """Every stored tensor of the model's graphs."""
        return collect_weights(self)

    @cached_property
    def addresses(self) -> AddressBook:
        """Converts between rows and addresses."""
        keys = {
            visit.row: visit.function_key
            for visit in self.walk.visits
            if visit.function_key is not None
        }
        return AddressBook(self.table, keys)

    @cached_property
    def node_weights(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Elements and bytes of the weights that each node is the first to read."""
        return frames.node_weights(self)

    @property
    def opsets(self) -> dict[str, int]:
        """Imported opset version of each domain; the default domain is the empty string."""
        return opset_versions(self.proto)

    @property
    def parameter_count(self) -> int:
        """Elements of all stored tensors, those of Constant nodes included."""
        return self.weights.parameter_count

    @property
    def size_bytes(self) -> int:
        """Bytes of the file and of the external data that it uses."""
        own = self.stamp.size if self.stamp else len(self.data or b"")
        return own + self.weights.external_bytes

    @property
    def summary(self) -> str:
        """One line, such as ``opset 17 · 177 nodes · 25.6 M parameters · 97.5 MB``."""
        return frames.summary(self)

    @property
    def shapes_complete(self) -> bool:
        """Whether `known_shapes` holds all that there is to know."""
        return self._shapes is not None or shapes_complete(self.table)

    @property
    def known_shapes(self) -> Shapes:
        """What is known by now, without starting an inference."""
        return self._shapes or table_shapes(self.table)

    def infer_shapes(self) -> Shapes:
        """Infer the types and shapes of all values in a child process, once.

        Takes seconds at most and never raises for a bad model: see ``problem`` in the result.
        """
        with self._shapes_lock:
            if self._shapes is None:
                self._shapes = infer_shapes(self)
            return self._shapes

    def address(self, row: int) -> str:
        """Return the address of a node row."""
        return self.addresses.node(row)

    def row(self, address: str) -> int:
        """Return the row of a node's address; `ValueError` where there is none."""
        return self.addresses.node_row(address)

    def value_address(self, row: int) -> str:
        """Return the address of a value row."""
        return self.addresses.value(row)

    def value_row(self, address: str) -> int:
        """Return the row of a value's address; `ValueError` where there is none."""
        return self.addresses.value_row(address)

    def node_proto(self, row: int) -> onnx.NodeProto:
        """Return the node of a row, as the file has it."""
        visit = self.walk.visits[int(self.table.node_graph[row])]
        return visit.proto.node[row - visit.first_node]

    def opset_scope(self, row: int) -> onnx.ModelProto | onnx.FunctionProto:
        """Return what imports the opsets of a node: the function around it, or the model."""
        while row >= 0:
            visit = self.walk.visits[int(self.table.node_graph[row])]
            if isinstance(visit.proto, onnx.FunctionProto):
                return visit.proto
            row = visit.owner
        return self.proto

    def called_function(self, row: int) -> onnx.FunctionProto | None:
        """Return the local function that a node calls."""
        return self._functions.get(call_key(self.node_proto(row)))

    @cached_property
    def _functions(self) -> dict[FunctionKey, onnx.FunctionProto]:
        return {function_key(function): function for function in reversed(self.proto.functions)}

    def payload(self, tensor: onnx.TensorProto) -> Payload | None:
        """Return where the left-out payload of a tensor of `proto` lies, or None."""
        for entry in reversed(tensor.external_data):
            if entry.key == self._marker:
                return self._payloads[int(entry.value)]
        return None

    def read_tensor(self, name: str) -> npt.NDArray[Any]:
        """Read a stored tensor.

        Parameters
        ----------
        name
            The name of an initializer of the main graph or of a Constant node's output, or the
            address of such a value in any graph.

        Returns
        -------
        numpy.ndarray
            The tensor. Types that numpy lacks come as those of ``ml_dtypes``, strings as objects,
            sparse tensors dense.

        Raises
        ------
        ValueError
            If no stored tensor has that name or address.
        ModelError
            If its data are missing, out of bounds or outside of the model's folder.
        FileChanged
            If the file is no longer the one that was opened.
        """
        weight = self.weights.find(self, name)
        return TensorReader(self).read(weight)

    def lint(self, *, checker: bool = True) -> Findings:
        """Return what is wrong or odd about the model, worst first; the model is not run.

        Parameters
        ----------
        checker
            Whether to ask onnx's checker too, in a child process: about a second.
        """
        return cast("Findings", exits.call("Model.lint", self, checker=checker))

    def check_unchanged(self) -> None:
        """Raise `FileChanged` if the file is no longer the one that was opened."""
        if self.path is not None and self.stamp is not None:
            check_stamp(self.path, self.stamp)

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.summary}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return exits.call("Model._repr_mimebundle_", self, include, exclude)
