"""One running child process: its pipes, its last words, its end."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import psutil

from onnxlab.errors import ChildCrashed

__all__ = ["CLOSED", "WAKE", "Message", "Process"]

Message = dict[str, Any]

CLOSED: Message = {"event": "closed"}  # the child closed its end: it is dead or dying
WAKE: Message = {"event": "wake"}  # nothing came: time to look at limits and wishes

_HOST = Path(__file__).with_name("host.py")
_TAIL_LINES = 40
_LINE_LIMIT = 2000
_LAST_WORDS_LIMIT = 300
_REAP_TIMEOUT_S = 10.0
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Process:
    """A child process running the host script on a task file.

    Replies arrive in ``messages``. The threads that read the pipes hold no reference to this
    object, so that it can be collected.
    """

    def __init__(self, tasks: Path, *, python: str, workdir: Path, env: Mapping[str, str]) -> None:
        self._owner_pid = os.getpid()
        command = [python, "-I", "-u", str(_HOST), str(tasks)]
        try:
            self._popen = _start(command, workdir=workdir, env=env)
        except OSError as error:
            raise ChildCrashed(f"cannot start {python}: {error.strerror}") from error
        self.messages: queue.Queue[Message] = queue.Queue()
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        self._readers = (
            _thread(_read_messages, self._popen.stdout, self.messages),
            _thread(_read_tail, self._popen.stderr, self._tail),
        )

    @property
    def pid(self) -> int:
        """Process id of the child, which leads its own process group."""
        return self._popen.pid

    def is_alive(self) -> bool:
        """Tell whether the child is still there."""
        return self._popen.poll() is None

    def send(self, message: Mapping[str, object]) -> None:
        """Send one message; a child that is dead shows in ``messages`` instead."""
        assert self._popen.stdin is not None
        line = json.dumps(message) + "\n"
        with contextlib.suppress(OSError):
            self._popen.stdin.write(line.encode())
            self._popen.stdin.flush()

    def kill(self) -> None:
        """End the child and everything it started, and release the pipes. Idempotent."""
        if os.getpid() != self._owner_pid:  # a forked copy of the parent owns nothing here
            return
        _kill_group(self._popen)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_REAP_TIMEOUT_S)
        for reader in self._readers:
            reader.join(_REAP_TIMEOUT_S)
        with contextlib.suppress(OSError):
            self._popen.stdin and self._popen.stdin.close()

    def obituary(self) -> str:
        """Say how a dead child died, with the last it wrote to stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_REAP_TIMEOUT_S)
        self._readers[1].join(1.0)
        cause = _cause(self._popen.returncode)
        words = self._last_words()
        return f"{cause}; its last words: {words}" if words else cause

    def _last_words(self) -> str:
        lines = [_ANSI.sub("", line).strip() for line in self._tail]
        words = " ".join([line for line in lines if line][-2:])[-_LAST_WORDS_LIMIT:]
        return "".join(character if character.isprintable() else " " for character in words)


def _start(
    command: Sequence[str], *, workdir: Path, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    # A group of its own: Ctrl-C in a terminal reaches the parent alone, which decides.
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=workdir, env=dict(env), **options
    )


def _thread(target: Any, *args: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


def _read_messages(stream: IO[bytes], messages: queue.Queue[Message]) -> None:
    with stream, contextlib.suppress(ValueError, OSError):  # ValueError: a line cut by the end
        for line in stream:
            messages.put(json.loads(line))
    messages.put(CLOSED)


def _read_tail(stream: IO[bytes], tail: deque[str]) -> None:
    with stream, contextlib.suppress(ValueError, OSError):
        while line := stream.readline(_LINE_LIMIT):
            tail.append(line.decode("utf-8", "replace"))


def _kill_group(popen: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        _kill_tree(popen.pid)
        return
    # The group may outlive its leader; once the leader is reaped and the group empty, its id can
    # be used again, hence no killing of the group of a process that ended long ago.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)


def _kill_tree(pid: int) -> None:
    try:
        root = psutil.Process(pid)
        processes = [*root.children(recursive=True), root]
    except psutil.NoSuchProcess:
        return
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()


def _cause(returncode: int | None) -> str:
    if returncode is None:
        return "the child process closed its pipe"
    if returncode >= 0:
        return f"the child process ended with exit code {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        name = f"signal {-returncode}"
    hint = " (killed from outside, perhaps for want of memory)" if name == "SIGKILL" else ""
    return f"the child process died of {name}{hint}"
