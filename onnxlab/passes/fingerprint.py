"""What a graph computes, as one short digest: equal graphs get equal digests, whatever the names.

Operators, attributes, topology, weights and the names of the main graph's inputs and outputs
count; names of nodes and inner values, documentation and the order of independent nodes do not.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Generator, Iterable
from hashlib import blake2b
from typing import IO, cast

import onnx

from onnxlab.errors import FileChanged
from onnxlab.model.model import Model

__all__ = ["count_operators", "fingerprint", "operator_label"]

_CHUNK_BYTES = 1 << 20
_KNOWN_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft"})

Digest = bytes
_Scope = ChainMap[str, Digest]
_Walk = Generator["_Walk", Digest, Digest]  # yields a body to walk, gets its digest back


def fingerprint(model: Model) -> str:
    """Return the digest of a model's graph, in hexadecimal.

    Raises
    ------
    ModelError
        A weight cannot be read.
    """
    model.check_unchanged()
    if model.path is None:
        return _Fingerprint(model, None).run().hex()
    with model.path.open("rb") as file:
        return _Fingerprint(model, file).run().hex()


def count_operators(model: Model) -> Counter[str]:
    """Return how many nodes a model has of each operator, bodies included."""
    table = model.table
    domains = (table.strings[domain] for domain in table.node_domain)
    return Counter(operator_label(domain, table.op(row)) for row, domain in enumerate(domains))


def operator_label(domain: str, op_type: str) -> str:
    """Return an operator's name, with its domain unless everybody knows it."""
    if domain in _KNOWN_DOMAINS:
        return op_type
    return f"{domain.removeprefix('com.microsoft.')}::{op_type}"


class _Fingerprint:
    def __init__(self, model: Model, file: IO[bytes] | None) -> None:
        self._model = model
        self._file = file

    def run(self) -> Digest:
        """Walk the main graph; a body is walked when its node is met, without recursion."""
        proto = self._model.proto
        stack = [self._graph(proto.graph, ChainMap(), is_main=True)]
        answer: Digest | None = None
        while stack:
            try:
                walk = stack[-1]
                stack.append(next(walk) if answer is None else walk.send(answer))
                answer = None
            except StopIteration as done:
                stack.pop()
                answer = cast("Digest", done.value)
        functions = sorted(f.SerializeToString(deterministic=True) for f in proto.functions)
        return _digest([answer or b"", *functions])

    def _graph(self, graph: onnx.GraphProto, outer: _Scope, *, is_main: bool) -> _Walk:
        scope = outer.new_child()
        for index, value in enumerate(graph.input):
            scope[value.name] = _digest(["input", value.name if is_main else index])
        for tensor in graph.initializer:
            scope[tensor.name] = self._tensor(tensor)
        for sparse in graph.sparse_initializer:
            scope[sparse.values.name] = self._sparse(sparse)
        nodes = []
        for node in graph.node:
            attributes = []
            for attribute in sorted(node.attribute, key=lambda a: a.name):
                bodies = []
                for body in (
                    *([attribute.g] if attribute.HasField("g") else ()),
                    *attribute.graphs,
                ):
                    bodies.append((yield self._graph(body, scope, is_main=False)))
                attributes.append(_digest([self._attribute(attribute), *bodies]))
            read = [scope.get(name, b"?") if name else b"" for name in node.input]
            domain = "" if node.domain == "ai.onnx" else node.domain
            digest = _digest([domain, node.op_type, *attributes, "reads", *read])
            nodes.append(digest)
            for index, name in enumerate(node.output):
                if name:
                    scope[name] = _digest([digest, index])
        outputs = [
            _digest([value.name if is_main else "", scope.get(value.name, b"?")])
            for value in graph.output
        ]
        return _digest([*sorted(nodes), "gives", *outputs])

    def _attribute(self, attribute: onnx.AttributeProto) -> Digest:
        tensors = [attribute.t] if attribute.HasField("t") else []
        sparse = [attribute.sparse_tensor] if attribute.HasField("sparse_tensor") else []
        parts: list[Digest | str | int] = [attribute.name, attribute.type]
        parts += [self._tensor(tensor) for tensor in (*tensors, *attribute.tensors)]
        parts += [self._sparse(tensor) for tensor in (*sparse, *attribute.sparse_tensors)]
        if len(parts) == 2 and not attribute.HasField("g") and not attribute.graphs:
            plain = onnx.AttributeProto()
            plain.CopyFrom(attribute)
            plain.doc_string = ""
            parts.append(plain.SerializeToString(deterministic=True))
        return _digest(parts)

    def _sparse(self, sparse: onnx.SparseTensorProto) -> Digest:
        return _digest([self._tensor(sparse.values), self._tensor(sparse.indices), *sparse.dims])

    def _tensor(self, tensor: onnx.TensorProto) -> Digest:
        head: list[Digest | str | int] = ["tensor", tensor.data_type, *tensor.dims]
        payload = self._model.payload(tensor)
        if payload is not None:
            content = self._payload(payload.offset, payload.length)
            return _digest([*head, payload.field, content])
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            place = sorted(f"{entry.key}={entry.value}" for entry in tensor.external_data)
            return _digest([*head, "external", *place])
        plain = onnx.TensorProto()
        plain.CopyFrom(tensor)
        plain.name = plain.doc_string = ""
        return _digest([*head, plain.SerializeToString(deterministic=True)])

    def _payload(self, offset: int, length: int) -> Digest:
        hasher = blake2b(digest_size=16)
        if self._file is None:
            data = memoryview(self._model.data or b"")[offset : offset + length]
            hasher.update(data)
            return hasher.digest()
        self._file.seek(offset)
        while length > 0:
            chunk = self._file.read(min(length, _CHUNK_BYTES))
            if not chunk:
                raise FileChanged(f"{self._model.name} was truncated while it was read")
            hasher.update(chunk)
            length -= len(chunk)
        return hasher.digest()


def _digest(parts: Iterable[Digest | str | int]) -> Digest:
    hasher = blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "little"))
        hasher.update(data)
    return hasher.digest()
