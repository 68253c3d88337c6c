"""A profiled session whose trace stays below the profiler's cap on events."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .events import read_events
from .feeds import run_function
from .sessions import Model, Spec, new_session, options_for
from .timing import timed_run

__all__ = ["MAX_EVENTS", "trace_session"]

# The profiler drops the newest events beyond 1,000,000; a reader is in trouble long before.
MAX_EVENTS = 100_000
# No event costs less than this, so a shorter session cannot hold more than MAX_EVENTS.
_MIN_EVENT_NS = 1_000


def trace_session(
    model: Model,
    spec: Spec,
    feeds: dict[str, Any],
    *,
    runs: int,
    warmup: int,
    optimised_path: str | None,
    folder: Path,
    progress: Callable[[str, int, int], None],
) -> dict[str, Any]:
    """Run a profiled session of ``warmup + runs`` runs, or of as many as the cap allows.

    The trace is left in a JSON file of events; the warm-up runs are its first ones.
    """
    options = _options(model, spec, folder, optimised_path)
    try:
        session, load_ns = new_session(model, spec, options)
    except Exception as error:
        if optimised_path is None or "compiled nodes" not in str(error):
            raise
        # A provider that compiles keeps what it made to itself: trace without that.
        optimised_path = None
        options = _options(model, spec, folder, optimised_path)
        session, load_ns = new_session(model, spec, options)
    run = run_function(session, feeds)
    total = warmup + runs
    run_ns = [timed_run(run)]
    if run_ns[0] * total > MAX_EVENTS * _MIN_EVENT_NS:
        # Long enough that there may be too many events: count those of one run.
        allowed = _allowed_runs(session, total)
        session, load_ns = new_session(model, spec, options)
        run = run_function(session, feeds)
        run_ns = [timed_run(run)]
        warmup = min(warmup, allowed - 1)
        total = min(total, allowed)
    for done in range(1, total):
        run_ns.append(timed_run(run))
        progress("profiling runs", done + 1, total)
    events_path = folder / "events.json"
    shutil.move(session.end_profiling(), events_path)
    return {
        "events_path": str(events_path),
        "optimised_path": optimised_path,
        "load_ns": load_ns,
        "run_ns": run_ns,
        "warmup": warmup,
        "providers": session.get_providers(),
    }


def _options(model: Model, spec: Spec, folder: Path, optimised_path: str | None) -> Any:
    options = options_for(model, spec)
    options.enable_profiling = True
    options.profile_file_prefix = str(folder / "trace")
    if optimised_path is not None:
        options.optimized_model_filepath = optimised_path
    return options


def _allowed_runs(session: Any, wanted: int) -> int:
    path = Path(session.end_profiling())
    events_per_run = max(len(read_events(path)), 1)
    path.unlink()
    return max(min(wanted, MAX_EVENTS // events_per_run), 1)
