from __future__ import annotations

import json
from pathlib import Path

from onnxlab.runtime.child.events import read_events

ODD = 'a "quoted\\ name'


def test_a_trace_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps([{"name": ODD, "ts": 1}]))
    assert read_events(path) == [{"name": ODD, "ts": 1}]


def test_names_with_bare_quotes_are_repaired(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    bad = '{"cat" : "Node","dur" :2,"name" :"' + ODD + '","args" : {"op_name" : "Relu"}},'
    good = '{"cat" : "Session","name" :"model_run","args" : {}}'
    path.write_text("[\n" + bad + "\n" + good + "\n]\n")
    events = read_events(path)
    assert [event["name"] for event in events] == [ODD, "model_run"]
    assert events[0]["args"] == {"op_name": "Relu"}
