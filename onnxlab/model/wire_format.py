"""Reading protobuf's wire format record by record, in bounded pieces."""

from __future__ import annotations

from onnxlab.model.source import Source

__all__ = ["BYTES", "FIXED32", "FIXED64", "VARINT", "MalformedError", "RecordReader", "varint"]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

_WINDOW = 1 << 16
_HEADER = 20  # the longest key and length


class MalformedError(Exception):
    """The bytes are no protobuf message from ``position`` on."""

    def __init__(self, position: int, reason: str, *, missing: int = 0) -> None:
        super().__init__(f"{reason} at byte {position:,}")
        self.position = position
        self.reason = reason
        self.missing = missing  # bytes that the file lacks, where it is too short
        self.fields: frozenset[tuple[int, int]] = frozenset()  # top-level (number, wire type)


class RecordReader:
    """Yields the records of messages in one source, keeping only a small window in memory."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._window = b""
        self._start = 0

    def record(self, position: int, end: int) -> tuple[int, int, int, int]:
        """Read the record at ``position`` of a message that ends at ``end``.

        Returns
        -------
        tuple
            Field number, wire type, start and end of the value.

        Raises
        ------
        MalformedError
            If there is no record, or the record runs past ``end``.
        """
        at = position - self._start
        if at < 0 or at + _HEADER > len(self._window):
            self._window = self._source.read(position, _WINDOW)
            self._start = position
            at = 0
        window = self._window
        try:
            key = window[at]
            at += 1
            if key > 127:
                key, at = _decode(window, at - 1)
            wire = key & 7
            length = 0
            if wire == BYTES:
                length = window[at]
                at += 1
                if length > 127:
                    length, at = _decode(window, at - 1)
            elif wire == VARINT:
                value_start = at
                while window[at] > 127:
                    at += 1
                length = at + 1 - value_start
                if length > 10:
                    raise MalformedError(position, "a number longer than 64 bits")
                at = value_start
        except IndexError:
            raise MalformedError(position, "the data end inside a record", missing=1) from None
        if wire == FIXED64:
            length = 8
        elif wire == FIXED32:
            length = 4
        elif wire not in (BYTES, VARINT):
            raise MalformedError(position, f"wire type {wire}")
        number = key >> 3
        if not 0 < number < 1 << 29:
            raise MalformedError(position, f"field number {number}")
        value_start = self._start + at
        value_end = value_start + length
        if value_end > end:
            missing = max(0, value_end - self._source.size)
            error = MalformedError(position, "a record longer than its message", missing=missing)
            error.fields = frozenset({(number, wire)})
            raise error
        return number, wire, value_start, value_end


def varint(value: int) -> bytes:
    """Encode a non-negative integer as a protobuf varint."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _decode(window: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = window[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise MalformedError(at, "a number longer than 64 bits")
