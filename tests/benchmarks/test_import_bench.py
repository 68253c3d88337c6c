"""How long the start takes, each time in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

LOAD_EXT = (
    "from IPython.core.interactiveshell import InteractiveShell\n"
    "from time import perf_counter_ns\n"
    "shell = InteractiveShell.instance()\n"
    "start_ns = perf_counter_ns()\n"
    "shell.run_line_magic('load_ext', 'onnxlab')\n"
    "print(perf_counter_ns() - start_ns)"
)


@pytest.mark.parametrize("code", ["pass", "import onnxlab"])
def test_import(benchmark: BenchmarkFixture, code: str) -> None:
    benchmark.pedantic(
        subprocess.run,
        args=([sys.executable, "-c", code],),
        kwargs={"check": True},
        rounds=10,
        warmup_rounds=1,
    )


def test_load_ext_alone(benchmark: BenchmarkFixture) -> None:
    """The extra info has what ``%load_ext onnxlab`` takes in a running IPython: target 0.3 s."""
    done = benchmark.pedantic(
        subprocess.run,
        args=([sys.executable, "-c", LOAD_EXT],),
        kwargs={"check": True, "capture_output": True, "text": True},
        rounds=5,
        warmup_rounds=1,
    )
    benchmark.extra_info["load_ext_ms"] = int(done.stdout) / 1e6


@pytest.mark.parametrize("line", [["--version"], ["--help"], ["profile", "--help"]])
def test_command_line(benchmark: BenchmarkFixture, line: list[str]) -> None:
    benchmark.pedantic(
        subprocess.run,
        args=([sys.executable, "-m", "onnxlab", *line],),
        kwargs={"check": True, "capture_output": True},
        rounds=10,
        warmup_rounds=1,
    )
