"""What profiling costs beside the sessions and runs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onnxlab.mapping.instrument import instrument
from onnxlab.mapping.provenance import provenance
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.profiling.attribute import attribute
from onnxlab.profiling.measure import measure
from onnxlab.profiling.options import MeasureOptions
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.trace import parse
from onnxlab.runtime.inputs import make_feeds
from onnxlab.runtime.session import Runner, SessionSpec, TracedSession
from onnxlab.testing import mlp

LAYERS = 600  # as many nodes as a BERT-base has

Benchmark = Any


@pytest.fixture(scope="module")
def model() -> Model:
    return load(mlp(LAYERS))


@pytest.fixture(scope="module")
def traced(model: Model) -> Iterator[TracedSession]:
    with Runner() as runner:
        yield runner.trace(
            instrument(model).runnable, SessionSpec(), make_feeds(model).values, runs=50, warmup=5
        )


@pytest.fixture(scope="module")
def profile(model: Model) -> Profile:
    return measure(model, MeasureOptions(runs=20, sessions=2))


def test_instrument(benchmark: Benchmark, model: Model) -> None:
    benchmark(instrument, model)


def test_trace_back(benchmark: Benchmark, model: Model, traced: TracedSession) -> None:
    assert traced.optimised_path is not None
    optimised = load(traced.optimised_path)

    def trace_back() -> None:
        attribute(model, optimised, parse(traced.events), provenance(model, optimised))

    benchmark.pedantic(trace_back, rounds=3)


def test_profile_of_a_small_model_with_its_sessions(benchmark: Benchmark) -> None:
    model = load(mlp(2))
    benchmark.pedantic(lambda: measure(model, MeasureOptions()), rounds=3)


@pytest.mark.parametrize("table", ["nodes", "kernels", "regions", "runs", "summary", "findings"])
def test_table(benchmark: Benchmark, profile: Profile, table: str) -> None:
    benchmark(getattr, profile, table)


def test_save_and_load(benchmark: Benchmark, profile: Profile, tmp_path: Path) -> None:
    benchmark(lambda: Profile.load(profile.save(tmp_path / "m.onnxprof")))
