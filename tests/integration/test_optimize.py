from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper

import onnxlab
from onnxlab.errors import Cancelled, OnnxlabError
from onnxlab.experiments.effect import Effect
from onnxlab.experiments.optimization import Optimization
from onnxlab.experiments.ratio import Verdict
from onnxlab.model.load import load
from onnxlab.passes.ort import OrtOptimiser
from onnxlab.progress import silent
from onnxlab.runtime.session import Runner
from onnxlab.testing import mlp

MODELS = Path(__file__).parents[2] / "examples" / "models"
HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
INTERACTING = (
    HEAD
    + """g (float[1] x) => (float[1] y) <float[1] one = {1}, float[1] zero = {0}> {
    mid = Identity(x)
    quotient = Div(one, one)
    w = Mul(mid, quotient)
    y = Add(w, zero)
}"""
)


def write(folder: Path, text: str, name: str = "m.onnx") -> Path:
    path = folder / name
    onnx.save(onnx.parser.parse_model(text), path)
    return path


@pytest.fixture(scope="module")
def classifier() -> Iterator[Optimization]:
    with Optimization(load(MODELS / "rapidocr_cls.onnx")) as optimization:
        yield optimization


def test_the_passes_that_act_come_first(classifier: Optimization) -> None:
    passes = classifier.preset("all").passes
    acting = passes[passes["acts"]].set_index("id")
    assert list(passes["acts"]) == sorted(passes["acts"], reverse=True)
    assert {"ConstantFolding", "ConvBNFusion", "ConvActivationFusion"} <= set(acting.index)
    assert acting.loc["ConvBNFusion", "delta_nodes"] == -35
    assert "SkipLayerNormFusion" not in acting.index


def test_toggling_changes_counts_at_once_and_back(classifier: Optimization) -> None:
    whole = classifier.preset("extended").counts
    assert whole["FusedConv"] > 0
    assert "BatchNormalization" not in whole
    fewer = classifier.toggle("ConvBNFusion", False).counts
    assert fewer["BatchNormalization"] == 35
    assert classifier.toggle("ConvBNFusion", True).counts.equals(whole)


def test_the_difference_is_to_the_model_with_all_passes_off(classifier: Optimization) -> None:
    diff = classifier.preset("none").diff
    assert (diff["change"] == 0).all()
    diff = classifier.preset("basic").diff
    assert diff.loc["BatchNormalization"].tolist() == [35, 0, -35]


def test_a_count_that_is_not_the_originals_is_explained(classifier: Optimization) -> None:
    rows = classifier.preset("basic").known_effect.rows
    place = next(i for i, row in enumerate(rows) if row[0] == "nodes")
    assert rows[place][1] == "258"
    assert rows[place + 1] == (
        "original",
        "",
        "",
        "566 nodes: before any pass, Constants become weights and functions are inlined",
    )
    with Optimization(load(mlp(layers=2))) as plain:
        assert "before any pass" not in repr(plain)


def test_measuring_gives_latency_and_agreement(classifier: Optimization) -> None:
    classifier.preset("basic")
    seen: list[Effect] = []
    effect = classifier.measure(budget_s=0.5, on_update=seen.append)
    assert effect.variant.interface == ()
    assert effect.agreement is not None
    assert effect.agreement.sqnr_db is not None
    assert effect.agreement.sqnr_db > 60
    assert effect.latency is not None
    assert effect.latency.run_ns is not None
    assert effect.latency.to_preset is not None
    assert effect.latency.to_preset.verdict is Verdict.SAME  # it is the preset
    assert seen[0].latency is None
    assert seen[0].agreement == effect.agreement
    assert "latency" in repr(effect)
    assert list(effect.frame.index[:4]) == ["interface", "nodes", "original", "size on disk"]
    assert classifier.effect == effect  # not measured again


def test_variants_with_one_graph_are_never_timed_apart(tmp_path: Path) -> None:
    text = HEAD + "g (float[4] x) => (float[4] y) { a = Relu(x) y = Neg(a) }"
    with Optimization(load(write(tmp_path, text))) as optimization:
        latency = optimization.toggle("ConstantFolding", False).measure(budget_s=0.2).latency
    assert latency is not None
    assert latency.to_baseline is not None
    assert latency.to_baseline.rounds == 0
    assert latency.to_baseline.verdict is Verdict.SAME


def test_cancelling_before_the_first_round(classifier: Optimization) -> None:
    with pytest.raises(Cancelled):
        classifier.preset("extended").measure(is_cancelled=lambda: True)


def test_a_refusal_is_a_row_and_the_passes_at_fault_are_named(tmp_path: Path) -> None:
    with Optimization(load(write(tmp_path, INTERACTING))) as optimization:
        assert optimization.preset("none").known_effect.error == ""
        for level in ("basic", "extended", "all"):
            effect = optimization.preset(level).effect
            assert effect.rows[0][3].startswith("failed: m.onnx")
        acting = optimization.passes.query("acts")
        assert set(acting["id"]) == {"EliminateIdentity", "DivMulFusion"}
        for name in acting["id"]:
            assert optimization.preset("all").toggle(name, False).known_effect.error == ""


def test_a_random_model_gives_no_verdict_on_its_numbers(tmp_path: Path) -> None:
    text = HEAD + "g (float[8] x) => (float[8] y) { r = RandomNormalLike(x) y = Add(x, r) }"
    with Optimization(load(write(tmp_path, text))) as optimization:
        agreement = optimization.measure(budget_s=0.1).agreement
    assert agreement is not None
    assert agreement.refused.startswith("not deterministic")


