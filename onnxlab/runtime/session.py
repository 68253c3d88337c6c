"""Running a model: sessions in a child process, each exactly as specified."""

from __future__ import annotations

import hashlib
import itertools
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from onnxlab.errors import (
    Cancelled,
    ChildCrashed,
    ChildTimeout,
    MemoryLimitExceeded,
    MissingExtra,
    OnnxlabError,
    SessionError,
)
from onnxlab.progress import Progress, silent
from onnxlab.runtime.catalog import choose
from onnxlab.runtime.child.events import read_events
from onnxlab.runtime.child.exchange import RawTensor, read_values, write_values
from onnxlab.runtime.reasons import is_out_of_memory, reason
from onnxlab.runtime.results import (
    Event,
    OptimisedResult,
    OutputValue,
    Port,
    RuntimeInfo,
    SessionInterface,
    TimedSession,
    TracedSession,
)
from onnxlab.runtime.spec import Level, Runnable, SessionSpec
from onnxlab.sandbox.limits import Limits
from onnxlab.sandbox.scratch import explained_scratch
from onnxlab.sandbox.spawn import Child, TaskFailed

__all__ = [
    "Level",
    "OptimisedResult",
    "OutputValue",
    "Port",
    "Runnable",
    "Runner",
    "RuntimeInfo",
    "SessionInterface",
    "SessionSpec",
    "TimedSession",
    "TracedSession",
]

FeedValue = Any  # an array, a list of arrays (sequence), a dict (map) or None (empty optional)

_TASKS = Path(__file__).parent / "child" / "tasks.py"


