"""What a measurement is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from onnxlab.runtime.spec import MAX_THREADS, Level

__all__ = ["Level", "MeasureOptions"]

_LEAST = {"runs": 1, "warmup": 0, "sessions": 2, "threads": 0, "seed": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """How to measure a model.

    Attributes
    ----------
    providers
        Execution providers to measure, each in turn: cpu, cuda, ...
    dims
        Sizes for symbolic dimensions, such as batch=1.
    runs
        Timed runs in each session; as many as the budget allows where not given.
    warmup
        Runs before the timed ones in each session; 5 where not given, fewer for a slow model.
    sessions
        Fresh sessions for wall time, of which the first is dropped; 4 to 7 by the budget where
        not given.
    threads
        Threads inside an operator; 1 gives the steadiest attribution, 0 lets the runtime choose.
    level
        Optimisation level of the runtime.
    budget
        Seconds to spend on measuring each provider, about; 5 where not given.
    seed
        Seed of the generated inputs and of the bootstrap.
    time_limit
        Seconds one step may take before its process is killed; 600 where not given.
    memory_limit
        Most bytes the measuring process may use; 80 % of what is available where not given.
    """

    providers: tuple[str, ...] = ("cpu",)
    dims: Mapping[str, int] = field(default_factory=dict)
    runs: int | None = None
    warmup: int | None = None
    sessions: int | None = None
    threads: int = 1
    level: Level = "all"
    budget: float = 5.0
    seed: int = 0
    time_limit: float = 600.0
    memory_limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be measured, before any work starts."""
        if not self.providers:
            raise ValueError("providers is empty: name at least one, such as 'cpu'")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}: it must be {least} or more")
        if self.threads > MAX_THREADS:
            raise ValueError(f"threads is {self.threads}: it must be {MAX_THREADS} or less")
        if self.level not in get_args(Level):
            raise ValueError(f"level is {self.level!r}: it is one of {', '.join(get_args(Level))}")
        for name in ("budget", "time_limit"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0 seconds")
