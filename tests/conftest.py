"""What tests of several parts share."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxlab.model.load import load
from onnxlab.profiling.profile import Profile
from onnxlab.progress import silent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).parents[1]


@pytest.fixture(scope="session")
def example_models(root: Path) -> Path:
    return root / "examples/models"


@pytest.fixture(scope="session")
def measured(example_models: Path) -> Profile:
    """A profile of a real model, small and quickly made."""
    from onnxlab.verbs.profile import profile

    model = load(example_models / "rapidocr_cls.onnx")
    return profile(model, runs=5, sessions=2, warmup=1, budget=1.0, progress=silent)
