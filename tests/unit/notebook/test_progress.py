from __future__ import annotations

import sys

import pytest

from onnxlab.notebook import progress
from onnxlab.progress import silent


def test_without_a_terminal_or_notebook_nothing_is_shown() -> None:
    with progress.default_progress() as report:
        assert report is silent


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.default_progress() as report:
        report("working", 1, 2)
        report("[bold]working[/bold]")
    assert report is not silent


def test_a_notebook_gets_a_bar_that_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    with progress.default_progress() as report:
        report("quickly")
        report("working", 1, 2)
        report("working", 2, 2)
    assert "quickly" not in capsys.readouterr().out
