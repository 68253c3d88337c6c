from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from onnxlab.sandbox import limits
from onnxlab.sandbox.limits import Limits, MemoryWatch


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="time limit"):
        Limits(time_s=0)
    with pytest.raises(ValueError, match="memory limit"):
        Limits(memory_bytes=-1)


def test_the_default_is_a_share_of_what_is_available() -> None:
    assert 0 < Limits().resolve_memory_bytes() < psutil.virtual_memory().total


def test_a_containers_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("600000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 100000\n")
    monkeypatch.setattr(limits, "_CGROUP", tmp_path)
    assert limits.available_bytes() == 500_000


def test_no_limit_of_a_container_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("max\n")
    monkeypatch.setattr(limits, "_CGROUP", tmp_path)
    assert limits.available_bytes() > 1_000_000


def test_descendants_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryWatch, "_SEARCH_INTERVAL_S", 0.0)
    watch = MemoryWatch(os.getpid(), 1 << 40)
    alone = watch.resident_bytes()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with process:
        assert watch.resident_bytes() > alone
        process.communicate(b"\n")
    assert not watch.exceeded()
