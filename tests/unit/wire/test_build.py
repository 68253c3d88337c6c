"""The document that a view draws."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import onnx
import pandas as pd
import pytest
from onnx import helper

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.profiling.profile import Profile
from onnxlab.testing import build, chain, with_function_twice
from onnxlab.wire.build import encode, view_document
from onnxlab.wire.schema import GraphColumns, ViewDocument

DTYPES = {"kind": "u1", "flags": "u1", "bytes": "<f8"}


def decoded(document: ViewDocument) -> ViewDocument:
    return msgspec.msgpack.decode(encode(document), type=ViewDocument)


def floats(data: bytes) -> list[float]:
    return np.frombuffer(data, "<f8").tolist()


def test_columns_are_those_of_the_table(model: Model) -> None:
    graph = decoded(view_document(model)).graph
    for field in GraphColumns.__struct_fields__:
        column = getattr(graph, field)
        if field != "strings":
            dtype = DTYPES.get(field.rpartition("_")[2], "<i4")
            expected = getattr(model.table, field)
            np.testing.assert_array_equal(np.frombuffer(column, dtype), expected, err_msg=field)
    assert tuple(graph.strings) == model.table.strings


def test_header_and_metrics_of_a_plain_model(model: Model) -> None:
    document = decoded(view_document(model))
    assert document.header.summary == model.summary
    assert document.findings == []
    assert document.details == []
    assert not document.shapes_complete
    metrics = {metric.key: metric for metric in document.metrics}
    assert list(metrics) == ["parameters", "weight.bytes"]
    np.testing.assert_array_equal(floats(metrics["parameters"].values), [72, np.nan, 72, np.nan])


def test_details_for_a_host_that_cannot_ask(model: Model) -> None:
    details = view_document(model, with_details=True).details
    assert [detail.address for detail in details] == ["0", "1", "2", "3"]
    assert details[1].schema_doc.startswith("Relu takes one input data")


def test_findings_point_at_nodes() -> None:
    proto = chain(3)
    proto.graph.node[2].input.append("ghost")
    (finding,) = view_document(load(proto)).findings
    assert (finding.code, finding.severity, finding.nodes) == ("undefined-value", "error", [2])


def test_findings_about_a_value_point_at_its_users(model: Model) -> None:
    finding = Finding(code="c", severity=Severity.INFO, hazard="h", addresses=(":w1", ":y", "?"))
    (message,) = view_document(model, findings=[finding]).findings
    assert message.nodes == [2, 3]


def test_findings_of_a_profile_come_before_the_rest_of_the_models(
    model: Model, profile: Profile
) -> None:
    lint = tuple(Finding(code=str(level), severity=level, hazard="h") for level in Severity)
    found = view_document(model, profile=replace(profile, lint=lint)).findings
    codes = [finding.code for finding in found]
    assert codes[0] == "provider-failed"
    assert codes[-3:] == ["error", "warning", "info"]


def test_a_profile_stands_in_columns(model: Model, profile: Profile) -> None:
    document = decoded(view_document(model, profile=profile))
    cpu, cuda = document.profiles
    assert cpu.provider == "CPUExecutionProvider"
    assert cpu.wall.value == 150
    regions = [(r.kind, r.nodes, r.time_us, r.share) for r in cpu.regions]
    assert regions == [
        ("region", [0, 1], 60, 0.6),
        ("node", [2], 30, 0.3),
        ("inserted", [2], 10, 0.1),
    ]
    assert np.frombuffer(cpu.node_region, "<i4").tolist() == [0, 0, 1, -1]
    fates = [cpu.fates[i] for i in cpu.node_fate]
    assert fates == ["region", "region", "executed", "folded"]
    assert (cuda.regions, cuda.label) == ([], "cuda")
    metrics = {metric.key: metric for metric in document.metrics}
    assert list(metrics)[:2] == ["time.cpu", "share.cpu"]
    assert metrics["time.cpu"].additive
    np.testing.assert_array_equal(floats(metrics["time.cpu"].values), [60, np.nan, 30, np.nan])
    np.testing.assert_array_equal(floats(metrics["share.cpu"].values), [0.6, np.nan, 0.3, np.nan])


def test_a_profile_alone_suffices(profile: Profile) -> None:
    document = decoded(view_document(profile.model, profile=profile, with_details=True))
    assert document.header.name == "mlp.onnx"
    assert document.header.entries[0].text == "onnxlab"
    assert document.shapes_complete
    assert len(document.profiles) == 2


def test_refuses_the_profile_of_another_model(profile: Profile) -> None:
    with pytest.raises(ValueError, match="a model with 4 nodes, this one has 3"):
        view_document(load(chain(3)), profile=profile)


@pytest.mark.parametrize(
    "metrics",
    [
        pd.DataFrame({"cost": [1.0, 2.0]}, index=["0", "2"]),
        pd.DataFrame({"cost": [1, 2], "note": ["a", "b"]}, index=["n0", "n2"]),
        pd.DataFrame({"cost": [1, None, 2]}),
        pd.Series([1, 2], index=[0, 2], name="cost"),
        {"cost": {"n0": 1, "n2": 2, "gone": 3}},
        {"cost": [1, np.nan, 2]},
        {"cost": pd.Series([1, 2], index=["0", "2"])},
    ],
)
def test_users_own_numbers_by_address_name_or_row(metrics: object) -> None:
    document = view_document(load(chain(3)), metrics=metrics)  # type: ignore[arg-type]
    metric = document.metrics[-1]
    assert metric.key == "cost"
    np.testing.assert_array_equal(floats(metric.values), [1, np.nan, 2])


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ({"m": [1, 2]}, "2 numbers for 3 nodes"),
        ({"m": {"nowhere": 1}}, "holds no node's address, name or row, such as 'nowhere'"),
        ({"m": ["a", "b", "c"]}, "does not hold numbers"),
        (pd.DataFrame({"m": ["a"]}), "no column of numbers"),
    ],
)
def test_says_what_is_wrong_with_users_numbers(metrics: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        view_document(load(chain(3)), metrics=metrics)  # type: ignore[arg-type]


def test_metrics_must_be_columns() -> None:
    with pytest.raises(TypeError, match="DataFrame or a mapping"):
        view_document(load(chain(3)), metrics=3)  # type: ignore[arg-type]


def test_hostile_text_is_visible_everywhere() -> None:
    name = "a\x00b\u202ec\ud800"[:5] + "<script>"
    node = helper.make_node("Relu", ["x"], ["y"], name, domain="")
    node.doc_string = "line\nbell\x07"
    node.metadata_props.add(key="k\x1b", value="v\x00\n")
    proto = build([node], inputs={"x": [1]}, outputs=["y"])
    proto.graph.name = "g\x00"
    document = decoded(view_document(load(proto), with_details=True))
    assert "a\\x00b\\u202ec<script>" in document.graph.strings
    assert document.header.name == "g\\x00"
    (detail,) = document.details
    assert detail.doc == "line\nbell\\x07"
    assert detail.metadata[0].key == "k\\x1b"
    metrics = {"m\ud800": [1.0]}
    assert decoded(view_document(load(proto), metrics=metrics)).metrics[-1].key == "m\\ud800"


def test_names_that_are_not_utf8_can_be_sent() -> None:
    data = chain(1).SerializeToString().replace(b"n0", b"\xff\xfe")
    assert "\\xff\\xfe" in decoded(view_document(load(data))).graph.strings


def test_functions_appear_per_call() -> None:
    document = view_document(load(with_function_twice()))
    owners = np.frombuffer(document.graph.graph_owner, "<i4")
    assert owners.tolist() == [-1, 0, 1]
    assert isinstance(load(with_function_twice()).proto, onnx.ModelProto)
