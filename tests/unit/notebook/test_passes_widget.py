from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from onnxlab.experiments.optimization import Optimization, Settings
from onnxlab.model.load import load
from onnxlab.notebook.latest import Latest
from onnxlab.notebook.passes_html import effect_html, operators_html, row_html
from onnxlab.notebook.passes_list import PassList
from onnxlab.notebook.passes_widget import PassesWidget
from onnxlab.passes.catalog import find
from onnxlab.passes.ort import Action
from onnxlab.passes.pipeline import preset, switchable

MODELS = Path(__file__).parents[3] / "examples" / "models"


@pytest.fixture(scope="module")
def optimization() -> Iterator[Optimization]:
    model = load(MODELS / "rapidocr_cls.onnx")
    with Optimization(model, Settings(budget_s=0.3)) as optimization:
        yield optimization


@pytest.fixture
def widget(optimization: Optimization) -> Iterator[PassesWidget]:
    widget = PassesWidget(optimization.preset("all"))
    assert widget.wait()
    yield widget
    assert widget.wait()


def shown(passes: PassList) -> list[str]:
    return [
        row.children[0].description
        for box in passes.children
        for row in box.children[1].children
        if len(row.children) == 2
    ]


def test_the_acting_passes_are_shown_first_with_what_they_do(widget: PassesWidget) -> None:
    names = shown(widget.passes)
    assert names[:3] == ["ConstantFolding", "ConvAddFusion", "ConvBNFusion"]
    assert len(names) < 20
    row = widget.passes._groups[0]._rows["ConvBNFusion"]
    assert "−35 nodes" in row.box.children[1].value
    assert "7 of 32 act" in widget.passes._groups[0]._head.description


def test_a_click_changes_counts_and_the_head_becomes_partial(widget: PassesWidget) -> None:
    row = widget.passes._groups[0]._rows["ConvBNFusion"]
    row.box.children[0].value = False
    assert widget.wait()
    assert "all − ConvBNFusion" in widget.effect.text
    assert "258 → 270" in widget.effect.text
    assert widget.passes._groups[0]._head.icon == "minus-square"
    assert widget.optimization.pipeline.disabled == ("ConvBNFusion",)
    widget.reset.click()
    assert widget.wait()
    assert row.box.children[0].value is True
    assert widget.passes._groups[0]._head.icon == "check-square"


def test_a_head_switches_its_level(widget: PassesWidget) -> None:
    head = widget.passes._groups[0]._head
    head.click()
    assert widget.wait()
    assert head.icon == "square-o"
    assert not any(
        record.id in widget.optimization.enabled for record in widget.passes._groups[0].records
    )
    head.click()
    assert widget.wait()
    assert widget.optimization.enabled == preset("all").enabled


def test_a_preset_can_be_chosen(widget: PassesWidget) -> None:
    widget.preset.value = "basic"
    assert widget.wait()
    assert "original → basic" in widget.effect.text
    assert "NchwcTransformer" not in shown(widget.passes)


def test_a_search_shows_passes_that_do_not_act_too(widget: PassesWidget) -> None:
    widget.search.value = "gelu tanh"
    assert shown(widget.passes) == ["FastGeluFusion"]
    widget.search.value = "<no such pass>"
    assert "No pass matches" in widget.passes.children[0].value
    widget.search.value = ""
    assert "ConstantFolding" in shown(widget.passes)


def test_the_others_are_one_click_away(widget: PassesWidget) -> None:
    group = widget.passes._groups[0]
    before = len(group._body.children)
    group._more.click()
    assert len(group._body.children) == len(group.records) + 1
    group._more.click()
    assert len(group._body.children) == before


def test_the_code_is_one_click_away(widget: PassesWidget) -> None:
    widget.effect.code.value = True
    assert "ort.InferenceSession(" in widget.effect.text
    widget.passes._groups[0]._rows["ConvBNFusion"].box.children[0].value = False
    assert widget.wait()
    assert "&quot;ConvBNFusion&quot;" in widget.effect.text


