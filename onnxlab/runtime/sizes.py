"""Sizes of the inputs to generate: given, dictated by the weights, or guessed and said so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from numbers import Integral

from onnx import TensorProto

from onnxlab.runtime.ports import Dim
from onnxlab.runtime.symbols import is_placeholder, size_of, symbols_in

__all__ = ["Sizes", "TensorPort"]

_FLOATS = frozenset(
    {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}
)
_PIXELS = _FLOATS | {TensorProto.UINT8}
_IMAGE_SIDE = 224
_MOST_CHANNELS = 4


@dataclass(frozen=True, slots=True)
class TensorPort:
    """A tensor to generate: ``dictated`` holds the sizes that the weights it meets ask for."""

    name: str
    elem_type: int
    dims: tuple[Dim, ...]
    dictated: Mapping[int, int]


@dataclass(slots=True)
class Sizes:
    """Binds symbols to sizes.

    Attributes
    ----------
    bound
        Sizes by symbol; an axis without one goes by ``name:axis``.
    notes
        What was guessed, and why.
    """

    bound: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def ask(self, wanted: Mapping[str, int], ports: Sequence[TensorPort]) -> None:
        """Bind what the user asks for, after checking that the model has such symbols.

        Raises
        ------
        ValueError
            A symbol that no input has, or a size that is none; with advice.
        """
        symbols = dict.fromkeys(_symbols(ports))
        for symbol, size in wanted.items():
            if symbol not in symbols:
                raise ValueError(_unknown_symbol(symbol, list(symbols)))
            if isinstance(size, bool) or not isinstance(size, Integral) or size < 0:
                raise ValueError(f"dims: '{symbol}' must be a whole number from 0, got {size!r}")
            self.bound[symbol] = int(size)

    def learn(self, port: TensorPort, shape: Sequence[int]) -> None:
        """Bind what a given array shows, after checking that it fits the declared shape."""
        if len(shape) != len(port.dims):
            raise ValueError(
                f"input '{port.name}' is of rank {len(port.dims)}, the array given {len(shape)}"
            )
        for axis, (dim, size) in enumerate(zip(port.dims, shape, strict=True)):
            declared = dim if isinstance(dim, int) else self._known(port.name, axis, dim)
            if declared is not None and declared != size:
                what = f" ({dim})" if isinstance(dim, str) else ""
                raise ValueError(
                    f"axis {axis} of input '{port.name}'{what} is {declared}, "
                    f"the array given has {size}"
                )
            if not isinstance(dim, int):
                self.bound[_key(port.name, axis, dim)] = size

    def settle(self, ports: Sequence[TensorPort]) -> None:
        """Bind every size that is still open: dictated ones first, then guesses."""
        for port in ports:
            for axis, size in port.dictated.items():
                position = axis if axis >= 0 else axis + len(port.dims)
                if 0 <= position < len(port.dims):
                    self._dictate(port, position, size)
        # Inputs of many axes tell most about a symbol; expressions come after their parts.
        for port in sorted(ports, key=lambda port: -len(port.dims)):
            for axis, dim in enumerate(port.dims):
                if not isinstance(dim, int) and _is_plain(dim):
                    self._guess(port, axis, _key(port.name, axis, dim))
        for port in ports:
            for axis, dim in enumerate(port.dims):
                if isinstance(dim, str) and not _is_plain(dim):
                    for symbol in symbols_in(dim):
                        self._guess(port, axis, symbol)

    def shape(self, port: TensorPort) -> tuple[int, ...]:
        """Return the shape of a tensor once every size is settled."""
        return tuple(self._size(port, axis, dim) for axis, dim in enumerate(port.dims))

    def _size(self, port: TensorPort, axis: int, dim: Dim) -> int:
        if isinstance(dim, int):
            return dim
        known = self._known(port.name, axis, dim)
        if known is None:  # an expression without a value, such as a negative one
            self._guess(port, axis, f"{port.name}:{axis}")
            known = self.bound[f"{port.name}:{axis}"]
        return known

    def _known(self, name: str, axis: int, dim: Dim) -> int | None:
        own = self.bound.get(f"{name}:{axis}")
        if own is not None or not isinstance(dim, str):
            return own
        return size_of(dim, self.bound)

    def _dictate(self, port: TensorPort, axis: int, size: int) -> None:
        dim = port.dims[axis]
        if isinstance(dim, int) or self._known(port.name, axis, dim) is not None:
            return
        key = _key(port.name, axis, dim)
        self.bound[key] = size
        self.notes.append(f"{key} = {size} (its weights ask for that)")

    def _guess(self, port: TensorPort, axis: int, key: str) -> None:
        if key in self.bound or self._known(port.name, axis, port.dims[axis]) is not None:
            return
        size, why = _guessed(port, axis, key)
        self.bound[key] = size
        self.notes.append(f"{key} = {size} ({why})" if why else f"{key} = {size}")


def _key(name: str, axis: int, dim: Dim) -> str:
    if isinstance(dim, str) and not is_placeholder(dim):
        return dim
    return f"{name}:{axis}"


def _is_plain(dim: Dim) -> bool:
    return not isinstance(dim, str) or symbols_in(dim) == (dim,)


def _symbols(ports: Sequence[TensorPort]) -> Iterator[str]:
    for port in ports:
        for axis, dim in enumerate(port.dims):
            if not isinstance(dim, int):
                yield f"{port.name}:{axis}"
            if isinstance(dim, str):
                yield dim
                yield from symbols_in(dim)


def _unknown_symbol(symbol: str, known: list[str]) -> str:
    if not known:
        return f"dims: every size of the model's inputs is fixed, so '{symbol}' cannot be set"
    near = get_close_matches(symbol, known, n=1)
    named = [name for name in known if ":" not in name and not is_placeholder(name)]
    named = named or [name for name in known if ":" in name]
    advice = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(named)}"
    return f"dims: no input of the model has a size named '{symbol}'; {advice}"


def _guessed(port: TensorPort, axis: int, key: str) -> tuple[int, str]:
    """Guess a size; the order of the rules is that of their certainty."""
    rank, name = len(port.dims), key.lower()
    if "batch" in name:
        return 1, "a batch, by its name"
    if "past" in name:
        return 0, "nothing cached yet"
    if axis == 0 and rank >= 2:
        return 1, "first axis, as of a batch"
    if rank == 4 and port.elem_type in _PIXELS:
        return _guessed_of_image(port, axis)
    if port.elem_type in _FLOATS:
        return {1: 512, 2: 512, 3: 128}.get(rank, 16), ""
    if port.elem_type == TensorProto.STRING or rank == 1:
        return 1, ""
    return 64, "as of a sequence" if axis == 1 else ""


def _guessed_of_image(port: TensorPort, axis: int) -> tuple[int, str]:
    spatial = _spatial_axes(port)
    if axis not in spatial:
        return (3, "colour channels") if spatial else (16, "")
    if all(isinstance(port.dims[other], int) for other in spatial if other != axis):
        return 128, ""  # one side is fixed: a spectrogram rather than a picture
    return _IMAGE_SIDE, "side of an image"


def _spatial_axes(port: TensorPort) -> tuple[int, ...]:
    second, last = (port.dictated.get(axis, port.dims[axis]) for axis in (1, 3))
    if isinstance(second, int):
        return (2, 3) if second <= _MOST_CHANNELS else ()
    return (1, 2) if isinstance(last, int) and last <= _MOST_CHANNELS else (2, 3)
