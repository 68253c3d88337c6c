"""Work beside the kernel's main thread, of which only the newest request counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Latest"]

T = TypeVar("T")


class Latest(Generic[T]):
    """Calls a function in a thread with the newest value submitted; older ones are dropped.

    Parameters
    ----------
    run
        What to do with a value; it must not raise.
    """

    def __init__(self, run: Callable[[T], None]) -> None:
        self._run = run
        self._lock = threading.Condition()
        self._pending: list[T] = []
        self._is_running = False

    def submit(self, value: T) -> None:
        """Ask for a value to be worked on, in place of one that still waits."""
        with self._lock:
            self._pending = [value]
            if self._is_running:
                return
            self._is_running = True
        threading.Thread(target=self._work, name="onnxlab-widget", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Wait until nothing is left to do; return whether that came about."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._is_running, timeout_s)

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._pending:
                    self._is_running = False
                    self._lock.notify_all()
                    return
                value = self._pending.pop()
            self._run(value)
