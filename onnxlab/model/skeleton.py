"""A model's skeleton: the protobuf without its large tensor payloads.

The walk follows the wire format into every place where a tensor can stand and leaves payloads of
more than 4096 bytes where they are. What remains is small enough to parse.

A tensor whose payload was left out carries one more ``external_data`` entry whose key holds a
random number drawn for this reading. No file can contain it, so an entry with that key is ours
and says which payload belongs to the tensor, wherever the tensor is moved or copied.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from onnxlab.model.source import Source
from onnxlab.model.wire_format import BYTES, MalformedError, RecordReader, varint

__all__ = ["PAYLOAD_FIELDS", "Payload", "Skeleton", "TooDeepError", "read_skeleton"]

LARGE_BYTES = 4096
MAX_DEPTH = 100  # protobuf's own limit on nested messages


class _Kind(IntEnum):
    MODEL = 0
    GRAPH = 1
    NODE = 2
    ATTRIBUTE = 3
    SPARSE = 4
    FUNCTION = 5
    TRAINING = 6
    TENSOR = 7


# Which fields of which message lead to tensors.
_CHILDREN: dict[_Kind, dict[int, _Kind]] = {
    _Kind.MODEL: {7: _Kind.GRAPH, 20: _Kind.TRAINING, 25: _Kind.FUNCTION},
    _Kind.GRAPH: {1: _Kind.NODE, 5: _Kind.TENSOR, 15: _Kind.SPARSE},
    _Kind.NODE: {5: _Kind.ATTRIBUTE},
    _Kind.ATTRIBUTE: {
        5: _Kind.TENSOR,
        6: _Kind.GRAPH,
        10: _Kind.TENSOR,
        11: _Kind.GRAPH,
        22: _Kind.SPARSE,
        23: _Kind.SPARSE,
    },
    _Kind.SPARSE: {1: _Kind.TENSOR, 2: _Kind.TENSOR},
    _Kind.FUNCTION: {7: _Kind.NODE, 11: _Kind.ATTRIBUTE},
    _Kind.TRAINING: {1: _Kind.GRAPH, 2: _Kind.GRAPH},
}

PAYLOAD_FIELDS = {
    4: "float_data",
    5: "int32_data",
    6: "string_data",
    7: "int64_data",
    9: "raw_data",
    10: "double_data",
    11: "uint64_data",
}


class Payload(NamedTuple):
    """Where a left-out payload lies.

    Attributes
    ----------
    field
        The field of ``TensorProto`` that held it, such as ``raw_data``.
    offset, length
        Its bytes in the file.
    framed
        False: the bytes are the value of that one field. True: they are whole records of a
        ``TensorProto`` message (strings, unpacked numbers), to be parsed as such.
    """

    field: str
    offset: int
    length: int
    framed: bool = False


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The protobuf bytes without large payloads, and where those are.

    Attributes
    ----------
    data
        A serialised ``ModelProto``.
    payloads
        The left-out payloads.
    marker
        The key of the ``external_data`` entry whose value is an index into ``payloads``.
    fields
        Which top-level fields the file has, as (number, wire type).
    depth
        How deep the messages that were looked into are nested.
    """

    data: bytes
    payloads: tuple[Payload, ...]
    marker: str
    fields: frozenset[tuple[int, int]]
    depth: int


class TooDeepError(Exception):
    """Messages are nested deeper than protobuf reads."""


@dataclass(slots=True)
class _Frame:
    kind: _Kind
    position: int
    end: int
    number: int  # the field in the parent that holds this message
    copied: int  # everything before is in `parts`, or left out
    parts: list[bytes] = field(default_factory=list)


def read_skeleton(source: Source, *, large_bytes: int = LARGE_BYTES) -> Skeleton:
    """Read everything but tensor payloads of more than ``large_bytes``.

    Messages of at most that size are taken over unseen: with 0, every message is looked into.

    Raises
    ------
    MalformedError
        If the bytes are not a protobuf message. Its ``fields`` attribute holds what was seen of
        the top level.
    TooDeepError
        If graphs are nested deeper than protobuf reads.
    """
    return _Walk(source, large_bytes).run()


