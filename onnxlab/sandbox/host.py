"""The script a child process runs: serves the functions of one task file over a private pipe.

Run by path as ``python -I -u host.py TASK_FILE`` with the standard library alone, in any
interpreter. Requests and replies are JSON lines; see `onnxlab.sandbox.process` for the other end.
File descriptor 1 is pointed at stderr first, so that nothing printed by native code can reach the
protocol.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import queue
import shutil
import signal
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any, TextIO

PROGRESS_INTERVAL_NS = 50_000_000
MESSAGE_LIMIT = 8000  # characters of an error's text that travel to the parent


class Replies:
    """The way back to the parent, one JSON object a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next_progress_ns = 0

    def send(self, **message: Any) -> None:
        """Write one message at once."""
        self._stream.write(json.dumps(message) + "\n")
        self._stream.flush()

    def progress(self, message: str, done: int = 0, total: int = 0) -> None:
        """Report progress, at most twenty times a second."""
        now_ns = time.perf_counter_ns()
        if now_ns >= self._next_progress_ns:
            self._next_progress_ns = now_ns + PROGRESS_INTERVAL_NS
            self.send(event="progress", message=message, done=done, total=total)


def take_pipes() -> tuple[TextIO, TextIO]:
    """Move the protocol off descriptors 0 and 1, which anything in the process may use."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a descriptor is what is wanted
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies


def load_tasks(path: Path) -> dict[str, Any]:
    """Import the task file as part of a package of its own, so that it can import its siblings.

    The package's own ``__init__`` is not executed: it may need more than the child has.
    """
    package = types.ModuleType("task_package")
    package.__path__ = [str(path.parent)]
    sys.modules[package.__name__] = package
    tasks: dict[str, Any] = importlib.import_module(f"{package.__name__}.{path.stem}").TASKS
    return tasks


def restrict(address_space_bytes: int) -> None:
    """Limit the address space (softly: a task may lift it for a GPU) and write no core dumps."""
    try:
        import resource
    except ImportError:  # Windows: the parent's watchdog is the limit
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if address_space_bytes and sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (address_space_bytes, hard))


def leave(workdir: Path) -> None:
    """Remove what this process wrote and end it with all it started: the parent is gone."""
    with contextlib.suppress(OSError):
        os.chdir(workdir.parent)
    for _ in range(2):  # a task may still be writing while the first pass runs
        shutil.rmtree(workdir, ignore_errors=True)
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def listen(requests: TextIO, inbox: queue.SimpleQueue[dict[str, Any]], workdir: Path) -> None:
    """Pass requests on while the main thread works, and notice the end of the parent."""
    for line in requests:
        inbox.put(json.loads(line))
    leave(workdir)


def answer(tasks: dict[str, Any], request: dict[str, Any], replies: Replies) -> dict[str, Any]:
    """Run one task and return the message that ends its call."""
    # The edge of the worker loop: whatever a task raises becomes a message.
    try:
        task = tasks[request["task"]]
        params = request["params"]
        if "progress" in inspect.signature(task).parameters:
            params["progress"] = replies.progress
        return {"event": "result", "value": task(**params)}
    except BaseException as error:  # noqa: BLE001
        return failure(error)


def failure(error: BaseException) -> dict[str, Any]:
    """Describe an exception to the parent."""
    return {
        "event": "error",
        "type": type(error).__name__,
        "message": str(error)[:MESSAGE_LIMIT],
    }


def main() -> None:
    """Serve requests until the parent closes the pipe or dies."""
    stream_in, stream_out = take_pipes()
    replies = Replies(stream_out)
    first = stream_in.readline()
    if not first:
        leave(Path.cwd())
    start = json.loads(first)
    sys.path.extend(entry for entry in start["path"] if entry not in sys.path)
    inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(stream_in, inbox, Path.cwd()), daemon=True).start()
    restrict(start["address_space_bytes"])
    try:
        tasks = load_tasks(Path(sys.argv[1]))
    except BaseException as error:  # noqa: BLE001 - told to the parent, which raises it
        replies.send(**failure(error))
        return
    replies.send(event="ready")
    while True:
        replies.send(**answer(tasks, inbox.get(), replies))


if __name__ == "__main__":
    main()
