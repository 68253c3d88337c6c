from __future__ import annotations

import ipywidgets
import pytest

import onnxlab
from onnxlab.experiments.optimization import Optimization
from onnxlab.model.load import load
from onnxlab.notebook import display
from onnxlab.notebook.chart_widget import ChartWidget
from onnxlab.notebook.graph_widget import GraphWidget
from onnxlab.profiling.profile import Profile
from onnxlab.testing import mlp

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "in_notebook", lambda: True)


def test_outside_a_notebook_there_is_no_widget() -> None:
    assert set(load(mlp())._repr_mimebundle_()) == {"text/html", "text/plain"}


@pytest.mark.usefixtures("notebook")
def test_in_a_notebook_everything_is_interactive(measured: Profile) -> None:
    model = load(mlp())
    with Optimization(model) as optimization:
        for result in (model, onnxlab.show(model), measured, optimization):
            bundle = result._repr_mimebundle_(include=None, exclude=None)
            assert set(bundle) == {WIDGET, "text/html", "text/plain"}


def test_what_is_left_without_a_kernel_has_neither_scripts_nor_style(measured: Profile) -> None:
    html = measured._repr_mimebundle_()["text/html"]
    assert "<script" not in html
    assert "style" not in html
    assert "Conv+BatchNormalization" in html


def test_a_long_name_keeps_its_end() -> None:
    model = mlp()
    model.graph.node[0].name = "/block" * 30 + "/last"
    profile = onnxlab.profile(model, runs=3, sessions=2, warmup=1, budget=0.3)
    assert "block/last</bdi>" in profile._repr_mimebundle_()["text/html"]


def test_the_first_findings_are_open_and_the_others_folded(measured: Profile) -> None:
    html = measured._repr_mimebundle_()["text/html"]
    open_part, _, folded = html.partition("<details>")
    count = len(measured.findings)
    assert open_part.count("<li") == min(count, 3)
    assert folded.count("<li") == max(count - 3, 0)


@pytest.mark.usefixtures("notebook")
def test_chart_and_graph_of_a_profile_share_one_selection(
    measured: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = []
    monkeypatch.setattr(ipywidgets, "jslink", lambda *ends: links.append(ends))
    measured._repr_mimebundle_()
    (((chart, chart_trait), (graph, graph_trait)),) = links
    assert isinstance(chart, ChartWidget)
    assert isinstance(graph, GraphWidget)
    assert chart_trait == graph_trait == "selected"


def test_text_of_a_model_is_escaped() -> None:
    model = mlp()
    model.graph.name = "<img src=x onerror=alert(1)>"
    model.graph.input[0].name = "<b>"
    model.graph.node[0].input[0] = "<b>"
    html = load(model)._repr_mimebundle_()["text/html"]
    assert "<img" not in html
    assert "<code><b>" not in html


def test_no_findings_are_said() -> None:
    assert "no findings" in display.findings_bundle(load(mlp()).lint())["text/html"]


@pytest.mark.usefixtures("notebook")
def test_a_view_knows_what_is_selected() -> None:
    view = onnxlab.show(mlp())
    view.select("1")
    assert view.selection == ["1"]
    assert view.widget.selected == [1]


@pytest.mark.usefixtures("notebook")
def test_a_profile_without_its_file_displays_without_a_graph() -> None:
    profile = onnxlab.profile(mlp(), runs=3, sessions=2, warmup=1, budget=0.3)
    assert WIDGET in profile._repr_mimebundle_()
