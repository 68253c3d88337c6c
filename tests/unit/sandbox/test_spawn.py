from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from onnxlab.errors import (
    Cancelled,
    ChildCrashed,
    ChildTimeout,
    MemoryLimitExceeded,
    OnnxlabError,
)
from onnxlab.sandbox.limits import Limits
from onnxlab.sandbox.spawn import Child, TaskFailed


def test_a_task_gets_arguments_and_returns_a_result(child: Child) -> None:
    assert child.call("double", number=21) == 42


def test_text_of_any_kind_survives_the_way(child: Child) -> None:
    value = {"a\nb": ["\u2028", "\ud800", 1.5, None, True, 2**70]}
    assert child.call("echo", value=value) == value


def test_progress_arrives_while_the_task_runs(child: Child) -> None:
    seen: list[tuple[str, int, int]] = []
    child.call("report", steps=3, progress=lambda m, d=0, t=0: seen.append((m, d, t)))
    assert seen
    assert set(seen) <= {("stepping", step, 3) for step in (1, 2, 3)}


def test_what_a_task_prints_does_not_disturb_the_protocol(child: Child) -> None:
    assert child.call("noise") == "quiet"


def test_an_exception_keeps_its_type_and_the_child(child: Child) -> None:
    pid = child.call("pid")
    with pytest.raises(TaskFailed, match="LookupError: no such thing") as caught:
        child.call("fail", message="no such thing")
    assert (caught.value.type, caught.value.message) == ("LookupError", "no such thing")
    assert child.call("pid") == pid


def test_an_unknown_task_is_a_failure_and_nothing_more(child: Child) -> None:
    with pytest.raises(TaskFailed, match="KeyError"):
        child.call("nothing of that name")


def test_the_last_words_of_a_dead_child_are_told_without_colours(child: Child) -> None:
    with pytest.raises(ChildCrashed, match=r"exit code 3; its last words: the last words \(dur"):
        child.call("die", code=3)


def test_the_next_call_after_a_crash_finds_a_fresh_child(child: Child) -> None:
    before = child.call("pid")
    with pytest.raises(ChildCrashed, match="SIGABRT"):
        child.call("abort")
    assert child.call("pid") != before


def test_a_child_killed_between_calls_is_replaced(child: Child) -> None:
    victim = psutil.Process(child.call("pid"))
    victim.kill()
    while victim.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert child.call("double", number=1) == 2


def test_a_call_has_its_own_time_limit(child: Child) -> None:
    with pytest.raises(ChildTimeout, match=r"'report' did not finish within 0\.2 s"):
        child.call("report", steps=1000, time_limit_s=0.2)


def test_memory_beyond_the_limit_ends_the_child(task_file: Path) -> None:
    limits = Limits(memory_bytes=256 << 20)
    with Child(tasks=task_file, limits=limits) as child:
        with pytest.raises(MemoryLimitExceeded, match=r"'swell' needed more than .* 0.268 GB"):
            child.call("swell", size_bytes=4 << 30)
        assert child.call("double", number=1) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_a_single_allocation_far_beyond_the_limit_fails_inside_the_child(child: Child) -> None:
    pid = child.call("pid")
    with pytest.raises(MemoryLimitExceeded):
        child.call("allocate", size_bytes=12 << 30)
    assert child.call("pid") == pid


def test_another_thread_can_cancel(child: Child) -> None:
    started = threading.Event()

    def cancel() -> None:
        started.wait()
        child.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        child.call("report", steps=1000, progress=lambda *_: started.set())
    thread.join()
    assert child.call("double", number=1) == 2


def test_cancelling_nothing_does_nothing(child: Child) -> None:
    child.cancel()
    assert child.call("double", number=1) == 2
    child.cancel()
    assert child.call("double", number=1) == 2


def test_an_error_in_the_progress_callback_ends_the_child(child: Child) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        child.call("report", steps=1000, progress=interrupted)
    assert child.pid is None
    assert child.call("double", number=1) == 2


def test_the_child_works_in_a_folder_of_its_own_that_close_removes(child: Child) -> None:
    folder = Path(child.call("folder"))
    assert folder == child.workdir
    assert folder != Path.cwd()
    child.close()
    assert not folder.exists()
    assert child.call("double", number=1) == 2


def test_a_second_interrupt_leaves_no_folder(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, remove, interrupts = child.workdir, shutil.rmtree, iter([KeyboardInterrupt])

    def interrupted(path: Path, *, ignore_errors: bool) -> None:
        for interrupt in interrupts:
            raise interrupt
        remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr("onnxlab.sandbox.spawn.shutil.rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        child.close()
    assert not folder.exists()


def test_no_place_for_temporary_files_is_one_line(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(OnnxlabError, match=r"temporary files to .*gone: No such file .*TMPDIR"):
        child.call("double", number=1)


def test_a_forgotten_child_cleans_up_after_itself(task_file: Path) -> None:
    child = Child(tasks=task_file)
    process, folder = psutil.Process(child.call("pid")), child.workdir
    del child
    assert not process.is_running()
    assert not folder.exists()


def test_calls_of_several_threads_take_turns(child: Child) -> None:
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(child.call("double", number=n)))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 2, 4, 6, 8, 10, 12, 14]


def test_a_task_file_that_cannot_be_imported_says_so(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import no_such_module_anywhere\n")
    with Child(tasks=path) as child, pytest.raises(TaskFailed, match="no_such_module_anywhere"):
        child.call("anything")


def test_an_interpreter_that_is_not_there_says_so(task_file: Path) -> None:
    with (
        Child(tasks=task_file, python="/nowhere/python") as child,
        pytest.raises(ChildCrashed, match="cannot start /nowhere/python"),
    ):
        child.call("double", number=1)


def test_secrets_of_the_environment_stay_outside(
    task_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "CUDA_API_KEY", "HTTPS_PROXY", "ANYTHING"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with Child(tasks=task_file, env={"EXTRA": "1"}) as child:
        seen = child.call("environment")
    assert "secret" not in seen.values()
    assert seen["OMP_NUM_THREADS"] == "3"
    assert seen["EXTRA"] == "1"
    assert seen["TMPDIR"] != os.environ.get("TMPDIR", "/tmp")
