"""The catalog against the installed ONNX Runtime, by effect: it accepts unknown names silently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import onnx
import onnxruntime as ort
import pytest

from onnxlab.model.load import load
from onnxlab.passes.catalog import LEVELS, PassKind, catalog
from onnxlab.passes.ort import OrtOptimiser
from onnxlab.passes.pipeline import preset
from onnxlab.runtime.session import Runner

# Applied whatever is asked, outside of the levels.
ALWAYS = {"RemoveDuplicateCastTransformer", "CastFloat16Transformer", "MemcpyTransformer"}
ORT_LEVELS = dict(
    zip(
        LEVELS,
        (
            ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
            ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
            ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
            getattr(ort.GraphOptimizationLevel, "ORT_ENABLE_LAYOUT", None),
            ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
        ),
        strict=True,
    )
)
VERSION = tuple(int(part) for part in ort.__version__.split(".")[:2])
written_for = pytest.mark.skipif(
    VERSION < (1, 32), reason="the catalog describes ONNX Runtime 1.32"
)


def registered(path: Path, level: str, capfd: pytest.CaptureFixture[str], *off: str) -> set[str]:
    options = ort.SessionOptions()
    options.log_severity_level = 1
    options.graph_optimization_level = ORT_LEVELS[level]
    ort.InferenceSession(path, options, disabled_optimizers=list(off), enable_fallback=0)
    return set(re.findall(r"GraphTransformer (\S+) modified", capfd.readouterr().err))


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[1] x) => (float[1] y) { y = Abs(x) }'
    path = tmp_path / "tiny.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    return path


@written_for
def test_every_transformer_stands_at_the_level_at_which_it_runs(
    tiny: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    levels = {record.id: record.level for record in catalog() if not record.required}
    seen = registered(tiny, "none", capfd)
    for index, level in enumerate(LEVELS[1:], start=1):
        names = registered(tiny, level, capfd)
        for name in names - seen - ALWAYS:
            assert levels.get(name) == index, name
        seen |= names


@written_for
def test_every_transformer_can_be_switched_off_by_its_name(
    tiny: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = registered(tiny, "all", capfd)
    names = [r.id for r in catalog() if r.kind is PassKind.TRANSFORMER and r.id in whole]
    switchable = [r.id for r in catalog() if r.id in names and not r.required]
    assert len(switchable) > 40
    assert whole - registered(tiny, "all", capfd, *switchable) == set(switchable)


def model(body: str, *, opset: int = 17, head: str = "float[2,3] x", out: str = "float[2,3] y",
          inits: str = "") -> onnx.ModelProto:  # fmt: skip
    imports = f'["" : {opset}, "ai.onnx.ml" : 4]'
    text = f"<ir_version: 8, opset_import: {imports}> g ({head}) => ({out}) {inits} {{ {body} }}"
    return onnx.parser.parse_model(text)


CONV = {"head": "float[1,1,4,4] x", "out": "float[1,1,4,4] y"}
QUANT = "float s = {0.1}, uint8 z = {0}"
RULES = {
    "EliminateIdentity": model("a = Identity(x) y = Relu(a)"),
    "EliminateSlice": model(
        "r = Neg(x) a = Slice(r, s, e, n) y = Relu(a)",
        inits="<int64[1] s = {0}, int64[1] e = {9223372036854775807}, int64[1] n = {1}>",
    ),
    "UnsqueezeElimination": model(
        "a = Unsqueeze <axes = [0]> (w) y = Add(x, a)",
        opset=11,
        head="float[1,2,3] x",
        out="float[1,2,3] y",
        inits="<float[2,3] w = {1, 2, 3, 4, 5, 6}>",
    ),
    "EliminateDropout": model("a = Dropout(x) y = Relu(a)"),
    "ExpandElimination": model(
        "r = Neg(x) a = Expand(r, s) y = Relu(a)", inits="<int64[2] s = {2, 3}>"
    ),
    "CastElimination": model("a = Cast <to = 1> (x) y = Relu(a)"),
    "PreShapeNodeElimination": model(
        "a = Cast <to = 7> (x) y = Shape(a)", head="float[N,3] x", out="int64[2] y"
    ),
    "NoopElimination": model("r = Neg(x) a = Add(r, z) y = Relu(a)", inits="<float z = {0}>"),
    "DivMulFusion": model(
        "a = Div(o, x) y = Mul(a, v)", head="float[2,3] x, float[2,3] v", inits="<float o = {1}>"
    ),
    "FuseReluClip": model(
        "a = Relu(x) y = Clip(a, lo, hi)", inits="<float lo = {-1}, float hi = {6}>"
    ),
    "GemmSumFusion": model(
        "a = Gemm(x, w) y = Sum(a, b)",
        head="float[2,3] x, float[3,4] w, float[2,4] b",
        out="float[2,4] y",
    ),
    "GemmTransposeFusion": model(
        "a = Transpose <perm = [1, 0]> (x) y = Gemm(a, w)",
        head="float[3,2] x, float[3,4] w",
        out="float[2,4] y",
    ),
    "NotWhereFusion": model(
        "n = Not(c) y = Where(n, x, b)", head="bool[2,3] c, float[2,3] x, float[2,3] b"
    ),
    "ConvAddFusion": model(
        "a = Conv(x, w) y = Add(a, b)",
        inits="<float[1,1,1,1] w = {2}, float[1,1,1] b = {3}>",
        **CONV,
    ),
    "ConvMulFusion": model(
        "a = Conv(x, w) y = Mul(a, b)",
        inits="<float[1,1,1,1] w = {2}, float[1,1,1] b = {3}>",
        **CONV,
    ),
    "ConvBNFusion": model(
        "a = Conv(x, w) y = BatchNormalization(a, s, b, m, v)",
        inits="<float[1,1,1,1] w = {2}, float[1] s = {3}, float[1] b = {1}, float[1] m = {0}, "
        "float[1] v = {2}>",
        **CONV,
    ),
    "Pad_Fusion": model(
        "a = Pad(x, p) y = Conv(a, w)",
        head="float[1,1,4,4] x",
        out="float[1,1,6,6] y",
        inits="<float[1,1,1,1] w = {2}, int64[8] p = {0, 0, 1, 1, 0, 0, 1, 1}>",
    ),
    "MatMul_BatchNormalization_Fusion": model(
        "a = MatMul(x, w) y = BatchNormalization(a, s, b, m, v)",
        head="float[2,2] x",
        out="float[2,2] y",
        inits="<float[2,2] w = {1, 2, 3, 4}, float[2] s = {3, 2}, float[2] b = {1, 1}, "
        "float[2] m = {0, 0}, float[2] v = {2, 1}>",
    ),
    "LabelEncoderFusion": model(
        'a = ai.onnx.ml.LabelEncoder <keys_int64s = [1, 2], values_strings = ["a", "b"]> (x) '
        'y = ai.onnx.ml.LabelEncoder <keys_strings = ["a", "b"], values_int64s = [4, 5]> (a)',
        head="int64[3] x",
        out="int64[3] y",
    ),
    "ReluQuantRewrite": model(
        "a = Relu(x) y = QuantizeLinear(a, s, z)", out="uint8[2,3] y", inits=f"<{QUANT}>"
    ),
    "ClipQuantRewrite": model(
        "r = Neg(x) a = Clip(r, lo, hi) y = QuantizeLinear(a, s, z)",
        out="uint8[2,3] y",
        inits=f"<{QUANT}, float lo = {{0}}, float hi = {{100}}>",
    ),
}
# What else would do the same work.
RIVALS = {"UnsqueezeElimination": ("ConstantFolding",)}


@written_for
@pytest.mark.parametrize("name", RULES)
def test_every_rewrite_rule_is_known_by_its_name(name: str, runner: Runner) -> None:
    optimiser = OrtOptimiser(load(RULES[name]), runner)
    others = preset("extended")
    for rival in RIVALS.get(name, ()):
        others = others.toggled(rival, False)
    on, off = optimiser.variant(others), optimiser.variant(others.toggled(name, False))
    assert (on.error, off.error) == ("", "")
    assert on.graph != off.graph
    if name not in RIVALS:
        assert optimiser.actions("extended")[name].acts


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


def test_every_verified_rule_has_such_a_test() -> None:
    rules = {r.id for r in catalog() if r.kind is PassKind.RULE and r.verified}
    assert rules == set(RULES)