def test_maps_and_sequences_are_compared(tmp_path: Path) -> None:
    with Optimization(load(MODELS / "logreg_iris.onnx")) as optimization:
        agreement = optimization.measure(budget_s=0.1).agreement
    assert agreement is not None
    assert agreement.equal
    assert len(agreement.outputs) == 2


def run(path: Path, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    options = ort.SessionOptions()
    options.log_severity_level = 3
    return list(ort.InferenceSession(path, options, enable_fallback=0).run(None, feeds))


def test_the_saved_model_runs_alone_and_says_what_it_is(tmp_path: Path) -> None:
    original = tmp_path / "m.onnx"
    original.write_bytes((MODELS / "rapidocr_cls.onnx").read_bytes())
    target = tmp_path / "fast.onnx"
    with Optimization(load(original)) as optimization:
        saved = optimization.save(target)
        assert "this processor" in " ".join(saved.notes)
        feeds = optimization.feeds.values
        with pytest.raises(ValueError, match="never overwritten"):
            optimization.save(original)
        with pytest.raises(ValueError, match="no folder"):
            optimization.save(tmp_path / "nowhere" / "fast.onnx")
        portable = optimization.preset("basic").save(tmp_path / "portable.onnx")
    assert portable.notes == ()
    expected = run(original, feeds)
    original.unlink()
    for path in (target, portable.path):
        np.testing.assert_allclose(run(path, feeds)[0], expected[0], atol=1e-5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fast.onnx", "portable.onnx"]


def test_nothing_but_a_file_is_replaced(tmp_path: Path) -> None:
    folder, device = tmp_path / "folder.onnx", tmp_path / "device.onnx"
    folder.mkdir()
    os.mkfifo(device)
    with Optimization(load(MODELS / "logreg_iris.onnx")) as optimization:
        for target in (folder, device):
            with pytest.raises(OnnxlabError, match="a folder or a device"):
                optimization.save(target)
    assert folder.is_dir()
    assert device.is_fifo()
    assert sorted(tmp_path.iterdir()) == [device, folder]


def external(folder: Path) -> Path:
    weight = numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Identity", ["a"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 64])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 64])],
        [weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "m.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return path


def test_a_model_with_external_weights_is_saved_whole_elsewhere(tmp_path: Path) -> None:
    source, elsewhere = tmp_path / "a", tmp_path / "b"
    source.mkdir()
    elsewhere.mkdir()
    with Optimization(load(external(source))) as optimization:
        saved = optimization.save(elsewhere / "fast.onnx")
        with pytest.raises(ValueError, match="never overwritten"):
            optimization.save(source / "weights.bin")
    assert saved.data_path == elsewhere / "fast.onnx.data"
    for path in source.iterdir():
        path.unlink()
    (output,) = run(saved.path, {"x": np.ones((1, 64), np.float32)})
    np.testing.assert_array_equal(output, np.full((1, 64), 64, np.float32))


def test_a_light_copy_of_a_big_model_gives_the_same_graphs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = 600  # a weight of more than the 1 MiB from which weights are referred to
    weight = numpy_helper.from_array(np.ones((width, width), np.float32), "w")
    bias = numpy_helper.from_array(np.ones(width, np.float32), "b")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Add", ["a", "b"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, width])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, width])],
        [weight, bias],
    )
    opset = helper.make_opsetid("", 17)
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)

    found = []
    for limit in (0, 10**12):
        monkeypatch.setattr("onnxlab.experiments.optimization._BIG_BYTES", limit)
        with Optimization(load(path)) as optimization:
            variant = optimization.variant
            found.append((dict(variant.counts), set(optimization.actions())))
            assert variant.size_bytes == pytest.approx(4 * width * width, rel=0.02)
    assert found[0] == found[1] == ({"Gemm": 1}, {"MatMulAddFusion"})


def test_the_code_reproduces_the_session(tmp_path: Path) -> None:
    path = write(tmp_path, INTERACTING)
    with Optimization(load(path)) as optimization:
        code = optimization.toggle("DivMulFusion", False).code()
    names: dict[str, ort.InferenceSession] = {}
    exec(code, names)
    assert names["session"].get_inputs()[0].name == "x"


def test_the_verb_applies_its_options(tmp_path: Path) -> None:
    optimization = onnxlab.optimize(
        write(tmp_path, INTERACTING),
        preset="basic",
        disable="DivMulFusion",
        out=tmp_path / "fast.onnx",
        progress=silent,
    )
    assert optimization.pipeline.disabled == ("DivMulFusion",)
    assert (tmp_path / "fast.onnx").exists()
    assert "fast.onnx" in repr(optimization)
    assert "all passes off" in repr(optimization)
    optimization.close()


def test_an_unknown_pass_gets_advice(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Did you mean DivMulFusion"):
        onnxlab.optimize(write(tmp_path, INTERACTING), disable="DivMulFusin", progress=silent)


def test_the_search_for_a_culprit_ends_with_its_budget(tmp_path: Path) -> None:
    model = load(write(tmp_path, INTERACTING))
    with Runner() as runner:
        assert OrtOptimiser(model, runner).actions("all", budget_s=-1) == {}
        assert "DivMulFusion" in OrtOptimiser(model, runner).actions("all")
