"""What sessions report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "Event",
    "OptimisedResult",
    "OutputValue",
    "Port",
    "RuntimeInfo",
    "SessionInterface",
    "TimedSession",
    "TracedSession",
]

Int64 = npt.NDArray[np.int64]
OutputValue = Any  # an array, or a list or dict of arrays and scalars
Event = dict[str, Any]  # of ONNX Runtime's trace


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeInfo:
    """What an interpreter offers for running models."""

    version: str
    python: str
    platform: str
    device: str
    available_providers: tuple[str, ...]
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """An input or output as the runtime sees it: ``tensor(float)``; a size, a symbol or None."""

    name: str
    type: str
    shape: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInterface:
    """Inputs and outputs of a session, and what making it took."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    providers: tuple[str, ...]
    load_ns: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimedSession:
    """Times of one fresh, unprofiled session.

    Attributes
    ----------
    load_ns, first_run_ns
        Creating the session, and its first run.
    run_ns, cpu_ns
        Per steady run: wall time, and CPU time of all threads.
    peak_rss_bytes
        Peak resident memory of the child from loading to the last run.
    providers
        The providers the session has, in order.
    """

    load_ns: int
    first_run_ns: int
    run_ns: Int64
    cpu_ns: Int64
    peak_rss_bytes: int
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TracedSession:
    """Events of one profiled session, without its warm-up runs.

    Attributes
    ----------
    events
        ONNX Runtime's trace events, loading included.
    optimised_path
        The optimised model that ran, in a folder that lives as long as the `Runner`.
    load_ns, run_ns
        Creating the session; wall time per run, profiling included.
    providers
        The providers the session has, in order.
    """

    events: list[Event]
    optimised_path: Path | None
    load_ns: int
    run_ns: Int64
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimisedResult:
    """A model as ONNX Runtime optimises it.

    Attributes
    ----------
    path
        Where it was saved.
    load_ns
        Creating the session, optimisation included.
    acted
        The graph transformers that changed the graph, in order. Rewrite rules go unnamed: the
        runtime reports them only as a set.
    """

    path: Path
    load_ns: int
    acted: tuple[str, ...]
