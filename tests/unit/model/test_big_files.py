"""Gigabytes of weights open in little memory, because they are not read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sparse_models import write_external, write_inline

LIMIT_BYTES = 200_000_000

# In a fresh process, so that nothing else counts: everything that a first drawing needs.
SCRIPT = """
import sys
import psutil
import onnxlab.wire.requests
from onnxlab.model.load import load
from onnxlab.wire.build import encode, view_document
from onnxlab.wire.schema import ValueRequest

process = psutil.Process()
before = process.memory_full_info().uss
model = load(sys.argv[1])
encode(view_document(model))
model.nodes, model.values, model.initializers
row = model.value_row(":w7")
detail = onnxlab.wire.requests.answer(model, ValueRequest(value=row))
assert any(entry.key == "zeros" for entry in detail.entries), detail
print(model.table.node_count, model.size_bytes, process.memory_full_info().uss - before)
"""


def opened(path: Path) -> tuple[int, int, int]:
    command = [sys.executable, "-c", SCRIPT, str(path)]
    out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    nodes, size, memory = map(int, out.split())
    return nodes, size, memory


@pytest.mark.slow
def test_a_model_with_2_gb_inline(tmp_path: Path) -> None:
    path = tmp_path / "inline.onnx"
    write_inline(path, tensors=300, tensor_bytes=7_000_000)
    nodes, size, memory = opened(path)
    assert nodes == 300
    assert 1.9 * 2**30 < size < 2**31
    assert memory < LIMIT_BYTES


@pytest.mark.slow
def test_a_model_with_3_gib_external(tmp_path: Path) -> None:
    path = tmp_path / "external.onnx"
    write_external(path, tensors=300, tensor_bytes=(3 * 2**30) // 1200 * 4)
    nodes, size, memory = opened(path)
    assert nodes == 300
    assert size > 2.9 * 2**30
    assert memory < LIMIT_BYTES