class _Walk:
    def __init__(self, source: Source, large_bytes: int) -> None:
        self._source = source
        self._large_bytes = large_bytes
        self._reader = RecordReader(source)
        self._payloads: list[Payload] = []
        self._fields: set[tuple[int, int]] = set()
        self._depth = 1
        self._marker = f"onnxlab:{secrets.token_hex(16)}"

    def run(self) -> Skeleton:
        root = _Frame(_Kind.MODEL, 0, self._source.size, 0, 0)
        stack = [root]
        try:
            while stack:
                self._step(stack)
        except MalformedError as error:
            error.fields = frozenset(self._fields) | (error.fields if len(stack) == 1 else set())
            raise
        data = b"".join(root.parts)
        return Skeleton(
            data=data,
            payloads=tuple(self._payloads),
            marker=self._marker,
            fields=frozenset(self._fields),
            depth=self._depth,
        )

    def _step(self, stack: list[_Frame]) -> None:
        """Walk one message until it ends or a large message inside it begins."""
        frame = stack[-1]
        child = self._next_child(frame, top=len(stack) == 1)
        if child is None:
            self._copy(frame, frame.end)
            stack.pop()
            if stack:
                _embed(stack[-1].parts, child=frame)
        elif child.kind is _Kind.TENSOR:
            self._strip_tensor(child)
            _embed(frame.parts, child=child)
        else:
            stack.append(child)
            self._depth = max(self._depth, len(stack))
            if len(stack) > MAX_DEPTH:
                raise TooDeepError

    def _next_child(self, frame: _Frame, *, top: bool) -> _Frame | None:
        children = _CHILDREN[frame.kind]
        record, position, end = self._reader.record, frame.position, frame.end
        while position < end:
            number, wire, value, value_end = record(position, end)
            if top:
                self._fields.add((number, wire))
            if wire == BYTES and value_end - value > self._large_bytes and number in children:
                self._copy(frame, position)
                frame.position = frame.copied = value_end
                return _Frame(children[number], value, value_end, number, value)
            position = value_end
        return None

    def _strip_tensor(self, frame: _Frame) -> None:
        """Leave the payload of a tensor message out, and mark the tensor."""
        records: list[tuple[int, int, int, int, int]] = []
        position = frame.position
        while position < frame.end:
            number, wire, value, value_end = self._reader.record(position, frame.end)
            if number in PAYLOAD_FIELDS:
                records.append((number, wire, position, value, value_end))
            position = value_end
        payload = _payload(records)
        if payload is not None and payload.length <= self._large_bytes:
            payload = None
        if payload is not None:
            for _, _, start, _, value_end in records:
                self._copy(frame, start)
                frame.copied = value_end
        self._copy(frame, frame.end)
        if payload is not None:
            frame.parts.append(_mark(self._marker, len(self._payloads)))
            self._payloads.append(payload)

    def _copy(self, frame: _Frame, end: int) -> None:
        """Take the bytes up to ``end`` over into the skeleton."""
        if end > frame.copied:
            piece = self._source.read(frame.copied, end - frame.copied)
            if len(piece) < end - frame.copied:
                raise MalformedError(frame.copied, "the file shrank while it was read", missing=1)
            frame.parts.append(piece)
            frame.copied = end


def _payload(records: list[tuple[int, int, int, int, int]]) -> Payload | None:
    if not records:
        return None
    number, wire, start, value, value_end = records[0]
    if len(records) == 1 and wire == BYTES and number != 6:
        return Payload(PAYLOAD_FIELDS[number], value, value_end - value)
    return Payload(PAYLOAD_FIELDS[number], start, records[-1][4] - start, framed=True)


def _embed(parts: list[bytes], *, child: _Frame) -> None:
    length = sum(map(len, child.parts))
    parts.append(varint(child.number << 3 | BYTES) + varint(length))
    parts.extend(child.parts)


def _mark(marker: str, index: int) -> bytes:
    """Encode an ``external_data`` entry (field 13 of ``TensorProto``)."""
    key, value = marker.encode(), str(index).encode()
    entry = b"\x0a" + varint(len(key)) + key + b"\x12" + varint(len(value)) + value
    return varint(13 << 3 | BYTES) + varint(len(entry)) + entry
