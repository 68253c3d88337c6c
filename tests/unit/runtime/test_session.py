from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlab import testing
from onnxlab.errors import SessionError
from onnxlab.runtime.session import Runnable, Runner, SessionSpec

SPEC = SessionSpec()
FEEDS = {"x": np.array([1, 2], np.float32)}


def doubling() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Identity", ["x"], ["same"], name="same"),
        helper.make_node("Add", ["same", "x"], ["y"], name="sum"),
    ]
    return testing.build(nodes, inputs={"x": [2]}, outputs={"y": [2]})


def typed(nodes: list[onnx.NodeProto], inputs: dict[str, onnx.TypeProto]) -> Runnable:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_value_info(name, kind) for name, kind in inputs.items()],
        [onnx.ValueInfoProto(name=nodes[-1].output[0])],
    )
    opsets = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return Runnable(data=model.SerializeToString())


@pytest.fixture
def model(tmp_path: Path) -> Runnable:
    path = tmp_path / "doubling.onnx"
    path.write_bytes(doubling().SerializeToString())
    return Runnable(path=path)


def test_a_file_and_its_bytes_give_the_same_outputs(runner: Runner, model: Runnable) -> None:
    in_memory = Runnable(data=doubling().SerializeToString())
    for runnable in (model, in_memory):
        assert runner.outputs(runnable, SPEC, FEEDS)["y"].tolist() == [2, 4]


def test_bytes_find_their_external_data_in_the_folder_given(runner: Runner, tmp_path: Path) -> None:
    proto = testing.build(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        inputs={"x": [2]},
        outputs={"y": [2]},
        initializers={"w": np.array([10, 20], np.float32)},
    )
    (tmp_path / "w.bin").write_bytes(proto.graph.initializer[0].raw_data)
    onnx.external_data_helper.set_external_data(proto.graph.initializer[0], "w.bin")
    proto.graph.initializer[0].ClearField("raw_data")
    runnable = Runnable(data=proto.SerializeToString(), folder=tmp_path)
    assert runner.outputs(runnable, SPEC, FEEDS)["y"].tolist() == [11, 22]


def test_a_runnable_is_either_a_file_or_bytes() -> None:
    with pytest.raises(ValueError, match="either"):
        Runnable()
    with pytest.raises(ValueError, match="either"):
        Runnable(path=Path("m.onnx"), data=b"")


def test_probe_tells_version_and_providers(runner: Runner) -> None:
    info = runner.probe()
    assert info.version[0].isdigit()
    assert "CPUExecutionProvider" in info.available_providers
    assert "ORT_ENABLE_ALL" in info.levels


def test_describe_tells_the_interface(runner: Runner, model: Runnable) -> None:
    interface = runner.describe(model, SPEC)
    assert [(port.name, port.type, port.shape) for port in interface.inputs] == [
        ("x", "tensor(float)", (2,))
    ]
    assert [port.name for port in interface.outputs] == ["y"]
    assert interface.providers == ("CPUExecutionProvider",)


def test_timing_gives_one_number_per_run(runner: Runner, model: Runnable) -> None:
    seen: list[int] = []
    timed = runner.time(
        model, SPEC, FEEDS, runs=7, warmup=3, progress=lambda m, d=0, t=0: seen.append(d)
    )
    assert timed.run_ns.dtype == timed.cpu_ns.dtype == np.int64
    assert timed.run_ns.shape == timed.cpu_ns.shape == (7,)
    assert (timed.run_ns > 0).all()
    assert min(timed.load_ns, timed.first_run_ns, timed.peak_rss_bytes) > 0
    assert timed.providers == ("CPUExecutionProvider",)
    assert seen


def test_a_spent_budget_ends_the_runs_early(runner: Runner, model: Runnable) -> None:
    timed = runner.time(model, SPEC, FEEDS, runs=1000, warmup=0, budget_s=0.0)
    assert len(timed.run_ns) == 3


def test_the_trace_holds_the_runs_that_count_and_the_model_that_ran(
    runner: Runner, model: Runnable
) -> None:
    traced = runner.trace(model, SPEC, FEEDS, runs=4, warmup=2)
    names = [event["name"] for event in traced.events]
    assert names.count("model_run") == len(traced.run_ns) == 4
    assert "session_initialization" in names
    assert names.count("sum_kernel_time") == 4
    assert traced.optimised_path is not None
    assert [node.op_type for node in onnx.load(traced.optimised_path).graph.node] == ["Add"]


def test_the_trace_can_do_without_the_optimised_model(runner: Runner, model: Runnable) -> None:
    traced = runner.trace(model, SPEC, FEEDS, runs=1, warmup=0, save_optimised=False)
    assert traced.optimised_path is None
    assert len(traced.run_ns) == 1


def test_optimise_saves_the_model_and_names_what_acted(runner: Runner, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["y"]),
    ]
    weights = {"w": np.ones((2, 2), np.float32), "b": np.ones(2, np.float32)}
    proto = testing.build(nodes, inputs={"x": [1, 2]}, outputs={"y": [1, 2]}, initializers=weights)
    runnable = Runnable(data=proto.SerializeToString())
    saved = tmp_path / "optimised.onnx"
    result = runner.optimise(runnable, SessionSpec(level="basic"), saved)
    assert result.path == saved
    assert "MatMulAddFusion" in result.acted
    assert [node.op_type for node in onnx.load(saved).graph.node] == ["Gemm"]

    without = SessionSpec(level="basic", disabled_passes=("MatMulAddFusion",))
    assert "MatMulAddFusion" not in runner.optimise(runnable, without, saved).acted
    assert [node.op_type for node in onnx.load(saved).graph.node] == ["MatMul", "Add"]


