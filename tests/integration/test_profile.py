from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import psutil
import pytest
from onnx import TensorProto, helper

import onnxlab
from onnxlab.errors import ChildCrashed, OnnxlabError
from onnxlab.profiling.profile import Profile
from onnxlab.progress import silent
from onnxlab.runtime.session import Runner, TimedSession
from onnxlab.testing import build, mlp

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "models").glob("*.onnx"))
FEW: dict[str, Any] = {"runs": 5, "warmup": 1, "sessions": 2, "progress": silent}
MISSING = "cann"  # a provider that no machine of ours has
KINDS = ["node_us", "region_us", "inserted_us", "unattributed_us"]


def profile(source: object, **options: Any) -> Profile:
    return onnxlab.profile(source, **{**FEW, **options})


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda path: path.stem)
def measured(request: pytest.FixtureRequest) -> Profile:
    return profile(request.param)


def test_kernel_time_of_each_run_is_split_exactly(measured: Profile) -> None:
    (cell,) = measured.cells
    assert cell.error == ""
    runs = measured.runs[measured.runs["phase"] == "profiled"]
    assert len(runs) == 5
    assert (runs[KINDS].sum(axis=1) == runs["kernels_us"]).all()
    assert runs["kernels_us"].tolist() == cell.self_us.sum(axis=1).tolist()
    assert runs["unattributed_us"].sum() == 0


def test_the_tables_add_up_to_the_same_total(measured: Profile) -> None:
    row = measured.summary.loc["cpu"]
    rest = row["inserted_us"] + row["unattributed_us"]
    total = measured.kernels["time_us"].sum()
    assert measured.nodes["time_us"].sum() + rest == pytest.approx(total)
    assert measured.regions["time_us"].sum() == pytest.approx(total)
    assert row["attributed"] == 1


def test_every_original_node_has_a_fate_and_those_that_ran_a_region(measured: Profile) -> None:
    nodes = measured.nodes
    assert len(nodes) == measured.model.table.node_count
    assert not (nodes["fate"] == "unknown").any()
    ran = nodes["fate"].isin(["executed", "region"])
    assert (nodes.loc[ran, "region"] != "").all()
    assert nodes.loc[nodes["time_us"].notna(), "region_lead"].tolist() == (
        nodes.index[nodes["time_us"].notna()].tolist()
    )


def test_a_measured_profile_survives_its_file(measured: Profile, tmp_path: Path) -> None:
    again = Profile.load(measured.save(tmp_path / "m.onnxprof"))
    assert again.runs.equals(measured.runs)
    assert again.nodes.equals(measured.nodes)
    assert again.summary.equals(measured.summary)
    assert again.findings == measured.findings
    for kind in ("treemap", "bar", "ops"):
        assert again.figure(kind).to_json() == measured.figure(kind).to_json()


def test_a_profile_says_how_it_was_measured() -> None:
    made = profile(mlp(), dims={"batch": 3}, seed=7, threads=2, level="basic")
    assert made.options.level == made.cells[0].level == "basic"
    assert (made.options.threads, made.options.seed) == (2, 7)
    assert made.inputs.dims == {"batch": 3}
    assert made.inputs.values == (("x", "float32 3×8"),)
    assert made.machine.onnxruntime
    assert made.machine.python.startswith("3.")
    assert made.measured_at.endswith("+00:00")
    row = made.summary.loc["cpu"]
    assert (row["sessions"], row["runs"], row["profiled_runs"]) == (1, 5, 5)


def test_given_inputs_are_used_and_nothing_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "feeds.npz"
    np.savez(path, x=np.zeros((4, 8), np.float32))
    for inputs in (path, {"x": np.zeros((4, 8), np.float32)}):
        made = profile(mlp(), inputs=inputs)
        assert made.inputs.values == (("x", "float32 4×8"),)
        assert made.inputs.guessed == ()


def test_a_provider_that_is_missing_is_an_error_beside_the_others() -> None:
    made = profile(mlp(), providers=[MISSING, "cpu"])
    failed, ran = made.cells
    assert "CANNExecutionProvider" in failed.error
    assert "\n" not in failed.error
    assert not failed.sessions
    assert ran.error == ""
    assert ran.ran_on == ("CPUExecutionProvider",)
    assert made.findings[0].code == "provider-failed"
    assert made.nodes["time_us"].sum() > 0


def test_a_mistyped_provider_is_refused_before_any_work() -> None:
    seen: list[str] = []
    with pytest.raises(ValueError, match="'cuda'"):
        profile(mlp(), providers="cudda", progress=lambda message, *_: seen.append(message))
    assert seen == []


def test_inputs_that_do_not_fit_are_refused() -> None:
    with pytest.raises((OnnxlabError, ValueError), match="x"):
        profile(mlp(), inputs={"x": np.zeros((4, 9), np.int64)})


def test_a_costly_node_gets_its_time() -> None:
    weights = {
        "small": np.ones((64, 64), np.float32),
        "large": np.ones((64, 64 * 200), np.float32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "small"], ["a"], name="cheap"),
        helper.make_node("MatMul", ["a", "large"], ["y"], name="costly"),
    ]
    model = build(nodes, inputs={"x": [64, 64]}, outputs=["y"], initializers=weights)
    times = profile(model).nodes.set_index("name")["time_us"]
    assert times["costly"] > 10 * times["cheap"]


