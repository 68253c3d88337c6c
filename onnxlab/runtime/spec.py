"""What a session is made of and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from onnxlab.runtime.catalog import choose

__all__ = ["MAX_THREADS", "Level", "Runnable", "SessionSpec"]

MAX_THREADS = 1024  # the runtime starts as many as it is asked for, however long that takes

Level = Literal["none", "basic", "extended", "layout", "all"]
_LEVELS = ("none", "basic", "extended", "layout", "all")


@dataclass(frozen=True, slots=True)
class Runnable:
    """What a session is made of.

    Attributes
    ----------
    path
        A model file, used as it is; or ``None``, and then
    data
        the bytes of a model, and
    folder
        the folder in which its external data lies, if it has any.
    name
        What messages call it; by default the file's name.
    """

    path: Path | None = None
    data: bytes | None = None
    folder: Path | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if (self.path is None) == (self.data is None):
            raise ValueError("a Runnable needs either a path or data")

    @property
    def label(self) -> str:
        """What messages call the model."""
        return self.name or (self.path.name if self.path else "the model")


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """How a session is made.

    Attributes
    ----------
    provider
        ``cpu``, ``cuda:1``, ``openvino:GPU``, …; see `onnxlab.providers`.
    level
        How far ONNX Runtime may optimise the graph.
    threads
        Threads within an operator; 0 lets the runtime choose.
    spinning
        Whether idle threads spin, which steals time from others on a shared machine.
    disabled_passes
        Names of ONNX Runtime's optimisers to leave out.
    options
        Keys with a dot are session config entries, the others are options of the provider.
    """

    provider: str = "cpu"
    level: Level = "all"
    threads: int = 1
    spinning: bool = False
    disabled_passes: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.level not in _LEVELS:
            raise ValueError(f"level must be one of {', '.join(_LEVELS)}, got '{self.level}'")
        if not 0 <= self.threads <= MAX_THREADS:
            raise ValueError(f"threads is {self.threads}: it must be 0 to {MAX_THREADS}")

    def params(self) -> dict[str, Any]:
        """Return it as the child takes it."""
        choice = choose(self.provider)
        config = {key: value for key, value in self.options.items() if "." in key}
        of_provider = {key: value for key, value in self.options.items() if "." not in key}
        return {
            "provider": choice.entry.ort_name,
            "provider_options": choice.options | of_provider,
            "level": self.level,
            "threads": self.threads,
            "spinning": self.spinning,
            "disabled_passes": list(self.disabled_passes),
            "config": config,
        }
