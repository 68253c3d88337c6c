from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from onnxlab.sandbox.limits import Limits
from onnxlab.sandbox.spawn import Child

TASKS = """
import os, sys, time
from .sibling import double

def report(progress, steps):
    for step in range(steps):
        progress("stepping", step + 1, steps)
        time.sleep(0.06)
    return steps

def noise():
    os.write(1, b"to descriptor 1\\n")
    print("to stdout")
    sys.stdin.read()
    return "quiet"

def fail(message):
    raise LookupError(message)

def swell(size_bytes):
    kept = []
    while len(kept) * (16 << 20) < size_bytes:
        kept.append(bytearray(b"x") * (16 << 20))
        time.sleep(0.005)

def allocate(size_bytes):
    return len(bytearray(size_bytes))

def die(code):
    os.write(2, b"\\x1b[31mthe last\\x1b[0m words\\n")
    os._exit(code)

TASKS = {
    "double": double, "report": report, "noise": noise, "fail": fail, "swell": swell,
    "allocate": allocate, "die": die, "abort": os.abort,
    "environment": lambda: dict(os.environ), "folder": os.getcwd, "pid": os.getpid,
    "echo": lambda value: value,
}
"""


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.py"
    path.write_text(TASKS)
    (tmp_path / "sibling.py").write_text("def double(number):\n    return 2 * number\n")
    (tmp_path / "__init__.py").write_text("raise ImportError('not to be executed')\n")
    return path


@pytest.fixture
def child(task_file: Path) -> Iterator[Child]:
    with Child(tasks=task_file, limits=Limits(time_s=30, memory_bytes=1 << 30)) as child:
        yield child