@pytest.mark.parametrize(
    ("dtype", "elem_type"),
    [
        (ml_dtypes.bfloat16, TensorProto.BFLOAT16),
        (ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FN),
        (np.float16, TensorProto.FLOAT16),
    ],
)
def test_types_that_numpy_lacks_go_in_and_come_out(
    runner: Runner, dtype: type, elem_type: int
) -> None:
    kind = helper.make_tensor_type_proto(elem_type, [3])
    runnable = typed([helper.make_node("Identity", ["x"], ["y"])], {"x": kind})
    x = np.array([1, -2, 0.5], dtype=dtype)
    y = runner.outputs(runnable, SPEC, {"x": x})["y"]
    assert y.dtype == x.dtype
    assert y.tolist() == x.tolist()
    assert len(runner.time(runnable, SPEC, {"x": x}, runs=3).run_ns) == 3
    assert len(runner.trace(runnable, SPEC, {"x": x}, runs=3).run_ns) == 3


def test_strings_go_in_and_come_out(runner: Runner) -> None:
    kind = helper.make_tensor_type_proto(TensorProto.STRING, [2])
    runnable = typed([helper.make_node("Identity", ["x"], ["y"])], {"x": kind})
    x = np.array(["naïve", ""], dtype=object)
    assert runner.outputs(runnable, SPEC, {"x": x})["y"].tolist() == ["naïve", ""]


def test_a_sequence_of_tensors_goes_in_and_comes_out(runner: Runner) -> None:
    kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    runnable = typed([helper.make_node("Identity", ["x"], ["y"])], {"x": kind})
    x = [np.ones(2, np.float32), np.zeros((1, 3), np.float32)]
    y = runner.outputs(runnable, SPEC, {"x": x})["y"]
    assert [item.shape for item in y] == [(2,), (1, 3)]


def test_hostile_names_stay_names(runner: Runner) -> None:
    name = "../../etc/\N{SNOWMAN}\n\0"
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, [1])
    runnable = typed([helper.make_node("Identity", [name], [name + "y"])], {name: kind})
    outputs = runner.outputs(runnable, SPEC, {name: np.ones(1, np.float32)})
    assert list(outputs) == [name + "y"]


def test_what_the_runtime_refuses_is_one_line_with_the_reason(
    runner: Runner, tmp_path: Path
) -> None:
    foo = helper.make_node("Foo", ["x"], ["y"], domain="com.acme")
    proto = testing.build([foo], inputs={"x": [2]}, outputs=["y"], domains={"com.acme": 1})
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(SessionError) as caught:
        runner.describe(Runnable(path=path), SPEC)
    assert str(caught.value) == (
        "m.onnx: onnxruntime cannot run it on cpu at level all: it has no operator com.acme::Foo"
    )


def test_a_model_that_only_optimisation_breaks_runs_without(runner: Runner) -> None:
    nodes = [
        helper.make_node("Identity", ["x"], ["mid"]),
        helper.make_node("Div", ["1", "1"], ["one"]),
        helper.make_node("Mul", ["mid", "one"], ["w"]),
        helper.make_node("Add", ["w", "0"], ["y"]),
    ]
    constants = {"1": np.array([1], np.float32), "0": np.array([0], np.float32)}
    proto = testing.build(nodes, inputs={"x": [2]}, outputs={"y": [2]}, initializers=constants)
    runnable = Runnable(data=proto.SerializeToString())
    plain = runner.outputs(runnable, SessionSpec(level="none"), FEEDS)
    assert plain["y"].tolist() == [1, 2]


def test_inputs_that_do_not_fit_are_an_error_that_names_them(
    runner: Runner, model: Runnable
) -> None:
    with pytest.raises(SessionError, match="x"):
        runner.outputs(model, SPEC, {"z": np.ones(2, np.float32)})


def test_a_provider_that_is_not_there_is_no_fallback_to_cpu(
    runner: Runner, model: Runnable
) -> None:
    with pytest.raises(SessionError, match="QNNExecutionProvider is not in onnxruntime"):
        runner.time(model, SessionSpec(provider="qnn"), FEEDS, runs=1)


def test_options_with_a_dot_configure_the_session(runner: Runner, model: Runnable) -> None:
    spec = SessionSpec(options={"session.disable_prepacking": "1"})
    assert spec.params()["config"] == {"session.disable_prepacking": "1"}
    assert runner.outputs(model, spec, FEEDS)["y"].tolist() == [2, 4]


def test_a_specification_is_checked() -> None:
    with pytest.raises(ValueError, match="level must be one of none, basic"):
        SessionSpec(level="fast")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        SessionSpec(threads=-1)


def test_a_linked_file_is_opened_where_the_link_is(runner: Runner, tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    blob = tmp_path / "blobs" / "abc"
    blob.write_bytes(doubling().SerializeToString())
    link = tmp_path / "model.onnx"
    link.symlink_to(blob)
    assert runner.outputs(Runnable(path=link), SPEC, FEEDS)["y"].tolist() == [2, 4]
