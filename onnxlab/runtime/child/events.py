"""Reading ONNX Runtime's trace files; both ends of the pipe use this file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

__all__ = ["Event", "read_events"]

Event = dict[str, Any]

_NAME = re.compile(r'"name" ?: ?"(.*)", ?"args"')


def read_events(path: Path) -> list[Event]:
    """Read a trace file, also one whose names hold unescaped quotes (ORT 1.20 writes those)."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        events: list[Event] = json.loads(text)
    except ValueError:
        events = [_repaired(line) for line in text.splitlines() if line.startswith("{")]
    return events


def _repaired(line: str) -> Event:
    # One event a line; only the name comes from the model.
    line = line.rstrip(",")
    try:
        event: Event = json.loads(line)
    except ValueError:
        event = json.loads(_NAME.sub(lambda m: f'"name":{json.dumps(m[1])},"args"', line))
    return event
