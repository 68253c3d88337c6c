from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console, RenderableType

from onnxlab.analysis.finding import Finding, Findings, Severity
from onnxlab.experiments.optimization import Optimization
from onnxlab.model.load import load
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.render.console import findings_text, view
from onnxlab.runtime.providers import Provider, Providers
from onnxlab.testing import mlp


def shown(renderable: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=110)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_model_shows_its_line_and_operators() -> None:
    text = shown(view(load(mlp(layers=2))))
    assert "opset" in text
    assert "Gemm" in text


def test_markup_in_a_model_is_text() -> None:
    model = mlp()
    model.graph.name = "[bold red]x[/bold red]"
    assert "[bold red]x[/bold red]" in shown(view(load(model)))


def test_a_profile_shows_where_the_time_goes(measured: Profile) -> None:
    text = shown(view(measured))
    assert "100 % of the" in text
    assert "Conv+BatchNormalization" in text
    assert "(inserted)" in text


def test_nodes_of_one_name_are_told_apart_by_their_addresses(measured: Profile) -> None:
    regions = measured.regions.nlargest(2, "time_us")
    lines = [line.split() for line in shown(view(measured)).splitlines()]
    first = next(i for i, line in enumerate(lines) if line[:2] == ["address", "node"]) + 1
    shown_first = [line[0] for line in lines[first : first + 2]]
    assert shown_first == [row["lead"] or row["owner"] for row in regions.to_dict("records")]


def test_a_profile_in_which_all_failed_says_why(measured: Profile) -> None:
    failed = replace(measured, cells=(Cell(label="cpu", error="no such luck"),))
    text = shown(view(failed))
    assert text.count("no such luck") == 1
    assert "cpu, failed: see below" in text
    assert "ran as" not in text


def test_an_optimization_shows_what_acts() -> None:
    with Optimization(load(mlp(layers=2))) as optimization:
        text = shown(view(optimization))
    assert "passes act" in text
    assert "all off" in text


def test_providers_show_what_to_install() -> None:
    cpu = Provider(name="cpu", ort_name="CPU", usable=True, reason="", install="", version="1.2.3")
    rocm = Provider(
        name="rocm", ort_name="ROCM", usable=False, reason="not here", install="pip it", version=""
    )
    text = shown(view(Providers([rocm, cpu])))
    assert text.index("cpu") < text.index("rocm")
    assert "onnxruntime 1.2.3" in text
    assert "pip it" in text


def test_findings_are_sentences() -> None:
    finding = Finding(code="x", severity=Severity.WARNING, hazard="It is odd.", remedy="Mend it.")
    assert findings_text(Findings([finding])).plain == "warning It is odd. Mend it."
