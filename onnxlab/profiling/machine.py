"""Facts about the machine that a measurement depends on, and what disturbed it meanwhile."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from onnxlab import __version__

__all__ = ["Disturbance", "MachineFacts", "disturbance_notes", "read_disturbance", "read_machine"]

_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFacts:
    """Where a profile was measured.

    Attributes
    ----------
    cpu
        The processor's name.
    cores, logical_cores
        Physical and logical cores of the machine; 0 where unknown.
    affinity
        Number of logical cores this process may use.
    quota_cores
        Cores that the container's CPU quota allows; None for no quota.
    governor
        Frequency governor of the first core, empty where not shown.
    memory_bytes
        Physical memory.
    system, python, onnxruntime, onnx, onnxlab
        Versions; ``python`` and ``onnxruntime`` are those of the process that ran the model.
    """

    cpu: str
    cores: int
    logical_cores: int
    affinity: int
    quota_cores: float | None
    governor: str
    memory_bytes: int
    system: str
    python: str
    onnxruntime: str
    onnx: str
    onnxlab: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """Counters to read before and after a measurement.

    Attributes
    ----------
    throttled
        How often the CPU quota has stopped this container; 0 where not shown.
    load
        The machine's load average over the last minute; 0 where not shown.
    """

    throttled: int
    load: float


def read_machine(*, python: str, onnxruntime: str) -> MachineFacts:
    """Return the facts of this machine.

    Parameters
    ----------
    python, onnxruntime
        Versions in the process that runs models.
    """
    import psutil

    return MachineFacts(
        cpu=_cpu_name(),
        cores=psutil.cpu_count(logical=False) or 0,
        logical_cores=psutil.cpu_count() or 0,
        affinity=_affinity(),
        quota_cores=_quota_cores(),
        governor=_read_line(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        memory_bytes=psutil.virtual_memory().total,
        system=platform.platform(),
        python=python,
        onnxruntime=onnxruntime,
        onnx=_version("onnx"),
        onnxlab=__version__,
    )


def read_disturbance() -> Disturbance:
    """Return the counters as they stand now."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return Disturbance(throttled=_throttled(), load=load)


def disturbance_notes(
    before: Disturbance, after: Disturbance, *, machine: MachineFacts
) -> tuple[str, ...]:
    """Return sentences on what may have disturbed a measurement between two readings."""
    notes = []
    throttled = after.throttled - before.throttled
    if throttled > 0:
        notes.append(f"The CPU quota stopped the process {throttled} times while measuring.")
    cores = machine.quota_cores or machine.affinity
    # The measurement itself keeps about one core busy; more than the rest is other work.
    if after.load > cores:
        notes.append(f"The machine was busy: load average {after.load:.1f} on {cores:g} cores.")
    return tuple(notes)


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota_cores() -> float | None:
    """Return the quota of control group version 2, else of version 1."""
    quota, _, period = _read_line(_cgroup_folder() / "cpu.max").partition(" ")
    if not quota:
        quota = _read_line(_CGROUP / "cpu" / "cpu.cfs_quota_us")
        period = _read_line(_CGROUP / "cpu" / "cpu.cfs_period_us")
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None
    return cores if cores > 0 else None


def _throttled() -> int:
    for path in (_cgroup_folder() / "cpu.stat", _CGROUP / "cpu" / "cpu.stat"):
        for line in _read_text(path).splitlines():
            if line.startswith("nr_throttled "):
                return int(line.split()[1])
    return 0


def _cgroup_folder() -> Path:
    """Return this process's own control group (version 2), which may lie below the root."""
    for line in _read_text(Path("/proc/self/cgroup")).splitlines():
        if line.startswith("0::"):
            own = _CGROUP / line[3:].lstrip("/")
            return own if (own / "cpu.stat").exists() else _CGROUP
    return _CGROUP


def _read_line(path: Path) -> str:
    return _read_text(path).partition("\n")[0].strip()


def _read_text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