def test_measuring_fills_in_latency(widget: PassesWidget) -> None:
    widget.effect.measure.click()
    assert widget.effect.measure.disabled
    assert widget.wait()
    assert "×" in widget.effect.text
    assert "SQNR" in widget.effect.text
    assert not widget.effect.measure.disabled


def test_the_optimised_model_is_saved_from_the_widget(widget: PassesWidget, tmp_path: Path) -> None:
    assert widget.effect.path.value == "rapidocr_cls.optimised.onnx"
    widget.effect.path.value = str(tmp_path / "fast.onnx")
    widget.effect.save_now.click()
    assert widget.wait()
    assert (tmp_path / "fast.onnx").exists()
    assert "Saved" in widget.effect.text
    widget.effect.path.value = str(MODELS / "rapidocr_cls.onnx")
    widget.effect.save_now.click()
    assert widget.wait()
    assert "never overwritten" in widget.effect.text


def test_cancelling_ends_a_measurement_quietly(widget: PassesWidget) -> None:
    widget.effect.measure.click()
    time.sleep(0.2)
    widget.effect.cancel.click()
    assert widget.wait()
    assert not widget.effect.measure.disabled
    assert "onnxlab-problem" not in widget.effect.text


def test_switching_while_measuring_measures_the_new_variant(widget: PassesWidget) -> None:
    rows = widget.passes._groups[0]._rows
    widget.effect.measure.click()
    for value in (False, True, False):  # faster than anything is computed
        rows["ConvBNFusion"].box.children[0].value = value
    assert widget.wait()
    assert "all − ConvBNFusion" in widget.effect.text
    assert "latency to all" in widget.effect.text
    assert not widget.effect.measure.disabled


def test_a_refusal_is_a_sentence_in_place(tmp_path: Path) -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[1] x) => (float[1] y) <float[1] one = {1}, float[1] zero = {0}> {
        mid = Identity(x) q = Div(one, one) w = Mul(mid, q) y = Add(w, zero)
    }"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "m.onnx")
    with Optimization(load(tmp_path / "m.onnx")) as optimization:
        widget = PassesWidget(optimization)
        assert widget.wait()
        assert "failed: m.onnx" in widget.effect.text
        assert widget.effect.measure.disabled
        assert shown(widget.passes) == ["EliminateIdentity", "DivMulFusion"]
        widget.passes._groups[0]._rows["DivMulFusion"].box.children[0].value = False
        assert widget.wait()
        assert "failed" not in widget.effect.text
        assert not widget.effect.measure.disabled


def test_a_file_that_went_away_is_a_sentence_too(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes((MODELS / "logreg_iris.onnx").read_bytes())
    with Optimization(load(path)) as optimization:
        path.unlink()
        widget = PassesWidget(optimization)
        assert widget.wait()
        assert "onnxlab-problem" in widget.effect.text
        assert "m.onnx" in widget.effect.text


def test_text_of_a_model_is_never_markup(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[1] x) => (float[1] y) { y = Abs(x) }'
    model = onnx.parser.parse_model(text)
    model.graph.node[0].op_type = evil
    onnx.save(model, tmp_path / "<b>m.onnx")
    with Optimization(load(tmp_path / "<b>m.onnx")) as optimization:
        effect = optimization.known_effect
        html = effect_html(effect, is_measuring=False) + operators_html(effect)
    assert effect.error
    assert "<img" not in html
    assert "<b>" not in html
    assert "&lt;" in row_html(
        find("Pad_Fusion"), Action(acts=True, note="without it failed: <img>")
    )


def test_only_the_newest_request_counts() -> None:
    gate, seen = threading.Event(), []

    def run(value: int) -> None:
        seen.append(value)
        gate.wait(10)

    latest = Latest(run)
    for value in range(5):
        latest.submit(value)
        time.sleep(0.05 if value == 0 else 0)
    assert not latest.wait(0.01)
    gate.set()
    assert latest.wait(10)
    assert seen == [0, 4]


def test_every_switchable_pass_has_one_row() -> None:
    passes = PassList(lambda ids, enabled: None)
    passes.filter("")
    records = [record for group in passes._groups for record in group.records]
    assert sorted(r.id for r in records) == sorted(r.id for r in switchable())
