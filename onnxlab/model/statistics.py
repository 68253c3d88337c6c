"""Statistics of a stored tensor, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Statistics", "statistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Statistics of numbers; minimum to deviation are those of the finite ones.

    Attributes
    ----------
    count
        How many numbers there are.
    minimum, maximum, mean, std
        NaN where no number is finite. ``std`` is that of the population.
    nan_count, inf_count, zero_count, denormal_count
        How many are not a number, infinite, zero, or too small to be represented in full.
    """

    count: int
    minimum: float
    maximum: float
    mean: float
    std: float
    nan_count: int
    inf_count: int
    zero_count: int
    denormal_count: int


def statistics(chunks: Iterable[npt.NDArray[Any]]) -> Statistics:
    """Return the statistics of the real numbers in all chunks.

    Means and deviations are merged by the formulas of Chan, Golub and LeVeque (1979).
    """
    count = nan_count = inf_count = zero_count = denormal_count = finite_count = 0
    minimum, maximum, mean, squares = math.inf, -math.inf, 0.0, 0.0
    for chunk in chunks:
        count += chunk.size
        smallest = _smallest_normal(chunk.dtype)
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN like any other
            numbers = chunk.astype(np.float64)
        nan_count += int(np.count_nonzero(np.isnan(numbers)))
        inf_count += int(np.count_nonzero(np.isinf(numbers)))
        zero_count += int(np.count_nonzero(numbers == 0))
        finite = numbers[np.isfinite(numbers)]
        if not finite.size:
            continue
        size = np.abs(finite)
        denormal_count += int(np.count_nonzero((size > 0) & (size < smallest)))
        minimum, maximum = min(minimum, float(finite.min())), max(maximum, float(finite.max()))
        with np.errstate(over="ignore", invalid="ignore"):
            own_mean = float(finite.mean())
            own_squares = float(np.square(finite - own_mean).sum())
        merged = finite_count + finite.size
        delta = own_mean - mean
        squares += own_squares + delta * delta * finite_count * finite.size / merged
        mean += delta * finite.size / merged
        finite_count = merged
    known = finite_count > 0
    return Statistics(
        count=count,
        minimum=minimum if known else math.nan,
        maximum=maximum if known else math.nan,
        mean=mean if known else math.nan,
        std=math.sqrt(squares / finite_count) if known else math.nan,
        nan_count=nan_count,
        inf_count=inf_count,
        zero_count=zero_count,
        denormal_count=denormal_count,
    )


def _smallest_normal(dtype: np.dtype[Any]) -> float:
    """Return the smallest number of full precision, 0 for types without any other."""
    if dtype.kind in "iub":
        return 0.0
    try:
        import ml_dtypes

        return float(ml_dtypes.finfo(dtype).smallest_normal)  # type: ignore[no-untyped-call]
    except (ValueError, KeyError, TypeError):
        return 0.0  # integers of less than a byte
