"""The example scripts run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs(script: Path, tmp_path: Path) -> None:
    line = [sys.executable, str(script), str(EXAMPLES / "models/rapidocr_cls.onnx")]
    line.append(str(tmp_path / "graph.html"))
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
