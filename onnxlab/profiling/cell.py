"""What one provider did with the model, exactly as it was counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from onnxlab.mapping.origin import Fate
from onnxlab.profiling.attribute import KernelRecord
from onnxlab.profiling.options import Level

__all__ = ["Cell", "SessionTimes"]

Int64 = npt.NDArray[np.int64]


def _no_times() -> Int64:
    return np.zeros((0, 0), np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionTimes:
    """One fresh, unprofiled session on the untouched file.

    Attributes
    ----------
    load_ns
        Making the session.
    first_run_ns
        Its first run, before any warm-up.
    run_ns, cpu_ns
        Wall and CPU time of each steady run.
    peak_rss_bytes
        Most resident memory its process has held so far.
    """

    load_ns: int
    first_run_ns: int
    run_ns: Int64
    cpu_ns: Int64
    peak_rss_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """One requested provider: its wall time, its kernels, or why there are none.

    Attributes
    ----------
    label
        The provider as it was asked for, such as ``cpu``.
    provider
        The runtime's name for it, such as ``CPUExecutionProvider``; empty where unknown.
    level
        The optimisation level that the sessions really had.
    error
        One line on what failed; empty where nothing did. What was measured before stands.
    notes
        Sentences on what is odd about this measurement.
    sessions
        Unprofiled sessions in order, the first a warm-up that no result uses.
    kernels
        What ran in the profiled session, in the order of its optimised graph.
    self_us
        Integer microseconds of each kernel without those it calls, shape (runs, kernels).
    fates
        One per node row of the original table; empty where nothing was attributed.
    """

    label: str
    provider: str = ""
    level: Level = "all"
    error: str = ""
    notes: tuple[str, ...] = ()
    sessions: tuple[SessionTimes, ...] = ()
    kernels: tuple[KernelRecord, ...] = ()
    self_us: Int64 = field(default_factory=_no_times)
    fates: tuple[Fate, ...] = ()

    @property
    def steady_sessions(self) -> tuple[SessionTimes, ...]:
        """The sessions that results use."""
        return self.sessions[1:]

    @property
    def is_attributed(self) -> bool:
        """Whether kernels were seen and traced back to the model's nodes."""
        return len(self.self_us) > 0

    @property
    def ran_on(self) -> tuple[str, ...]:
        """The runtime's names of the providers on which kernels ran, most kernels first."""
        counts = Counter(kernel.provider for kernel in self.kernels)
        return tuple(name for name, _ in counts.most_common())
