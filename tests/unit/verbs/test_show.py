from __future__ import annotations

from pathlib import Path

import pytest

from onnxlab.testing import mlp
from onnxlab.verbs.show import show


def test_a_page_is_coloured_as_asked(tmp_path: Path) -> None:
    page = show(mlp(layers=1), colour_by="parameters").to_html(tmp_path / "graph.html")
    assert 'id="onnxlab-graph" data-colour-by="parameters"' in page.read_text(encoding="utf-8")


def test_the_users_own_numbers_can_be_coloured_by() -> None:
    view = show(mlp(layers=1), metrics={"error": {"0": 1.5}}, colour_by="error")
    assert view.options.colour_by == "error"


def test_an_unknown_number_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no number 'nope' to colour by: there are parameters"):
        show(mlp(layers=1), colour_by="nope")
