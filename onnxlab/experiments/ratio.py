"""How much faster is one arm than another, from rounds of fresh sessions.

Two sessions of the same model differ by 0.6-2 % for as long as they live, so a session, not a run,
is the unit of comparison. Sessions are made in rounds, one per arm in random order; what slows the
machine down for a while then hits both arms of a round, and rounds are what is resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

__all__ = ["CONFIDENCE", "MIN_ROUNDS", "SAME_WITHIN", "Ratio", "Verdict", "judge", "ratio"]

CONFIDENCE = 0.95
SAME_WITHIN = 0.02
"""Two arms are the same when the whole interval lies within this distance of 1."""

MIN_ROUNDS = 6
"""With fewer rounds nothing is decided."""

_RESAMPLES = 2000
_MEDIANS_PER_SESSION = 200
_TRIM = 0.2

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


class Verdict(StrEnum):
    """What a ratio of times says about an arm."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Time of an arm over time of its baseline, with its 95 % interval.

    Attributes
    ----------
    value, low, high
        The ratio and the ends of the interval; below 1 is faster.
    rounds
        How many rounds of fresh sessions it rests on; 0 where both are one graph, which is
        the same by definition.
    """

    value: float
    low: float
    high: float
    rounds: int

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return self.high - self.low

    @property
    def verdict(self) -> Verdict:
        """What it says."""
        if 0 < self.rounds < MIN_ROUNDS:
            return Verdict.UNDECIDED
        return judge(self.low, self.high)

    def __str__(self) -> str:
        return f"{self.value:.3g}× ({self.low:.3g}-{self.high:.3g}), {self.verdict}"


def judge(low: float, high: float) -> Verdict:
    """Return the verdict for an interval of a ratio of times."""
    if low >= 1 - SAME_WITHIN and high <= 1 + SAME_WITHIN:
        return Verdict.SAME
    if high < 1:
        return Verdict.FASTER
    if low > 1:
        return Verdict.SLOWER
    return Verdict.UNDECIDED


def ratio(baseline: Sequence[Int64], arm: Sequence[Int64], *, seed: int) -> Ratio:
    """Return the ratio of an arm's time to its baseline's.

    Parameters
    ----------
    baseline, arm
        Run times of each session; sessions of one position belong to one round.
    seed
        Seed of the resampling, which first draws rounds, then runs within their sessions.

    Notes
    -----
    A session stands for its median run, the arms for the trimmed mean of the rounds' log ratios.
    The interval is the bootstrap's percentile interval, expanded for few rounds as by Hesterberg,
    "What Teachers Should Know About the Bootstrap" (2015), section 4.2.
    """
    rounds = len(baseline)
    if rounds != len(arm):
        raise ValueError(f"{rounds} sessions of the baseline and {len(arm)} of the arm")
    if rounds < 2:
        raise ValueError("a ratio needs two rounds or more")
    generator = np.random.default_rng(seed)
    below = _resampled_log_medians(baseline, generator)
    above = _resampled_log_medians(arm, generator)
    chosen = generator.integers(0, rounds, (_RESAMPLES, rounds))
    run_draws = generator.integers(0, _MEDIANS_PER_SESSION, (2, _RESAMPLES, rounds))
    resampled = _trimmed_mean(above[chosen, run_draws[0]] - below[chosen, run_draws[1]])
    low, high = np.quantile(resampled, _tails(rounds))
    observed = [log(np.median(a)) - log(np.median(b)) for a, b in zip(arm, baseline, strict=True)]
    value = float(_trimmed_mean(np.array([observed]))[0])
    return Ratio(
        value=exp(value),
        low=exp(min(float(low), value)),
        high=exp(max(float(high), value)),
        rounds=rounds,
    )


def _resampled_log_medians(sessions: Sequence[Int64], generator: np.random.Generator) -> Float64:
    """Return, per session, logarithms of the medians of resampled runs."""
    medians = []
    for runs in sessions:
        picks = generator.integers(0, len(runs), (_MEDIANS_PER_SESSION, len(runs)))
        medians.append(np.log(np.median(runs[picks], axis=1)))
    return np.stack(medians)


def _trimmed_mean(rows: Float64) -> Float64:
    """Return the mean of each row without its ends: one disturbed session must not decide."""
    cut = int(rows.shape[1] * _TRIM)
    ordered = np.sort(rows, axis=1)[:, cut : rows.shape[1] - cut]
    mean: Float64 = ordered.mean(axis=1)
    return mean


def _tails(rounds: int) -> tuple[float, float]:
    """Return the quantiles between which the expanded interval lies."""
    freedom = rounds - 1
    reach = sqrt(rounds / freedom) * _student_t(freedom)
    tail = NormalDist().cdf(-reach)
    return tail, 1 - tail


def _student_t(freedom: int) -> float:
    """Return the two-sided Student quantile by its expansion (Abramowitz & Stegun 26.7.5)."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))
