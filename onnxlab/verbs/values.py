"""How the values of options are written as text: ``batch=1,seq=128``, ``10 s``, ``2 GiB``.

Each parser takes the text or the value itself, so that the API, the command line and the magics
agree on what they accept. All of them raise ``ValueError`` with one line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

__all__ = [
    "Bytes",
    "Dims",
    "File",
    "Inputs",
    "Names",
    "Parsed",
    "Seconds",
    "parse_bytes",
    "parse_dims",
    "parse_file",
    "parse_inputs",
    "parse_names",
    "parse_seconds",
]

_QUANTITY = re.compile(r"\s*((?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)\s*([a-zA-Zµ]*)\s*")
_SECONDS = {"": 1.0, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """Marks, inside ``Annotated``, an option whose value may be given as text.

    Attributes
    ----------
    parse
        Turns the text, or a value of the API, into what the options hold.
    example
        What the text looks like, for help and messages.
    repeats
        Whether the option can be given several times on a line.
    """

    parse: Callable[[object], object]
    example: str
    repeats: bool = False


def parse_seconds(value: object) -> float:
    """Return a duration in seconds from a number or text such as ``10 s`` or ``500ms``."""
    return _quantity(value, _SECONDS, "a duration such as '10 s' or '500 ms'")


def parse_bytes(value: object) -> int:
    """Return a size in bytes from a number or text such as ``512 MiB`` or ``2GB``."""
    return int(_quantity(value, _BYTES, "a size such as '512 MiB' or '2 GB'"))


def _quantity(value: object, units: Mapping[str, float], wanted: str) -> float:
    match = _QUANTITY.fullmatch(str(value))
    unit = match[2] if match else ""
    factor = units.get(unit, units.get(unit.lower()))
    if isinstance(value, bool) or match is None or factor is None:
        raise ValueError(f"{value!r} is not {wanted}")
    return float(match[1]) * factor


def parse_dims(value: object) -> dict[str, int]:
    """Return sizes by symbol from a mapping or text such as ``batch=1,seq=128``."""
    pairs = value.items() if isinstance(value, Mapping) else map(_pair, _pieces(value))
    dims = {}
    for name, size in pairs:
        if isinstance(size, bool) or not str(size).strip().isdecimal():
            raise ValueError(f"dimension {name!s} must be a whole number, not {size!r}")
        dims[str(name).strip()] = int(size)
    return dims


def _pair(piece: str) -> tuple[str, str]:
    name, equals, size = piece.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"{piece!r} is not a dimension such as 'batch=1'")
    return name, size


def parse_names(value: object) -> tuple[str, ...]:
    """Return names from a list of them or text such as ``cpu,cuda``."""
    return tuple(_pieces(value))


def _pieces(value: object) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Iterable):
        raise ValueError(f"{value!r} is not text or a list of texts")
    pieces = (piece.strip() for text in texts for piece in str(text).split(","))
    return [piece for piece in pieces if piece]


def parse_file(value: object) -> Path:
    """Return a path, with ``~`` expanded."""
    if not isinstance(value, str | os.PathLike):
        raise ValueError(f"{value!r} is not a path")
    return Path(value).expanduser()


def parse_inputs(value: object) -> Mapping[str, object] | Path:
    """Return arrays by input name as they are, or the path of an ``.npz`` file."""
    return value if isinstance(value, Mapping) else parse_file(value)


Dims = Annotated[Mapping[str, int], Parsed(parse_dims, "NAME=N,...", repeats=True)]
Seconds = Annotated[float, Parsed(parse_seconds, "DURATION")]
Bytes = Annotated[int, Parsed(parse_bytes, "SIZE")]
Names = Annotated[tuple[str, ...], Parsed(parse_names, "NAME,...", repeats=True)]
File = Annotated[Path, Parsed(parse_file, "FILE")]
Inputs = Annotated[Mapping[str, object] | Path, Parsed(parse_inputs, "FILE.npz")]
