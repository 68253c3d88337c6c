"""Measuring a model on each provider in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from onnxlab.model.describe import model_entries
from onnxlab.model.model import Model
from onnxlab.profiling.machine import disturbance_notes, read_disturbance, read_machine
from onnxlab.profiling.measure_cell import CellMeasurement, Job
from onnxlab.profiling.options import MeasureOptions
from onnxlab.profiling.profile import InputFacts, ModelFacts, Profile
from onnxlab.progress import Progress, silent
from onnxlab.runtime.catalog import choose
from onnxlab.runtime.inputs import Feeds, make_feeds
from onnxlab.runtime.session import Runnable, Runner
from onnxlab.sandbox.limits import Limits

__all__ = ["measure"]

_STEPS = 100  # of each provider


def measure(
    model: Model,
    options: MeasureOptions,
    *,
    inputs: Mapping[str, np.ndarray] | Path | None = None,
    progress: Progress = silent,
) -> Profile:
    """Measure a model on each requested provider.

    Parameters
    ----------
    model
        The opened model.
    options
        How to measure.
    inputs
        Arrays by input name, or an ``.npz`` file of them; the others are generated.
    progress
        Told of each step.

    Raises
    ------
    ValueError
        A provider's name is unknown, or an input is not the model's.
    OnnxlabError
        The model's file changed, or its inputs cannot be made.
    """
    for name in options.providers:
        choose(name)  # a mistyped name is refused before any work
    model.check_unchanged()
    feeds = make_feeds(model, dims=options.dims, inputs=inputs, seed=options.seed)
    limits = Limits(time_s=options.time_limit, memory_bytes=options.memory_limit)
    with Runner(limits=limits) as runner:
        info = runner.probe()
        machine = read_machine(python=info.python, onnxruntime=info.version)
        cells = []
        for position, label in enumerate(options.providers):
            job = Job(
                model=model,
                runnable=_untouched(model),
                options=options,
                feeds=feeds.values,
                runner=runner,
                report=_reporter(label, position, len(options.providers), progress),
            )
            before = read_disturbance()
            cell = CellMeasurement(label, job).run()
            notes = disturbance_notes(before, read_disturbance(), machine=machine)
            cells.append(replace(cell, notes=(*cell.notes, *notes)))
    return Profile(
        model=_model_facts(model),
        machine=machine,
        options=options,
        inputs=_input_facts(feeds),
        cells=tuple(cells),
        lint=tuple(model.lint()),
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _reporter(
    label: str, position: int, providers: int, progress: Progress
) -> Callable[[str, float], None]:
    """Return a function that reports what one provider does and how much of it is done."""

    def report(message: str, done: float) -> None:
        steps = position * _STEPS + int(done * _STEPS)
        progress(f"{label}: {message}", steps, providers * _STEPS)

    return report


def _untouched(model: Model) -> Runnable:
    if model.path is not None:
        return Runnable(path=model.path)
    return Runnable(data=model.data, folder=model.folder, name=model.name)


def _input_facts(feeds: Feeds) -> InputFacts:
    return InputFacts(
        values=tuple((name, _describe(value)) for name, value in feeds.values.items()),
        dims=dict(feeds.dims),
        guessed=tuple(feeds.notes),
    )


def _describe(value: object) -> str:
    if isinstance(value, np.ndarray):
        shape = "×".join(map(str, value.shape)) or "[]"
        return f"{value.dtype} {shape}"
    return type(value).__name__


def _model_facts(model: Model) -> ModelFacts:
    return ModelFacts(
        name=model.name,
        path=str(model.path or ""),
        summary=model.summary,
        entries=tuple(model_entries(model)),
        table=model.table,
        addresses=tuple(model.addresses.nodes()),
        scopes=tuple(model.nodes["scope"]),
    )
