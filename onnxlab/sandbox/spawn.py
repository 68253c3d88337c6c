"""A child process that serves named tasks, within limits, and is started anew after a crash."""

from __future__ import annotations

import os
import queue
import shutil
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from onnxlab.errors import (
    Cancelled,
    ChildCrashed,
    ChildTimeout,
    MemoryLimitExceeded,
    OnnxlabError,
)
from onnxlab.progress import Progress, silent
from onnxlab.sandbox.environment import child_environment
from onnxlab.sandbox.limits import Limits, MemoryWatch, address_space_bytes
from onnxlab.sandbox.process import WAKE, Message, Process
from onnxlab.sandbox.scratch import explained_scratch

__all__ = ["Child", "TaskFailed"]

_START_TIMEOUT_S = 60.0
_LOOK_INTERVAL_S = 0.05


class TaskFailed(OnnxlabError):
    """A task raised an exception; the child lives on.

    Attributes
    ----------
    type
        Name of the exception's class.
    message
        The exception's text.
    """

    def __init__(self, type_name: str, message: str) -> None:
        super().__init__(f"{type_name}: {message}")
        self.type = type_name
        self.message = message


class Child:
    """Runs the tasks of one file in a process of its own.

    The process starts with the first call, and again with the next call after it died or was
    killed. Calls from several threads are served one after the other.

    Parameters
    ----------
    tasks
        A python file with a dict ``TASKS`` of functions taking and returning what JSON can hold.
        It may import its siblings relatively. A function with a parameter ``progress`` gets a
        callback of the shape of `onnxlab.progress.Progress`.
    python
        The interpreter; ``None`` for the one that runs now.
    limits
        Time and memory of each call.
    env
        Environment variables on top of the allowed ones (`onnxlab.sandbox.environment`).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from onnxlab.sandbox.spawn import Child
    >>> with TemporaryDirectory() as folder:
    ...     tasks = Path(folder, "tasks.py")
    ...     _ = tasks.write_text("TASKS = {'add': lambda a, b: a + b}")
    ...     with Child(tasks=tasks) as child:
    ...         child.call("add", a=1, b=2)
    3
    """

    def __init__(
        self,
        *,
        tasks: Path,
        python: str | None = None,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.tasks = tasks.resolve()
        self.python = python
        self.limits = limits
        self._env = env
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._watch: MemoryWatch | None = None
        self._workdir: Path | None = None
        self._busy = False
        self._cancel_wanted = False
        # Run when this object is collected and at interpreter exit, newest first.
        self._remove_workdir: weakref.finalize[..., Child] | None = None
        self._end_process: weakref.finalize[..., Child] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def workdir(self) -> Path:
        """The child's working directory, made at first need and removed by `close`."""
        if self._workdir is None:
            with explained_scratch():
                self._workdir = Path(tempfile.mkdtemp(prefix="onnxlab-")).resolve()
            self._remove_workdir = weakref.finalize(
                self, _remove_folder, self._workdir, owner_pid=os.getpid()
            )
        return self._workdir

    @property
    def pid(self) -> int | None:
        """Process id of the running child, if there is one."""
        return self._process.pid if self._process else None

    def call(
        self,
        task: str,
        /,
        *,
        time_limit_s: float | None = None,
        progress: Progress = silent,
        **params: object,
    ) -> Any:
        """Run a task and return its result.

        Parameters
        ----------
        task
            Key in the task file's ``TASKS``.
        time_limit_s
            In place of the child's own limit, for this call.
        progress
            Told what the task reports.
        params
            Arguments of the task, anything JSON can hold.

        Raises
        ------
        TaskFailed
            The task raised an exception.
        ChildCrashed, ChildTimeout, MemoryLimitExceeded
            The process died or was killed; the next call starts another.
        Cancelled
            Another thread called `cancel`.
        """
        limit_s = self.limits.time_s if time_limit_s is None else time_limit_s
        with self._lock:
            self._cancel_wanted = False
            self._busy = True
            try:
                process = self._running_process()
                process.send({"task": task, "params": params})
                message = self._last_message(process, task, limit_s=limit_s, progress=progress)
            except BaseException:  # Ctrl-C above all: nothing may go on behind the user's back
                self._discard_process()
                raise
            finally:
                self._busy = False
        if message["event"] == "error":
            raise self._task_error(task, message)
        return message["value"]

    def cancel(self) -> None:
        """Make the call that another thread is waiting for end with `Cancelled`."""
        process = self._process
        if self._busy:
            self._cancel_wanted = True
            if process is not None:
                process.messages.put(WAKE)

    def close(self) -> None:
        """End the process and remove its working directory. The child can be used again."""
        self.cancel()
        with self._lock:
            self._discard_process()
            if self._remove_workdir is not None:
                self._remove_workdir()
            self._workdir = self._remove_workdir = None

    def _running_process(self) -> Process:
        if self._process is not None and self._process.is_alive():
            return self._process
        self._discard_process()
        memory_bytes = self.limits.resolve_memory_bytes()
        process = Process(
            self.tasks,
            python=self.python or sys.executable,
            workdir=self.workdir,
            env=child_environment(self.workdir, self._env),
        )
        self._process = process
        self._end_process = weakref.finalize(self, process.kill)
        self._watch = MemoryWatch(process.pid, memory_bytes)
        # Its own packages first; then those only this process finds (user site, PYTHONPATH).
        extra_path = [entry for entry in sys.path if entry] if self.python is None else []
        process.send({"path": extra_path, "address_space_bytes": address_space_bytes(memory_bytes)})
        message = self._last_message(process, "start", limit_s=_START_TIMEOUT_S, progress=silent)
        if message["event"] == "error":
            raise self._task_error("start", message)
        return process

    def _last_message(
        self, process: Process, task: str, *, limit_s: float, progress: Progress
    ) -> Message:
        """Wait for the message that ends a call, passing progress on and watching the limits."""
        deadline_s = time.monotonic() + limit_s
        while True:
            message = self._next_message(process)
            match message["event"]:
                case "ready" | "result" | "error":
                    return message
                case "closed":
                    raise ChildCrashed(f"{process.obituary()} (during '{task}')")
                case "progress":
                    progress(message["message"], message["done"], message["total"])
            if self._cancel_wanted:
                raise Cancelled(f"'{task}' was cancelled")
            self._check_limits(task, limit_s=limit_s, deadline_s=deadline_s)

    def _next_message(self, process: Process) -> Message:
        try:
            return process.messages.get(timeout=_LOOK_INTERVAL_S)
        except queue.Empty:
            return WAKE

    def _check_limits(self, task: str, *, limit_s: float, deadline_s: float) -> None:
        if time.monotonic() > deadline_s:
            raise ChildTimeout(f"'{task}' did not finish within {limit_s:g} s and was stopped")
        if self._watch is not None and self._watch.exceeded():
            raise self._memory_error(task)

    def _task_error(self, task: str, message: Message) -> OnnxlabError:
        if message["type"] == "MemoryError":
            return self._memory_error(task)
        return TaskFailed(message["type"], message["message"])

    def _memory_error(self, task: str) -> MemoryLimitExceeded:
        limit_bytes = self._watch.limit_bytes if self._watch else 0
        return MemoryLimitExceeded(
            f"'{task}' needed more than the memory limit of {limit_bytes / 1e9:.3g} GB"
        )

    def _discard_process(self) -> None:
        if self._end_process is not None:
            self._end_process()
        self._process = self._watch = self._end_process = None


def _remove_folder(folder: Path, *, owner_pid: int) -> None:
    if os.getpid() == owner_pid:  # a forked copy of the parent owns nothing here
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except KeyboardInterrupt:  # of one who is in a hurry: this is the only time to clean up
            shutil.rmtree(folder, ignore_errors=True)
            raise
