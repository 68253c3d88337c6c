"""How long a child process may work and how much memory it may hold."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

__all__ = ["Limits", "MemoryWatch", "address_space_bytes", "available_bytes"]

_AVAILABLE_SHARE = 0.8
_GIB = 1 << 30
_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a child process.

    Parameters
    ----------
    time_s
        The longest a single call may take.
    memory_bytes
        Resident memory of the child and all it starts; ``None`` for 80 % of what is available
        when the child starts.
    """

    time_s: float = 600.0
    memory_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.time_s <= 0:
            raise ValueError(f"a time limit must be positive, got {self.time_s} s")
        if self.memory_bytes is not None and self.memory_bytes <= 0:
            raise ValueError(f"a memory limit must be positive, got {self.memory_bytes} bytes")

    def resolve_memory_bytes(self) -> int:
        """Return the memory limit in bytes, as of now."""
        if self.memory_bytes is not None:
            return self.memory_bytes
        return int(available_bytes() * _AVAILABLE_SHARE)


def available_bytes() -> int:
    """Memory that can be used without swapping, within a container's own limit too."""
    available = int(psutil.virtual_memory().available)
    in_container = _cgroup_available_bytes()
    return available if in_container is None else min(available, in_container)


def _cgroup_available_bytes() -> int | None:
    try:
        limit = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        stat = (_CGROUP / "memory.stat").read_text()
    except (OSError, ValueError):  # no cgroup v2, or "max"
        return None
    reclaimable = next(
        (int(line.split()[1]) for line in stat.splitlines() if line.startswith("inactive_file ")), 0
    )
    return max(limit - used + reclaimable, 0)


def address_space_bytes(memory_bytes: int) -> int:
    """Address space to allow a child that may hold ``memory_bytes``.

    A single absurd allocation then fails cleanly inside the child. The margin is for what is
    mapped but never touched: libraries, and per thread a stack (8 MiB) and a malloc arena (64 to
    128 MiB).
    """
    return memory_bytes + 4 * _GIB + (os.cpu_count() or 1) * (200 << 20)


class MemoryWatch:
    """Looks at the resident memory of a process and of all it started.

    The process itself is read at every look, which is cheap; its descendants are searched for
    once a second only, since that reads the whole process table.
    """

    _SEARCH_INTERVAL_S = 1.0

    def __init__(self, pid: int, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._process = psutil.Process(pid)
        self._descendants: list[psutil.Process] = []
        self._next_search_s = time.monotonic() + self._SEARCH_INTERVAL_S

    def exceeded(self) -> bool:
        """Tell whether the limit is exceeded now."""
        return self.resident_bytes() > self.limit_bytes

    def resident_bytes(self) -> int:
        """Resident memory now; 0 once the process has ended."""
        now_s = time.monotonic()
        if now_s >= self._next_search_s:
            self._next_search_s = now_s + self._SEARCH_INTERVAL_S
            self._descendants = _descendants(self._process)
        return sum(_resident_bytes(process) for process in (self._process, *self._descendants))


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _resident_bytes(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
