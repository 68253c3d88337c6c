"""The statistics of a profile: node times from one profiled session, wall time from several.

Inside a session noise is preemption: it only ever adds, so the slow runs say nothing about the
model. Node times are therefore the 10th percentile over the runs, which gives steadier shares
than a median or a mean. Sessions differ from each other by more than their runs do, so wall time
is the median of the sessions' medians, and its interval comes from resampling the sessions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

__all__ = ["CONFIDENCE", "QUANTILE", "Estimates", "Interval", "low_estimates", "session_interval"]

CONFIDENCE = 0.95
QUANTILE = 0.1
_RESAMPLES = 2000
_MEDIANS_PER_SESSION = 200

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number with the ends of its 95 % confidence interval, all in the same unit."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """Many numbers, each with the ends of its 95 % confidence interval.

    Attributes
    ----------
    value, low, high
        One element per item, in the unit of the samples.
    """

    value: Float64
    low: Float64
    high: Float64


def low_estimates(samples: Int64, /) -> Estimates:
    """Return the 10th percentile of each column with an interval from order statistics.

    Parameters
    ----------
    samples
        Shape (runs, items); at least one run.

    Notes
    -----
    The number of runs below the true quantile is binomial, whatever the distribution, so two
    order statistics enclose it. With few runs the lower one is the smallest run, and the
    interval is then wider than asked for at the top only.
    """
    runs = samples.shape[0]
    if runs == 0:
        raise ValueError("no runs to estimate from")
    ordered = np.sort(samples, axis=0).astype(np.float64)
    low, high = _order_ranks(runs)
    value: Float64 = np.quantile(ordered, QUANTILE, axis=0)
    return Estimates(value=value, low=ordered[low], high=ordered[high])


def session_interval(sessions: Sequence[Int64], /, *, seed: int) -> Interval:
    """Return the median of the sessions' medians with a bootstrap interval over sessions.

    Parameters
    ----------
    sessions
        The run times of each session, none of them empty.
    seed
        Seed of the resampling, which first draws sessions, then runs within them.
    """
    if not sessions or any(len(runs) == 0 for runs in sessions):
        raise ValueError("every session needs a run")
    generator = np.random.default_rng(seed)
    medians = np.stack([_resampled_medians(runs, generator) for runs in sessions])
    count = len(sessions)
    chosen = generator.integers(0, count, (_RESAMPLES, count))
    drawn = generator.integers(0, _MEDIANS_PER_SESSION, (_RESAMPLES, count))
    resampled = np.median(medians[chosen, drawn], axis=1)
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    value = float(np.median([np.median(runs) for runs in sessions]))
    return Interval(value=value, low=min(float(low), value), high=max(float(high), value))


def _resampled_medians(runs: Int64, generator: np.random.Generator) -> Float64:
    picks = generator.integers(0, len(runs), (_MEDIANS_PER_SESSION, len(runs)))
    medians: Float64 = np.median(runs[picks], axis=1)
    return medians


def _order_ranks(runs: int) -> tuple[int, int]:
    """Return the ranks (from 0) of the order statistics that enclose the quantile."""
    tail = (1 - CONFIDENCE) / 2
    below = np.cumsum(
        [comb(runs, k) * QUANTILE**k * (1 - QUANTILE) ** (runs - k) for k in range(runs + 1)]
    )
    low = int(np.searchsorted(below, tail))
    high = int(np.searchsorted(below, 1 - tail))
    position = QUANTILE * (runs - 1)
    return min(max(low - 1, 0), int(position)), min(max(high, int(np.ceil(position))), runs - 1)
