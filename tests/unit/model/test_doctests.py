"""The examples in docstrings run."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = ["onnxlab.analysis.finding", "onnxlab.model.load", "onnxlab.model.text"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
