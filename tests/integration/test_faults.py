"""Models and processes that misbehave: one clear error each, and the next call works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import psutil
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxlab import testing
from onnxlab.errors import ChildCrashed, ChildTimeout, MemoryLimitExceeded
from onnxlab.runtime.session import Runnable, Runner, SessionSpec
from onnxlab.sandbox.limits import Limits

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

SPEC = SessionSpec()
FEEDS = {"x": np.ones(2, np.float32)}
REPO = Path(__file__).parents[2]


def good_model() -> onnx.ModelProto:
    add = helper.make_node("Add", ["x", "x"], ["y"])
    return testing.build([add], inputs={"x": [2]}, outputs={"y": [2]})


def endless_model() -> onnx.ModelProto:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["more_in"], ["more"]),
            helper.make_node("Add", ["state_in", "state_in"], ["state"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("step", TensorProto.INT64, []),
            helper.make_tensor_value_info("more_in", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state_in", TensorProto.FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("more", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, [2]),
        ],
    )
    loop = helper.make_node("Loop", ["", "always", "x"], ["y"], body=body)
    always = {"always": np.array(True)}
    return testing.build([loop], inputs={"x": [2]}, outputs={"y": [2]}, initializers=always)


def greedy_model(size_bytes: int) -> onnx.ModelProto:
    """A model that grows in steps of 64 MiB, so that a limit is met on the way."""
    count = size_bytes >> 26
    shape = helper.make_node(
        "Constant", [], ["shape"], value=numpy_helper.from_array(np.array([1 << 24, 1]))
    )
    column = helper.make_node("Reshape", ["x", "column"], ["c"])
    part = helper.make_node("Slice", ["c", "zero", "one"], ["one_x"])
    grown = [helper.make_node("Expand", ["one_x", "shape"], [f"e{i}"]) for i in range(count)]
    sums = helper.make_node("Concat", [f"e{i}" for i in range(count)], ["all"], axis=1)
    total = helper.make_node("ReduceSum", ["all"], ["s"], keepdims=0)
    y = helper.make_node("Add", ["s", "x"], ["y"])
    return testing.build(
        [shape, column, part, *grown, sums, total, y],
        inputs={"x": [2]},
        outputs={"y": [2]},
        initializers={"column": np.array([2, 1]), "zero": np.array([0]), "one": np.array([1])},
    )


def runnable(model: onnx.ModelProto) -> Runnable:
    return Runnable(data=model.SerializeToString())


@pytest.fixture
def runner() -> Iterator[Runner]:
    with Runner(limits=Limits(time_s=60, memory_bytes=1 << 30)) as runner:
        yield runner


def assert_works(runner: Runner) -> None:
    outputs = runner.outputs(runnable(good_model()), SPEC, FEEDS)
    assert outputs["y"].tolist() == [2, 2]


def child_pid(runner: Runner) -> int:
    pid = runner._child.pid
    assert pid is not None
    return pid


@pytest.mark.parametrize(
    ("number", "name"),
    [(signal.SIGSEGV, "SIGSEGV"), (signal.SIGABRT, "SIGABRT"), (signal.SIGKILL, "SIGKILL")],
)
def test_a_child_that_dies_in_the_middle_of_a_run(
    runner: Runner, number: signal.Signals, name: str
) -> None:
    assert_works(runner)
    pid = child_pid(runner)
    killer = threading.Timer(0.3, os.kill, (pid, number))
    killer.start()
    with pytest.raises(ChildCrashed, match=name):
        runner.outputs(runnable(endless_model()), SPEC, FEEDS)
    killer.join()
    assert_works(runner)


def test_an_endless_loop_meets_the_time_limit() -> None:
    with Runner(limits=Limits(time_s=1.0)) as runner:
        with pytest.raises(ChildTimeout, match="did not finish within 1 s"):
            runner.outputs(runnable(endless_model()), SPEC, FEEDS)
        assert_works(runner)


def test_eight_gigabytes_meet_the_memory_limit(runner: Runner) -> None:
    with pytest.raises(MemoryLimitExceeded) as caught:
        runner.outputs(runnable(greedy_model(8 << 30)), SPEC, FEEDS)
    assert "\n" not in str(caught.value)
    assert_works(runner)


def test_one_allocation_beyond_all_memory_is_a_clean_error(runner: Runner) -> None:
    shape = {"shape": np.array([1 << 24, 1 << 20, 2])}
    expand = helper.make_node("Expand", ["x", "shape"], ["y"])
    model = testing.build([expand], inputs={"x": [2]}, outputs=["y"], initializers=shape)
    with pytest.raises(MemoryLimitExceeded):
        runner.outputs(runnable(model), SPEC, FEEDS)
    assert_works(runner)


def start_parent(tmp_path: Path, script: str) -> subprocess.Popen[str]:
    """Start a process of ours that runs the endless model and prints the id of its child."""
    model = tmp_path / "endless.onnx"
    model.write_bytes(endless_model().SerializeToString())
    good = tmp_path / "good.onnx"
    good.write_bytes(good_model().SerializeToString())
    preamble = f"""
        import numpy as np
        from pathlib import Path
        from onnxlab.runtime.session import Runnable, Runner, SessionSpec
        endless, good = Runnable(path=Path({str(model)!r})), Runnable(path=Path({str(good)!r}))
        feeds = {{"x": np.ones(2, np.float32)}}
        runner = Runner()
        runner.probe()
        print(runner._child.pid, runner._child.workdir, flush=True)
    """
    source = textwrap.dedent(preamble) + textwrap.dedent(script)
    return subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPO,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a background job's is off
    )


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.02)


def test_ctrl_c_ends_the_run_and_leaves_a_usable_runner(tmp_path: Path) -> None:
    script = """
        try:
            runner.outputs(endless, SessionSpec(), feeds)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        print(runner.outputs(good, SessionSpec(), feeds)["y"].tolist(), flush=True)
    """
    with start_parent(tmp_path, script) as parent:
        assert parent.stdout is not None
        pid, workdir = parent.stdout.readline().split()
        time.sleep(0.3)
        parent.send_signal(signal.SIGINT)
        rest, _ = parent.communicate(timeout=20)
    assert rest.splitlines() == ["interrupted", "[2.0, 2.0]"]
    assert parent.returncode == 0
    wait_until_gone(int(pid))
    assert not Path(workdir).exists()


def test_a_parent_that_is_killed_leaves_no_child_and_no_files(tmp_path: Path) -> None:
    script = "runner.outputs(endless, SessionSpec(), feeds)"
    with start_parent(tmp_path, script) as parent:
        assert parent.stdout is not None
        pid, workdir = parent.stdout.readline().split()
        time.sleep(0.3)
        parent.kill()
    wait_until_gone(int(pid))
    assert not Path(workdir).exists()


def test_a_parent_that_just_ends_leaves_no_child_and_no_files(tmp_path: Path) -> None:
    with start_parent(tmp_path, "") as parent:
        assert parent.stdout is not None
        pid, workdir = parent.stdout.readline().split()
    wait_until_gone(int(pid))
    assert not Path(workdir).exists()


def test_a_parent_that_is_killed_while_the_child_starts_leaves_no_files(tmp_path: Path) -> None:
    host = REPO / "onnxlab" / "sandbox" / "host.py"
    workdir = tmp_path / "work"
    workdir.mkdir()
    child = subprocess.Popen(
        [sys.executable, "-I", str(host), "tasks.py"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd=workdir,
        start_new_session=True,
    )
    assert child.wait(timeout=20) != 0
    assert not workdir.exists()
