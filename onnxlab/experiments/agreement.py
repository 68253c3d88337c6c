"""Do two models give the same outputs? Per output: SQNR, largest difference, cosine.

Numbers that are whole, and texts, have to be equal. A verdict is refused where the baseline does
not even agree with itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite, log10, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["NOT_DETERMINISTIC", "Agreement", "OutputAgreement", "agree"]

NOT_DETERMINISTIC = "not deterministic"

Array = npt.NDArray[Any]
Value = Any  # an array, a scalar, None, or a list or dict of these


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputAgreement:
    """How far one output is from the baseline's.

    Attributes
    ----------
    name
        The output; of a sequence or map its elements are taken together.
    equal
        Every element is the same, bit for bit; two NaNs are the same.
    sqnr_db
        Energy of the baseline over energy of the difference, in decibels; infinite for equal
        outputs, None where the output has no floating-point numbers.
    max_abs
        Largest absolute difference; None as above.
    cosine
        Cosine of the angle between both; None as above, and where one of them is zero.
    problem
        Why they cannot be compared, or what differs that must not; empty where neither.
    """

    name: str
    equal: bool
    sqnr_db: float | None = None
    max_abs: float | None = None
    cosine: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The outputs of a model against those of its baseline.

    Attributes
    ----------
    outputs
        One entry per output of the baseline, in its order.
    refused
        Why no verdict is given; empty where there is one.
    """

    outputs: tuple[OutputAgreement, ...] = ()
    refused: str = ""

    @property
    def equal(self) -> bool:
        """Every output is the same, bit for bit."""
        return not self.refused and all(output.equal for output in self.outputs)

    @property
    def problems(self) -> tuple[str, ...]:
        """What differs that must not."""
        return tuple(f"{o.name}: {o.problem}" for o in self.outputs if o.problem)

    @property
    def sqnr_db(self) -> float | None:
        """The lowest SQNR of the outputs."""
        return min((o.sqnr_db for o in self.outputs if o.sqnr_db is not None), default=None)

    @property
    def max_abs(self) -> float | None:
        """The largest difference in any output."""
        return max((o.max_abs for o in self.outputs if o.max_abs is not None), default=None)

    @property
    def cosine(self) -> float | None:
        """The lowest cosine of the outputs."""
        return min((o.cosine for o in self.outputs if o.cosine is not None), default=None)

    def __str__(self) -> str:
        if self.refused:
            return self.refused
        if self.problems:
            return "; ".join(self.problems)
        if self.equal:
            return "equal"
        return f"SQNR {self.sqnr_db:.3g} dB, largest difference {self.max_abs:.3g}"


def agree(
    baseline: Mapping[str, Value], again: Mapping[str, Value], arm: Mapping[str, Value]
) -> Agreement:
    """Compare outputs with a baseline's.

    Parameters
    ----------
    baseline, again
        Outputs of two runs of the baseline on the same inputs.
    arm
        Outputs of the model in question.
    """
    if not all(_compare(name, value, again.get(name)).equal for name, value in baseline.items()):
        return Agreement(
            refused=f"{NOT_DETERMINISTIC}: two runs on the same inputs differ with all passes off"
        )
    return Agreement(
        outputs=tuple(_compare(name, value, arm.get(name)) for name, value in baseline.items())
    )


def _compare(name: str, expected: Value, actual: Value) -> OutputAgreement:
    pairs = list(_leaves(expected, actual))
    problem = next((pair for pair in pairs if isinstance(pair, str)), "")
    arrays = [pair for pair in pairs if not isinstance(pair, str)]
    floats = [(a, b) for a, b in arrays if _is_inexact(a)]
    exact = [(a, b) for a, b in arrays if not _is_inexact(a)]
    differing = sum(int(np.count_nonzero(a != b)) for a, b in exact)
    if differing and not problem:
        problem = f"{differing} of {sum(a.size for a, _ in exact)} elements differ"
    if problem or not floats:
        return OutputAgreement(name=name, equal=not problem, problem=problem)
    return _compare_floats(
        name,
        np.concatenate([_flat(a) for a, _ in floats]),
        np.concatenate([_flat(b) for _, b in floats]),
    )


def _compare_floats(name: str, expected: Array, actual: Array) -> OutputAgreement:
    # NaN and infinities are values like others where both have them, a problem where one has.
    with np.errstate(invalid="ignore"):
        same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
        comparable = np.isfinite(expected) & np.isfinite(actual)
        strange = int(np.count_nonzero(~same & ~comparable))
    if strange:
        problem = f"{strange} of {expected.size} elements are NaN or infinite in one of both only"
        return OutputAgreement(name=name, equal=False, problem=problem)
    a, b = expected[comparable], actual[comparable]
    # Scaled so that squares of large and small numbers stay within range.
    scale = max(_largest(a), _largest(b)) or 1.0
    signal, noise = _energy(a / scale), _energy(a / scale - b / scale)
    norms = sqrt(signal * _energy(b / scale))
    return OutputAgreement(
        name=name,
        equal=bool(same.all()),
        sqnr_db=_decibels(signal, noise),
        max_abs=_largest(a - b),
        cosine=_cosine(float(np.vdot(b / scale, a / scale).real), norms),
    )


def _leaves(expected: Value, actual: Value) -> Iterator[tuple[Array, Array] | str]:
    """Yield the arrays of two values pairwise, or what keeps them from being paired."""
    pending = [(expected, actual)]
    while pending:
        a, b = pending.pop()
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            if list(a) != list(b):
                yield "the keys of a map differ"
            else:
                pending += reversed(list(zip(a.values(), b.values(), strict=True)))
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                yield f"{len(b)} elements of a sequence instead of {len(a)}"
            else:
                pending += reversed(list(zip(a, b, strict=True)))
        elif a is None or b is None:
            if a is not b:
                yield "one of both has no value"
        else:
            x, y = np.asarray(a), np.asarray(b)
            if x.shape != y.shape:
                yield f"shape {_shape(y)} instead of {_shape(x)}"
            elif x.dtype != y.dtype:
                yield f"type {y.dtype} instead of {x.dtype}"
            else:
                yield x, y


def _is_inexact(array: Array) -> bool:
    # bfloat16 and float8 come from ml_dtypes, whose kind is V
    return array.dtype.kind in "fc" or "float" in array.dtype.name


def _flat(array: Array) -> Array:
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    return array.ravel().astype(wide)


def _shape(array: Array) -> str:
    return "×".join(map(str, array.shape)) or "[]"


def _largest(array: Array) -> float:
    return float(np.abs(array).max(initial=0.0))


def _energy(array: Array) -> float:
    return float(np.vdot(array, array).real)


def _decibels(signal: float, noise: float) -> float:
    if noise == 0:
        return inf
    return 10 * log10(signal / noise) if signal else -inf


def _cosine(product: float, norms: float) -> float | None:
    return min(1.0, max(-1.0, product / norms)) if norms and isfinite(norms) else None
