"""The timed loop, and the peak of memory around it."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["peak_rss_bytes", "reset_peak_rss", "timed_run", "timed_runs"]

Run = Callable[[], Any]

_MIN_RUNS = 3  # also when the budget is spent
_REPORT_INTERVAL_NS = 250_000_000


def timed_run(run: Run) -> int:
    """Run once and return the nanoseconds."""
    start_ns = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - start_ns


def timed_runs(
    run: Run,
    *,
    runs: int,
    budget_s: float | None,
    progress: Callable[[str, int, int], None],
) -> tuple[list[int], list[int]]:
    """Run up to ``runs`` times and return wall and CPU nanoseconds of each run.

    CPU time is that of all threads of the process. Past the budget the loop stops early.
    """
    wall_ns: list[int] = []
    cpu_ns: list[int] = []
    end_ns = None if budget_s is None else time.perf_counter_ns() + int(budget_s * 1e9)
    report_ns = time.perf_counter_ns() + _REPORT_INTERVAL_NS
    for done in range(runs):
        cpu_start_ns = time.process_time_ns()
        start_ns = time.perf_counter_ns()
        run()
        now_ns = time.perf_counter_ns()
        cpu_ns.append(time.process_time_ns() - cpu_start_ns)
        wall_ns.append(now_ns - start_ns)
        if end_ns is not None and now_ns >= end_ns and done + 1 >= _MIN_RUNS:
            break
        if now_ns >= report_ns:
            report_ns = now_ns + _REPORT_INTERVAL_NS
            progress("timing runs", done + 1, runs)
    return wall_ns, cpu_ns


def reset_peak_rss() -> None:
    """Start a new peak of resident memory, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_rss_bytes() -> int:
    """Peak of resident memory since `reset_peak_rss`, or since the process began."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit_bytes = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit_bytes