def test_a_loops_body_has_its_own_rows_and_the_loop_its_own_time() -> None:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["go_on"]),
            helper.make_node("Mul", ["state", "state"], ["next"], name="square"),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, [64]),
        ],
        [
            helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, [64]),
        ],
    )
    model = build(
        [helper.make_node("Loop", ["n", "", "x"], ["y"], name="loop", body=body)],
        inputs={"x": [64]},
        outputs=["y"],
        initializers={"n": np.array(30, np.int64)},
    )
    made = profile(model)
    square = made.kernels.set_index("op_type").loc["Mul"]
    assert square["calls"] == 30
    assert square["nodes"] == ("0/body/1",)
    assert made.nodes.loc["0", "fate"] == "executed"
    assert made.summary.loc["cpu", "unattributed_us"] == 0


def test_the_branch_not_taken_is_not_executed() -> None:
    branches = {
        f"{name}_branch": helper.make_graph(
            [helper.make_node(op, ["x"], [name])],
            name,
            [],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])],
        )
        for name, op in (("then", "Neg"), ("else", "Abs"))
    }
    model = build(
        [
            helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
            helper.make_node("Greater", ["sum", "zero"], ["positive"]),
            helper.make_node("If", ["positive"], ["y"], **branches),
        ],
        inputs={"x": [4]},
        outputs=["y"],
        initializers={"zero": np.array(0, np.float32)},
    )
    fates = profile(model, inputs={"x": np.ones(4, np.float32)}).nodes["fate"]
    assert fates["2/then_branch/0"] == "executed"
    assert fates["2/else_branch/0"] == "not executed"


def test_a_model_that_the_optimiser_breaks_is_profiled_without_it() -> None:
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[1] x) => (float[1] y) <float[1] one = {1}, float[1] zero = {0}> {
            mid = Identity(x)
            quotient = Div(one, one)
            w = Mul(mid, quotient)
            y = Add(w, zero)
        }"""
    )
    made = profile(model)
    (cell,) = made.cells
    assert cell.error == ""
    assert cell.is_attributed
    if cell.level == "all":
        pytest.skip("this onnxruntime no longer has the fault")
    assert cell.level == "none"
    assert any("with optimisation off" in note for note in cell.notes)
    assert "optimisation-fails" in [finding.code for finding in made.findings]


def test_nodes_that_share_a_name_are_measured_apart() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="n"),
        helper.make_node("Abs", ["a"], ["b"], name="n"),
        helper.make_node("Neg", ["b"], ["y"], name="n"),
    ]
    made = profile(build(nodes, inputs={"x": [4]}, outputs=["y"]))
    assert made.cells[0].error == ""
    assert made.nodes["time_us"].notna().all()


def test_a_model_that_cannot_run_says_why_in_one_line() -> None:
    nodes = [helper.make_node("SuperOp", ["x"], ["y"], domain="com.acme")]
    model = build(nodes, inputs={"x": [4]}, outputs=["y"], domains={"com.acme": 1})
    made = profile(model)
    assert "com.acme::SuperOp" in made.cells[0].error
    assert "\n" not in made.cells[0].error
    assert made.nodes["op_type"].tolist() == ["SuperOp"]
    assert "failed" in repr(made)


def test_wall_times_stand_when_the_profiled_session_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(self: Runner, *_: object, **__: object) -> None:
        raise ChildCrashed("the process died of signal 11")

    monkeypatch.setattr(Runner, "trace", crash)
    made = profile(mlp())
    (cell,) = made.cells
    assert cell.error == "the process died of signal 11"
    assert made.summary.loc["cpu", "wall_us"] > 0
    assert not cell.is_attributed


def test_a_provider_on_which_no_node_ran_gets_no_times(monkeypatch: pytest.MonkeyPatch) -> None:
    steady = np.full(3, 1_000, np.int64)

    def on_cpu_instead(self: Runner, *_: object, **__: object) -> TimedSession:
        return TimedSession(
            load_ns=1,
            first_run_ns=1,
            run_ns=steady,
            cpu_ns=steady,
            peak_rss_bytes=1,
            providers=("CPUExecutionProvider",),
        )

    monkeypatch.setattr(Runner, "time", on_cpu_instead)
    made = profile(mlp(), providers=[MISSING])
    assert made.cells[0].error == (
        "no node ran on CANNExecutionProvider; providers used: CPUExecutionProvider"
    )
    assert np.isnan(made.summary["wall_us"]).all()


def test_an_interrupt_leaves_no_process_behind() -> None:
    def interrupt(message: str, done: int = 0, total: int = 0) -> None:
        if "session 2" in message:
            raise KeyboardInterrupt

    before = {child.pid for child in psutil.Process().children()}
    with pytest.raises(KeyboardInterrupt):
        profile(mlp(), progress=interrupt)
    assert {child.pid for child in psutil.Process().children()} <= before
    assert profile(mlp()).cells[0].error == ""


def test_progress_goes_forward_to_its_total() -> None:
    seen: list[tuple[int, int]] = []
    profile(
        mlp(),
        providers=["cpu", MISSING],
        progress=lambda message, done=0, total=0: seen.append((done, total)),
    )
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {200}


def test_a_file_that_changed_since_it_was_opened_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(mlp(), path)
    model = onnxlab.load(path)
    onnx.save(mlp(layers=3), path)
    with pytest.raises(OnnxlabError, match="load it again"):
        profile(model)


def test_a_file_that_changes_while_it_is_measured_gives_no_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(mlp(layers=1).SerializeToString())
    trace = Runner.trace

    def and_replace(runner: Runner, *args: Any, **options: Any) -> Any:
        path.write_bytes(mlp(layers=1, width=32).SerializeToString())
        return trace(runner, *args, **options)

    monkeypatch.setattr(Runner, "trace", and_replace)
    (cell,) = profile(path).cells
    assert "changed since it was opened: load it again" in cell.error
    assert cell.sessions == ()
    assert cell.kernels == ()
