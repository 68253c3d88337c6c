"""The tasks of the child that runs models."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime as ort

from .exchange import write_values
from .feeds import read_feeds, run_function, run_once
from .logs import acting_transformers, with_captured_stderr
from .profiler import trace_session
from .sessions import Model, Spec, new_session, options_for
from .timing import peak_rss_bytes, reset_peak_rss, timed_run, timed_runs
from .trial import try_provider

__all__ = ["TASKS"]

_VERBOSE_ENOUGH = 1  # log severity at which ORT names its transformers
Report = Callable[[str, int, int], None]


def probe() -> dict[str, Any]:
    """Tell what this interpreter offers."""
    levels = ort.GraphOptimizationLevel.__members__
    return {
        "version": ort.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": ort.get_device(),
        "available_providers": ort.get_available_providers(),
        "levels": list(levels),
    }


def describe(model: Model, spec: Spec) -> dict[str, Any]:
    """Tell inputs and outputs as a session sees them."""
    session, load_ns = new_session(model, spec, options_for(model, spec))
    return {
        "inputs": [_port(port) for port in session.get_inputs()],
        "outputs": [_port(port) for port in session.get_outputs()],
        "providers": session.get_providers(),
        "load_ns": load_ns,
    }


def _port(port: Any) -> dict[str, Any]:
    return {"name": port.name, "type": port.type, "shape": list(port.shape or ())}


def time_session(
    model: Model,
    spec: Spec,
    feeds: str,
    runs: int,
    warmup: int,
    budget_s: float | None,
    progress: Report,
) -> dict[str, Any]:
    """Time loading, the first run, and steady runs of a fresh session, unprofiled."""
    values = read_feeds(feeds)
    reset_peak_rss()
    session, load_ns = new_session(model, spec, options_for(model, spec))
    run = run_function(session, values)
    first_run_ns = timed_run(run)
    for done in range(1, warmup):
        timed_run(run)
        progress("warming up", done + 1, warmup)
    wall_ns, cpu_ns = timed_runs(run, runs=runs, budget_s=budget_s, progress=progress)
    return {
        "load_ns": load_ns,
        "first_run_ns": first_run_ns,
        "run_ns": wall_ns,
        "cpu_ns": cpu_ns,
        "peak_rss_bytes": peak_rss_bytes(),
        "providers": session.get_providers(),
    }


def trace(
    model: Model,
    spec: Spec,
    feeds: str,
    runs: int,
    warmup: int,
    optimised_path: str | None,
    folder: str,
    progress: Report,
) -> dict[str, Any]:
    """Run a profiled session and leave its events in a file."""
    return trace_session(
        model,
        spec,
        read_feeds(feeds),
        runs=runs,
        warmup=warmup,
        optimised_path=optimised_path,
        folder=Path(folder),
        progress=progress,
    )


def outputs(model: Model, spec: Spec, feeds: str, folder: str) -> None:
    """Run once and leave the outputs in a folder."""
    session, _ = new_session(model, spec, options_for(model, spec))
    write_values(Path(folder), run_once(session, read_feeds(feeds)))


def optimise(model: Model, spec: Spec, save_to: str) -> dict[str, Any]:
    """Save the model as ORT optimises it and tell which transformers acted."""
    options = options_for(model, spec)
    options.optimized_model_filepath = save_to
    options.log_severity_level = _VERBOSE_ENOUGH
    (_, load_ns), log = with_captured_stderr(lambda: new_session(model, spec, options))
    return {"load_ns": load_ns, "acted": acting_transformers(log)}


TASKS = {
    "probe": probe,
    "describe": describe,
    "time": time_session,
    "trace": trace,
    "outputs": outputs,
    "optimise": optimise,
    "try_provider": try_provider,
}
