"""How a profile was measured, as rows of the report's last section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from onnxlab.model.text import elide, visible
from onnxlab.profiling.quantity import format_bytes, format_us

if TYPE_CHECKING:
    from onnxlab.profiling.cell import Cell
    from onnxlab.profiling.profile import Profile

__all__ = ["Fact", "SessionRow", "facts", "session_rows"]

_KEY_CHARACTERS = 80
_TEXT_CHARACTERS = 400

Fact = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """One session of one provider."""

    provider: str
    session: str
    purpose: str
    load: str
    first_run: str
    median: str
    runs: str
    peak: str


def facts(profile: Profile) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    """Return titled lists of key and text."""
    titled = (
        ("Model", _model(profile)),
        ("Inputs", _inputs(profile)),
        ("Machine", _machine(profile)),
        ("Versions", _versions(profile)),
        ("Options", _options(profile)),
    )
    return tuple((title, tuple(_shown(pairs))) for title, pairs in titled)


def session_rows(profile: Profile) -> tuple[SessionRow, ...]:
    """Return every session that was made, in order."""
    return tuple(row for cell in profile.cells for row in _sessions(cell))


def _shown(pairs: Iterator[Fact]) -> Iterator[Fact]:
    for key, text in pairs:
        yield elide(visible(key), _KEY_CHARACTERS), elide(visible(text), _TEXT_CHARACTERS)


def _model(profile: Profile) -> Iterator[Fact]:
    yield from profile.model.entries


def _inputs(profile: Profile) -> Iterator[Fact]:
    yield from profile.inputs.values
    for name, size in profile.inputs.dims.items():
        yield f"dimension {name}", str(size)


def _machine(profile: Profile) -> Iterator[Fact]:
    machine = profile.machine
    yield "processor", machine.cpu or "unknown"
    yield "cores", f"{machine.cores} physical, {machine.logical_cores} logical"
    yield "usable cores", str(machine.affinity)
    if machine.quota_cores is not None:
        yield "CPU quota", f"{machine.quota_cores:g} cores"
    if machine.governor:
        yield "frequency governor", machine.governor
    yield "memory", format_bytes(machine.memory_bytes)
    yield "system", machine.system


def _versions(profile: Profile) -> Iterator[Fact]:
    for name in ("onnxlab", "onnxruntime", "onnx", "python"):
        yield name, getattr(profile.machine, name) or "unknown"


def _options(profile: Profile) -> Iterator[Fact]:
    for field in fields(profile.options):
        value = getattr(profile.options, field.name)
        yield field.name.replace("_", " "), _option_text(field.name, value)


def _option_text(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={size}" for key, size in value.items()) or "none given"
    if value is None:
        return "automatic"
    return f"{value:g} s" if name in ("budget", "time_limit") else str(value)


def _sessions(cell: Cell) -> Iterator[SessionRow]:
    for number, session in enumerate(cell.sessions):
        yield SessionRow(
            provider=cell.label,
            session=str(number + 1),
            purpose="wall time" if number else "warm-up, not counted",
            load=format_us(session.load_ns / 1e3),
            first_run=format_us(session.first_run_ns / 1e3),
            median=_median(session.run_ns / 1e3),
            runs=f"{len(session.run_ns):,}",
            peak=format_bytes(session.peak_rss_bytes),
        )
    if cell.is_attributed:
        yield SessionRow(
            provider=cell.label,
            session=str(len(cell.sessions) + 1),
            purpose="kernels, with the profiler",
            load="",
            first_run="",
            median=_median(cell.self_us.sum(axis=1)),
            runs=f"{cell.self_us.shape[0]:,}",
            peak="",
        )


def _median(times_us: np.ndarray) -> str:
    return format_us(float(np.median(times_us))) if len(times_us) else ""
