"""Each kind of oddity gives its finding, and plain models give none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxlab import testing
from onnxlab.analysis import lint as lint_module
from onnxlab.analysis.finding import Finding, Findings, Severity
from onnxlab.analysis.rules import versions
from onnxlab.errors import ChildCrashed
from onnxlab.model.load import load
from onnxlab.sandbox.spawn import Child
from onnxlab.testing import build


def relu(**changes: object) -> onnx.ModelProto:
    node = helper.make_node("Relu", ["x"], ["y"], "r")
    proto = build([node], inputs={"x": [1]}, outputs={"y": [1]})
    for name, value in changes.items():
        setattr(proto, name, value)
    return proto


def unversioned() -> onnx.ModelProto:
    proto = relu()
    proto.ClearField("ir_version")
    return proto


def nodes(*specs: tuple[str, str, str, str]) -> onnx.ModelProto:
    """Build from (op, inputs, output, name)."""
    made = [helper.make_node(op, i.split(), [o], name) for op, i, o, name in specs]
    return build(made, inputs={"x": [2]}, outputs=["y"])


def opset(version: int) -> onnx.ModelProto:
    proto = relu()
    proto.opset_import[0].version = version
    return proto


def with_tensor(**fields: object) -> onnx.ModelProto:
    proto = nodes(("Add", "x w", "y", "a"))
    proto.graph.initializer.add(**{"name": "w", "data_type": 1, "dims": [2], **fields})
    return proto


def external(**entries: str) -> onnx.ModelProto:
    proto = with_tensor(data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        proto.graph.initializer[0].external_data.add(key=key, value=value)
    return proto


def negative() -> onnx.ModelProto:
    proto = relu()
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
    return proto


def recursive() -> onnx.ModelProto:
    inner = helper.make_node("F", ["a"], ["b"], domain="d")
    return build(
        [helper.make_node("F", ["x"], ["y"], domain="d")],
        inputs={"x": [1]},
        outputs=["y"],
        functions=[helper.make_function("d", "F", ["a"], ["b"], [inner], [])],
        domains={"d": 1},
    )


def annotated() -> onnx.ModelProto:
    proto = with_tensor(raw_data=bytes(8))
    annotation = proto.graph.quantization_annotation.add(tensor_name="w")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="nope")
    return proto


def branches() -> onnx.ModelProto:
    def branch(name: str, shape: list[int]) -> onnx.GraphProto:
        out = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        return helper.make_graph([helper.make_node("Relu", ["x"], [name])], name, [], [out])

    node = helper.make_node(
        "If", ["x"], ["y"], "if", then_branch=branch("t", [1]), else_branch=branch("e", [1, 1])
    )
    return build([node], inputs={"x": [1]}, outputs=["y"])


def training() -> onnx.ModelProto:
    proto = relu()
    proto.training_info.add().algorithm.CopyFrom(
        helper.make_graph([helper.make_node("Neg", ["a"], ["b"])], "sgd", [], [])
    )
    return proto


def scopes() -> onnx.ModelProto:
    return nodes(("Relu", "x", "h", "a"), ("Relu", "h", "y", "a/b"))


def com_microsoft() -> onnx.ModelProto:
    node = helper.make_node("FastGelu", ["x"], ["y"], "g", domain="com.microsoft")
    return build([node], inputs={"x": [1]}, outputs=["y"])


NAN = np.array([np.nan, 1], np.float32).tobytes()
INF = np.array([np.inf, 1], np.float32).tobytes()

# What is wrong → code, severity, words in the hazard, addresses.
CASES: dict[str, tuple[Callable[[], onnx.ModelProto], str, str, str, tuple[str, ...]]] = {
    "cycle": (
        lambda: nodes(("Add", "x b", "a", "n1"), ("Abs", "a", "b", "n2"), ("Neg", "b", "y", "n3")),
        "cycle",
        "error",
        "2 nodes in a cycle: n1, n2",
        ("0", "1"),
    ),
    "unsorted": (
        lambda: nodes(("Neg", "a", "y", "last"), ("Abs", "x", "a", "first")),
        "unsorted",
        "warning",
        "last",
        ("0",),
    ),
    "undefined": (
        lambda: nodes(("Add", "x ghost", "y", "a")),
        "undefined-value",
        "error",
        "ghost",
        ("0",),
    ),
    "undefined output": (
        lambda: nodes(("Relu", "x", "z", "a")),
        "undefined-value",
        "error",
        "defined nowhere: y",
        (":y",),
    ),
    "defined twice": (
        lambda: nodes(("Relu", "x", "y", "a"), ("Neg", "x", "y", "b")),
        "duplicate-value",
        "error",
        "1 value is defined more than once",
        ("0", "1"),
    ),
    "duplicate names": (
        lambda: nodes(("Relu", "x", "h", "n"), ("Neg", "h", "y", "n")),
        "duplicate-node-name",
        "warning",
        "2 nodes share 1 name: n",
        ("0", "1"),
    ),
    "unnamed": (
        lambda: nodes(("Relu", "x", "y", "")),
        "unnamed-node",
        "info",
        "1 node has no name",
        ("0",),
    ),
    "unused": (
        lambda: nodes(("Relu", "x", "y", "a"), ("Neg", "x", "z", "b")),
        "unused-node",
        "info",
        "1 node reaches no output: b",
        ("1",),
    ),
    "scope and node": (scopes, "node-and-scope-share-name", "info", "a", ("0",)),
    "opset 99": (lambda: opset(99), "unknown-opset", "warning", "imports opset 99", ()),
    "opset beyond 32 bits": (lambda: opset(2**62), "unknown-opset", "warning", "imports opset", ()),
    "opset of another domain": (
        lambda: build(
            [helper.make_node("Normalizer", ["x"], ["y"], "n", domain="ai.onnx.ml")],
            inputs={"x": [1]},
            outputs=["y"],
            domains={"ai.onnx.ml": 88},
        ),
        "unknown-opset",
        "warning",
        "imports ai.onnx.ml opset 88",
        (),
    ),
    "opset 1": (lambda: opset(1), "old-opset", "warning", "supports 7 and newer", ()),
    "newest format": (
        lambda: relu(ir_version=99),
        "new-ir-version",
        "warning",
        "IR version 99, which needs a newer ONNX Runtime",
        (),
    ),
    "no format": (unversioned, "no-ir-version", "error", "does not say its IR version", ()),
    "format zero": (
        lambda: relu(ir_version=0),
        "no-ir-version",
        "error",
        "says IR version 0, which does not exist",
        (),
    ),
    "negative format": (
        lambda: relu(ir_version=-3),
        "no-ir-version",
        "error",
        "says IR version -3, which does not exist",
        (),
    ),
    "unknown operator": (
        lambda: nodes(("Mystery", "x", "y", "m")),
        "unknown-operator",
        "warning",
        "knows: Mystery",
        ("0",),
    ),
    "operator of a later opset": (
        lambda: nodes(("Gelu", "x", "y", "m")),
        "unknown-operator",
        "warning",
        "Gelu (exists from opset 20 on)",
        ("0",),
    ),
    "missing import": (
        com_microsoft,
        "missing-opset-import",
        "warning",
        "'com.microsoft', which the model does not import",
        ("0",),
    ),
    "recursion": (recursive, "recursive-function", "error", "calls itself: F", ("0/ƒ/0",)),
    "external missing": (
        lambda: external(location="nope.bin"),
        "external-data-missing",
        "warning",
        "nope.bin",
        (":w",),
    ),
    "no data": (
        lambda: with_tensor(dims=[2**40, 2**40]),
        "tensor-without-data",
        "error",
        "promises 1.21e+24 elements",
        (":w",),
    ),
    "impossible dims": (
        lambda: with_tensor(dims=[-5], raw_data=bytes(8)),
        "impossible-dimensions",
        "error",
        "w",
        (":w",),
    ),
    "wrong size": (
        lambda: with_tensor(raw_data=bytes(12)),
        "tensor-size-mismatch",
        "error",
        "w holds 12 B and needs 8 B",
        (":w",),
    ),
    "nan": (lambda: with_tensor(raw_data=NAN), "nan-weights", "warning", "NaN in 1", (":w",)),
    "inf": (lambda: with_tensor(raw_data=INF), "infinite-weights", "info", "w", (":w",)),
    "annotation": (
        annotated,
        "dangling-quantization-annotation",
        "warning",
        "nope (for w)",
        (),
    ),
    "negative dim": (negative, "negative-dimension", "info", "x", (":x",)),
    "branches": (branches, "branches-differ", "warning", "1 If", ("0",)),
    "training": (training, "training-info", "info", "sgd (1 node)", ()),
}


@pytest.mark.parametrize(
    ("make", "code", "severity", "words", "addresses"), CASES.values(), ids=CASES
)
def test_finds(
    make: Callable[[], onnx.ModelProto],
    code: str,
    severity: str,
    words: str,
    addresses: tuple[str, ...],
) -> None:
    found = {finding.code: finding for finding in load(make()).lint(checker=False)}
    assert code in found, found
    finding = found[code]
    assert finding.severity == severity
    assert words in finding.hazard
    assert finding.addresses == addresses
    assert finding.hazard.endswith(".")


@pytest.mark.parametrize(
    "make",
    [
        testing.conv_relu,
        testing.gelu,
        testing.mlp,
        testing.qdq_conv,
        testing.transformer_block,
        testing.with_function_twice,
        testing.with_if,
        testing.with_loop,
    ],
)
def test_plain_models_have_no_findings(make: Callable[[], onnx.ModelProto]) -> None:
    assert load(make()).lint() == Findings()


def test_a_file_outside_is_an_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for location in ("../w.bin", "/etc/passwd"):
        onnx.save(external(location=location), tmp_path / "m.onnx")
        (finding,) = load(tmp_path / "m.onnx").lint()
        assert (finding.code, finding.severity) == ("external-data-out-of-bounds", "error")


def test_data_past_the_end_are_an_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "w.bin").write_bytes(bytes(100))
    onnx.save(external(location="w.bin", offset="96"), tmp_path / "m.onnx")
    (finding,) = load(tmp_path / "m.onnx").lint()
    assert "would end at byte 104 of 'w.bin', which has 100" in finding.hazard


@pytest.mark.parametrize(
    ("installed", "severity", "words"),
    [
        (("1.31.1", (1, 31)), "warning", "1.32 or newer; 1.31.1 is installed"),
        (("1.32.0", (1, 32)), "info", "1.32.0 is installed"),
        (None, "warning", "needs ONNX Runtime 1.32 or newer."),
    ],
)
def test_judges_the_format_by_the_runtime_that_is_installed(
    monkeypatch: pytest.MonkeyPatch, installed: object, severity: str, words: str
) -> None:
    monkeypatch.setattr(versions, "_installed_runtime", lambda: installed)
    (finding,) = load(relu(ir_version=14)).lint(checker=False)
    assert finding.severity == severity
    assert words in finding.hazard
    assert "a copy with ir_version = 13" in finding.remedy
    (finding,) = load(opset(28)).lint(checker=False)
    assert (finding.code, finding.severity) == ("new-opset", severity)
    assert words in finding.hazard


def test_the_worst_come_first() -> None:
    proto = nodes(("Add", "x ghost", "y", ""), ("Neg", "x", "z", "b"), ("Neg", "x", "u", "b"))
    severities = [finding.severity for finding in load(proto).lint()]
    assert severities == sorted(severities, key=list(Severity).index)
    assert set(severities) == set(Severity)


def test_asks_the_checker_where_our_rules_find_nothing() -> None:
    proto = relu(ir_version=3)
    proto.graph.initializer.append(numpy_helper.from_array(np.zeros(1, np.float32), "not_an_input"))
    findings = {finding.code: finding for finding in load(proto).lint()}
    assert findings["checker"].severity == "warning"
    assert "not_an_input in initializer but not in graph input" in findings["checker"].hazard


def test_a_checker_that_crashes_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*args: object, **kwargs: object) -> None:
        raise ChildCrashed("segmentation fault")

    monkeypatch.setattr(Child, "call", crash)
    (finding,) = load(relu()).lint()
    assert finding.hazard == "onnx's checker crashed on this model."


def test_many_places_are_cut_but_counted() -> None:
    proto = testing.chain(500)
    for node in proto.graph.node:
        node.name = ""
    (finding,) = load(proto).lint()
    assert (finding.count, len(finding.addresses)) == (500, 100)


def test_every_rule_is_registered_once() -> None:
    names = [rule.__name__ for rule in lint_module.RULES]
    assert len(set(names)) == len(names)


def test_findings_have_a_table_and_text() -> None:
    findings = Findings((Finding(code="c", severity=Severity.INFO, hazard="H.", remedy="R."),))
    assert repr(findings) == "info: H. R. [c]"
    assert findings.frame.code.tolist() == ["c"]
    assert repr(Findings()) == "no findings"
    assert list(Findings().frame.columns)[:3] == ["code", "severity", "hazard"]