class Runner:
    """Runs models in one child process, which survives what a model does to it.

    Parameters
    ----------
    limits
        Time and memory of each call.
    python
        An interpreter that has onnxruntime and numpy; ``None`` for the one that runs now.
    """

    def __init__(self, *, limits: Limits = Limits(), python: str | None = None) -> None:  # noqa: B008
        self._child = Child(tasks=_TASKS, python=python, limits=limits)
        self._numbers = itertools.count()
        self._written: dict[int, tuple[Mapping[str, FeedValue], Path]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child and remove its files."""
        self._child.close()
        self._written.clear()

    @property
    def workdir(self) -> Path:
        """A folder for temporary files, removed with the child even if this process is killed."""
        return self._child.workdir

    def cancel(self) -> None:
        """Make the call another thread waits for end with `onnxlab.errors.Cancelled`."""
        self._child.cancel()

    def probe(self) -> RuntimeInfo:
        """Tell what the child's interpreter offers."""
        with _explained("onnxruntime"):
            found = self._child.call("probe")
        return RuntimeInfo(
            version=found["version"],
            python=found["python"],
            platform=found["platform"],
            device=found["device"],
            available_providers=tuple(found["available_providers"]),
            levels=tuple(found["levels"]),
        )

    def try_provider(self, spec: SessionSpec) -> tuple[str, ...]:
        """Run a tiny model on a provider and return the providers of its session."""
        with _explained(choose(spec.provider).entry.name):
            return tuple(self._child.call("try_provider", spec=spec.params()))

    def describe(self, runnable: Runnable, spec: SessionSpec) -> SessionInterface:
        """Tell inputs and outputs as the runtime sees them."""
        found = self._call("describe", runnable, spec)
        return SessionInterface(
            inputs=tuple(_port(port) for port in found["inputs"]),
            outputs=tuple(_port(port) for port in found["outputs"]),
            providers=tuple(found["providers"]),
            load_ns=found["load_ns"],
        )

    def time(
        self,
        runnable: Runnable,
        spec: SessionSpec,
        feeds: Mapping[str, FeedValue],
        *,
        runs: int,
        warmup: int = 5,
        budget_s: float | None = None,
        progress: Progress = silent,
    ) -> TimedSession:
        """Time a fresh session, unprofiled.

        Parameters
        ----------
        runnable, spec, feeds
            What to run, how, and with which inputs.
        runs, warmup
            Runs that count; runs before them, the first run included.
        budget_s
            Stop after this many seconds of runs that count (three runs at least).
        progress
            Told how far it is.
        """
        _check_runs(runs, warmup)
        found = self._call(
            "time",
            runnable,
            spec,
            feeds=self._feeds(feeds),
            runs=runs,
            warmup=warmup,
            budget_s=budget_s,
            progress=progress,
        )
        return TimedSession(
            load_ns=found["load_ns"],
            first_run_ns=found["first_run_ns"],
            run_ns=np.array(found["run_ns"], dtype=np.int64),
            cpu_ns=np.array(found["cpu_ns"], dtype=np.int64),
            peak_rss_bytes=found["peak_rss_bytes"],
            providers=tuple(found["providers"]),
        )

    def trace(
        self,
        runnable: Runnable,
        spec: SessionSpec,
        feeds: Mapping[str, FeedValue],
        *,
        runs: int,
        warmup: int = 5,
        save_optimised: bool = True,
        progress: Progress = silent,
    ) -> TracedSession:
        """Run a fresh session with ONNX Runtime's profiler on.

        Fewer runs than asked for are made where the events would pass the profiler's cap. A
        provider that compiles the graph gives no optimised model.
        """
        _check_runs(runs, warmup)
        folder = self._new_folder("trace")
        found = self._call(
            "trace",
            runnable,
            spec,
            feeds=self._feeds(feeds),
            runs=runs,
            warmup=warmup,
            optimised_path=str(folder / "optimised.onnx") if save_optimised else None,
            folder=str(folder),
            progress=progress,
        )
        events_path = Path(found["events_path"])
        events = read_events(events_path)
        events_path.unlink()
        return TracedSession(
            events=_without_warmup(events, found["warmup"]),
            optimised_path=Path(found["optimised_path"]) if found["optimised_path"] else None,
            load_ns=found["load_ns"],
            run_ns=np.array(found["run_ns"][found["warmup"] :], dtype=np.int64),
            providers=tuple(found["providers"]),
        )

    def outputs(
        self, runnable: Runnable, spec: SessionSpec, feeds: Mapping[str, FeedValue]
    ) -> dict[str, OutputValue]:
        """Run once and return the outputs by name."""
        folder = self._new_folder("outputs")
        values = folder / "values"
        self._call("outputs", runnable, spec, feeds=self._feeds(feeds), folder=str(values))
        found = read_values(values)
        shutil.rmtree(folder, ignore_errors=True)
        return {name: _with_own_dtype(value) for name, value in found.items()}

    def optimise(self, runnable: Runnable, spec: SessionSpec, save_to: Path) -> OptimisedResult:
        """Save the model as the runtime optimises it."""
        target = save_to.absolute()
        found = self._call("optimise", runnable, spec, save_to=str(target))
        return OptimisedResult(path=target, load_ns=found["load_ns"], acted=tuple(found["acted"]))

    def _call(
        self,
        task: str,
        runnable: Runnable,
        spec: SessionSpec,
        *,
        progress: Progress = silent,
        **params: Any,
    ) -> Any:
        with _explained(runnable.label, spec):
            return self._child.call(
                task,
                progress=progress,
                model=self._model(runnable),
                spec=spec.params(),
                **params,
            )

    @explained_scratch()
    def _model(self, runnable: Runnable) -> dict[str, str | None]:
        folder = str(runnable.folder.absolute()) if runnable.folder else None
        if runnable.path is not None:
            # Not resolved: a link's external data lies beside the link.
            return {"path": str(runnable.path.absolute()), "data_path": None, "folder": None}
        data = runnable.data or b""
        path = self._child.workdir / f"{hashlib.sha256(data).hexdigest()[:16]}.onnx"
        if not path.exists():
            path.write_bytes(data)
        return {"path": None, "data_path": str(path), "folder": folder}

    @explained_scratch()
    def _feeds(self, feeds: Mapping[str, FeedValue]) -> str:
        # The same mapping is written once; it is kept so that its id stays its own.
        known = self._written.get(id(feeds))
        if known is not None and known[1].exists():
            return str(known[1])
        folder = self._new_folder("feeds") / "values"
        write_values(folder, feeds)
        self._written[id(feeds)] = (feeds, folder)
        return str(folder)

    @explained_scratch()
    def _new_folder(self, kind: str) -> Path:
        folder = self._child.workdir / f"{kind}-{next(self._numbers)}"
        folder.mkdir()
        return folder


def _check_runs(runs: int, warmup: int) -> None:
    if runs < 1 or warmup < 0:
        raise ValueError(f"runs must be 1 or more and warmup 0 or more, got {runs} and {warmup}")


@contextmanager
def _explained(label: str, spec: SessionSpec | None = None) -> Iterator[None]:
    """Turn what the child's tasks raise into one line about the model."""
    try:
        yield
    except TaskFailed as error:
        raise _explanation(error, label, spec) from error
    except ChildTimeout as error:
        raise ChildTimeout(f"{label}: {error}; raise time_limit if it needs longer") from error
    except MemoryLimitExceeded as error:
        raise MemoryLimitExceeded(
            f"{label}: {error}; raise memory_limit or set smaller dims"
        ) from error
    except (ChildCrashed, Cancelled) as error:
        raise type(error)(f"{label}: {error}") from error


def _explanation(error: TaskFailed, label: str, spec: SessionSpec | None) -> OnnxlabError:
    if error.type in ("ModuleNotFoundError", "ImportError"):
        return MissingExtra(
            f"onnxruntime cannot be imported ({error.message}); pip install 'onnxlab[cpu]'"
        )
    if is_out_of_memory(error.message):
        return MemoryLimitExceeded(f"{label}: {reason(error.message)}")
    where = f" on {spec.provider} at level {spec.level}" if spec else ""
    return SessionError(f"{label}: onnxruntime cannot run it{where}: {reason(error.message)}")


def _without_warmup(events: list[Event], warmup: int) -> list[Event]:
    runs = sorted(
        (
            event
            for event in events
            if event.get("name") == "model_run" and event["cat"] == "Session"
        ),
        key=lambda event: int(event["ts"]),
    )
    if not warmup or len(runs) <= warmup:
        return events
    start_us = runs[0]["ts"]
    end_us = runs[warmup]["ts"]
    return [event for event in events if not start_us <= event.get("ts", 0) < end_us]


def _port(record: dict[str, Any]) -> Port:
    return Port(name=record["name"], type=record["type"], shape=tuple(record["shape"]))


def _with_own_dtype(value: OutputValue) -> OutputValue:
    """Give a tensor of a type that numpy lacks its own dtype."""
    if not isinstance(value, RawTensor):
        return value
    import ml_dtypes

    return value.bits.view(getattr(ml_dtypes, value.dtype))
