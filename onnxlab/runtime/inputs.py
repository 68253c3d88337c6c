"""Inputs to run a model with: generated ones that fit it, or the user's own."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import prod
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from onnxlab.errors import ModelError
from onnxlab.model.model import Model
from onnxlab.runtime.fill import dtype_of, fill
from onnxlab.runtime.ports import FeedPort, feed_ports
from onnxlab.runtime.roles import Role, axis_sizes, integer_role, scales, weight_rank
from onnxlab.runtime.sizes import Sizes, TensorPort
from onnxlab.runtime.uses import Uses
from onnxlab.sandbox.limits import available_bytes

__all__ = ["FeedValue", "Feeds", "make_feeds"]

Array = npt.NDArray[Any]
FeedValue = Any  # an array, a list of arrays (sequence) or a dict (map)

_INTEGERS = frozenset(
    {
        *(TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64),
        *(TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64),
    }
)
_MAX_MEMORY_SHARE = 0.25  # it is held here, written to a file, and read by the child
_SEQUENCE_ITEMS = 2


@dataclass(frozen=True, slots=True)
class Feeds:
    """What a session is fed.

    Attributes
    ----------
    values
        By input name: an array, a list of arrays (sequence) or a dict (map).
    dims
        The size of every symbolic axis; ``name:axis`` for one without a symbol.
    notes
        What was guessed, and why.
    """

    values: dict[str, FeedValue]
    dims: dict[str, int]
    notes: tuple[str, ...]


def make_feeds(
    model: Model,
    *,
    dims: Mapping[str, int] | None = None,
    inputs: Mapping[str, Any] | str | Path | None = None,
    seed: int = 0,
) -> Feeds:
    """Make inputs that a model can run with.

    Integers stay within what the model does with them (rows of the table they index, the constant
    they are compared with); sizes come from ``dims``, from given arrays, from the weights that an
    input meets, and are guessed last.

    Parameters
    ----------
    model
        The model.
    dims
        Sizes by symbol (``{"batch": 1}``), or by ``name:axis`` where an axis has no symbol.
    inputs
        Arrays by input name, or a ``.npz`` file of them; inputs left out are generated.
    seed
        Of the random numbers.

    Raises
    ------
    ValueError
        ``dims`` or ``inputs`` do not fit the model; the message says how.
    """
    ports = {port.name: port for port in feed_ports(model)}
    uses = Uses(model)
    tensors = {name: _tensor_port(port, uses) for name, port in ports.items()}
    sizes = Sizes()
    sizes.ask(dims or {}, list(tensors.values()))
    values = {
        name: _checked(ports, tensors, sizes, name, value) for name, value in _given(inputs).items()
    }
    open_ports = [tensor for name, tensor in tensors.items() if name not in values]
    sizes.settle(open_ports)
    maker = _Maker(uses, sizes, seed)
    generated = {tensor.name: maker.value(ports[tensor.name], tensor) for tensor in open_ports}
    ordered = {name: values.get(name, generated.get(name)) for name in ports}
    return Feeds(ordered, dict(sizes.bound), tuple(sizes.notes))


def _tensor_port(port: FeedPort, uses: Uses) -> TensorPort:
    row = uses.main_inputs[port.name]
    dims = port.tensor.dims
    if dims is None:
        rank = weight_rank(uses, row)
        dims = (None,) * (1 if rank is None else rank)
    return TensorPort(port.name, port.tensor.elem_type, dims, axis_sizes(uses, row))


def _given(inputs: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        return dict(inputs)
    path = Path(inputs)
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if not isinstance(loaded, np.lib.npyio.NpzFile):
                raise ValueError("it holds one array without a name; save it with np.savez")
            return {name: loaded[name] for name in loaded.files}
    except FileNotFoundError as error:
        raise ValueError(f"inputs: there is no file {path}") from error
    except (OSError, EOFError, ValueError, BadZipFile, zlib.error) as error:
        raise ValueError(f"inputs: cannot use {path}: {error}") from error


def _checked(
    ports: Mapping[str, FeedPort],
    tensors: Mapping[str, TensorPort],
    sizes: Sizes,
    name: str,
    value: Any,
) -> FeedValue:
    """Return a given value after checking that it fits the input of that name."""
    if name not in ports:
        near = get_close_matches(name, ports, n=1)
        advice = f"did you mean '{near[0]}'?" if near else f"it has {', '.join(ports)}"
        raise ValueError(f"inputs: the model has no input '{name}'; {advice}")
    port = ports[name]
    if port.wrappers:
        return value
    array = _typed(name, value, dtype_of(port.tensor.elem_type))
    if port.tensor.dims is not None:
        sizes.learn(tensors[name], array.shape)
    return array


def _typed(name: str, value: Any, expected: np.dtype[Any]) -> Array:
    try:
        array = np.asarray(value)
        if array.dtype == expected:
            return array
        # A python number or list has no type of its own, and text has many.
        is_text = expected.kind == "O" and array.dtype.kind in "US"
        if is_text or not isinstance(value, np.ndarray | np.generic):
            return array.astype(expected)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"input '{name}' takes {expected}: {error}") from error
    raise ValueError(f"input '{name}' takes {expected}, the array given is {array.dtype}")


class _Maker:
    """Generates the values of inputs whose sizes are settled."""

    def __init__(self, uses: Uses, sizes: Sizes, seed: int) -> None:
        self._uses = uses
        self._sizes = sizes
        self._seed = seed

    def value(self, port: FeedPort, tensor: TensorPort) -> FeedValue:
        """Generate the value of one input."""
        shape = self._sizes.shape(tensor)
        size_bytes = prod(shape) * dtype_of(tensor.elem_type).itemsize
        if size_bytes > available_bytes() * _MAX_MEMORY_SHARE:
            is_fixed = all(isinstance(dim, int) for dim in tensor.dims)
            remedy = "its sizes are fixed in the model" if is_fixed else "set smaller dims"
            raise ModelError(
                f"input '{port.name}' would take {size_bytes / 1e9:.3g} GB, "
                f"more than {_MAX_MEMORY_SHARE:.0%} of the memory left; {remedy}"
            )
        array = self._array(port, tensor, shape)
        if port.wrappers == ():
            return array
        return _wrapped(array, port)

    def _array(self, port: FeedPort, tensor: TensorPort, shape: tuple[int, ...]) -> Array:
        ones, role = "mask" in port.name.lower(), None
        if ones:
            self._sizes.notes.append(f"{port.name}: ones (a mask, by its name)")
        elif scales(self._uses, self._uses.main_inputs[port.name]):
            ones = True
            self._sizes.notes.append(f"{port.name}: ones (it scales a size)")
        elif tensor.elem_type in _INTEGERS:
            role = self._role(port, prod(shape) == 1)
        seed = [self._seed, zlib.crc32(port.name.encode("utf-8", "replace"))]
        return fill(tensor.elem_type, shape, role=role, ones=ones, seed=seed)

    def _role(self, port: FeedPort, single: bool) -> Role:
        role = integer_role(self._uses, self._uses.main_inputs[port.name], single=single)
        role = role.of_length(self._longest())
        if role.low == role.high - 1:
            self._sizes.notes.append(f"{port.name} = {role.low} ({role.why})")
        elif port.tensor.elem_type not in (TensorProto.UINT8, TensorProto.INT8) or role.evident:
            self._sizes.notes.append(
                f"{port.name}: integers {role.low} to {role.high - 1} ({role.why})"
            )
        return role

    def _longest(self) -> int:
        """Length of the sequences fed: the largest size that was left open."""
        return max(self._sizes.bound.values(), default=1)


def _wrapped(array: Array, port: FeedPort) -> FeedValue:
    value: FeedValue = array
    for wrapper in reversed(port.wrappers):
        if wrapper == "sequence":
            value = [value] * _SEQUENCE_ITEMS
        else:
            key = "a" if port.key_type == TensorProto.STRING else 0
            scalar = value.reshape(-1)[0] if isinstance(value, np.ndarray) and value.size else value
            value = {key: scalar.item() if isinstance(scalar, np.generic) else scalar}
    return value
