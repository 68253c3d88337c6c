from __future__ import annotations

from typing import Any

import pytest

from onnxlab.notebook.chart_widget import ChartWidget
from onnxlab.render import assets


@pytest.fixture(autouse=True)
def static(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for the built files: what they hold does not matter here."""
    monkeypatch.setattr(assets, "chart_js", lambda: "/* chart.js */")
    monkeypatch.setattr(assets, "plotly_js", lambda: "/* plotly.js */")
    monkeypatch.setattr(assets, "plotly_hash", lambda: "hash")


def ask(widget: ChartWidget, what: object, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=(): sent.extend([content, buffers]))
    widget._handle_custom_msg({"onnxlab": what, "id": "7"}, [])
    return sent


def test_state_holds_neither_plotly_nor_the_figure() -> None:
    state = str(ChartWidget('{"data": []}').get_state())
    assert "/* chart.js */" in state
    assert "plotly.js" not in state
    assert "data" not in state


def test_plotly_and_the_figure_come_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = ChartWidget('{"data": []}')
    assert ask(widget, "plotly", monkeypatch) == [{"id": "7"}, [b"/* plotly.js */"]]
    assert ask(widget, "figure", monkeypatch) == [{"id": "7"}, [b'{"data": []}']]


def test_an_unknown_request_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    content, _ = ask(ChartWidget("{}"), "shell", monkeypatch)
    assert "plotly or figure" in content["error"]
