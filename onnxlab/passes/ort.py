"""ONNX Runtime's own optimiser: a model after a choice of passes, and which passes act on it."""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from onnxlab.errors import (
    ChildCrashed,
    ChildTimeout,
    MemoryLimitExceeded,
    ModelError,
    SessionError,
)
from onnxlab.model.external import external_place, is_external
from onnxlab.model.model import Model
from onnxlab.passes.catalog import PassRecord, find
from onnxlab.passes.fingerprint import count_operators, fingerprint
from onnxlab.passes.interface import interface_changes
from onnxlab.passes.pipeline import Pipeline, preset, switchable
from onnxlab.progress import Progress, silent
from onnxlab.runtime.session import Runnable, Runner, SessionSpec
from onnxlab.sandbox.scratch import explained_scratch

__all__ = ["FAILURES", "Action", "OrtOptimiser", "Variant", "runnable_of", "session_spec"]

FAILURES = (SessionError, ChildCrashed, ChildTimeout, MemoryLimitExceeded, ModelError)
"""What a pass can do to a model that makes a row, not an end."""

_COURTESY_S = 0.001  # lets a thread go first that waits for a variant which the user asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A model after a pipeline.

    Attributes
    ----------
    pipeline
        The passes that were on.
    graph
        Digest of the resulting graph (`onnxlab.passes.fingerprint`); empty where it failed.
    counts
        Nodes by operator, bodies included.
    size_bytes
        Size of the model on disk, weights included.
    interface
        What changed in the names, types and sizes of inputs and outputs, one sentence each.
    acted
        Transformers that ONNX Runtime says changed the graph, its rule sets among them.
    error
        Why there is no such model; empty where there is one.
    """

    pipeline: Pipeline
    graph: str = ""
    counts: Mapping[str, int] = field(default_factory=Counter)
    size_bytes: int = 0
    interface: tuple[str, ...] = ()
    acted: tuple[str, ...] = ()
    error: str = ""

    @property
    def node_count(self) -> int:
        """Number of nodes, bodies included."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What one pass does to a model, seen by leaving it out of a preset.

    Attributes
    ----------
    acts
        Whether it changes the graph.
    delta_nodes
        Nodes of the preset's graph less those of the graph without the pass: negative where it
        removes nodes; None where that is not known.
    note
        What else is worth saying.
    """

    acts: bool
    delta_nodes: int | None = None
    note: str = ""


class OrtOptimiser:
    """Makes variants of one model, each once.

    Parameters
    ----------
    model
        The model; its file is read by the child and never written.
    runner
        Where models are optimised.
    runnable
        What to optimise in place of the model's own file: a copy that is faster to read.
    threads
        Threads within an operator, as for `SessionSpec`.
    """

    def __init__(
        self,
        model: Model,
        runner: Runner,
        *,
        runnable: Runnable | None = None,
        threads: int = 1,
    ) -> None:
        self._runnable = runnable or runnable_of(model)
        self._model = model
        self._runner = runner
        self._threads = threads
        self._variants: dict[Pipeline, Variant] = {}
        self._actions: dict[str, dict[str, Action]] = {}
        self._lock = threading.Lock()

    def variant(self, pipeline: Pipeline) -> Variant:
        """Return the model after a pipeline; a failure is a variant with an ``error``."""
        with self._lock:
            if pipeline not in self._variants:
                self._variants[pipeline] = self._make(pipeline)
            return self._variants[pipeline]

    def actions(
        self, preset_name: str, *, budget_s: float = 10.0, progress: Progress = silent
    ) -> Mapping[str, Action]:
        """Return what each pass does that acts on the model within a preset.

        Transformers name themselves in ONNX Runtime's log. Rewrite rules do not, so each one whose
        operators occur is left out once and the graphs are compared. Node counts that do not fit
        into the budget stay unknown, and so do culprits where the preset fails.
        """
        if preset_name not in self._actions:
            found = dict(self._find_actions(preset(preset_name), budget_s, progress))
            self._actions[preset_name] = found
        return self._actions[preset_name]

    def _find_actions(
        self, whole: Pipeline, budget_s: float, progress: Progress
    ) -> Iterator[tuple[str, Action]]:
        base = self.variant(whole)
        candidates = self._candidates(whole, base)
        deadline = monotonic() + budget_s
        for done, record in enumerate(candidates):
            progress(f"leaving out {record.id}", done, len(candidates))
            is_known_to_act = record.id in base.acted
            if monotonic() > deadline:
                if base.error:  # each step of the search may take as long as the failure did
                    return
                if is_known_to_act:
                    yield record.id, Action(acts=True)
                    continue
            sleep(_COURTESY_S)
            without = self.variant(whole.toggled(record.id, False))
            action = _compare(base, without, is_known_to_act=is_known_to_act)
            if action.acts:
                yield record.id, action

    def _candidates(self, whole: Pipeline, base: Variant) -> list[PassRecord]:
        records = [find(name) for name in whole.enabled]
        if base.error:  # there is no log to read, and any pass may be the culprit
            return [record for record in switchable() if record in records]
        operators = self.variant(preset("none")).counts.keys() | base.counts.keys()
        chosen = {
            record.id
            for record in records
            if record.id in base.acted
            or (record.rule_set in base.acted and not operators.isdisjoint(record.operators))
        }
        return [record for record in switchable() if record.id in chosen]

    def _make(self, pipeline: Pipeline) -> Variant:
        self._model.check_unchanged()
        spec = session_spec(pipeline, threads=self._threads)
        try:
            with (
                explained_scratch(),
                tempfile.TemporaryDirectory(dir=self._runner.workdir) as folder,
            ):
                result = self._runner.optimise(self._runnable, spec, Path(folder, "variant.onnx"))
                saved = Model.from_optimised(result.path)
                return Variant(
                    pipeline=pipeline,
                    graph=fingerprint(saved),
                    counts=count_operators(saved),
                    size_bytes=_size_bytes(saved, result.path),
                    interface=interface_changes(self._model, saved),
                    acted=result.acted,
                )
        except FAILURES as error:
            return Variant(pipeline=pipeline, error=str(error))


def runnable_of(model: Model) -> Runnable:
    """Return what a session of the untouched model is made of."""
    if model.path is not None:
        return Runnable(path=model.path, name=model.name)
    return Runnable(data=model.data, folder=model.folder, name=model.name)


def session_spec(pipeline: Pipeline, *, threads: int = 1, provider: str = "cpu") -> SessionSpec:
    """Return how a session with these passes is made."""
    return SessionSpec(
        provider=provider,
        level=pipeline.level,
        threads=threads,
        disabled_passes=pipeline.disabled,
    )


def _size_bytes(saved: Model, path: Path) -> int:
    """Return the size with the weights that a variant of a light copy refers to."""
    tensors = [tensor for tensor in saved.proto.graph.initializer if is_external(tensor)]
    places = {external_place(tensor) for tensor in tensors}
    return path.stat().st_size + sum(place.length or 0 for place in places)


def _compare(base: Variant, without: Variant, *, is_known_to_act: bool) -> Action:
    if base.error:
        if without.error:
            return Action(acts=False)
        return Action(acts=True, note="the model loads without it")
    if without.error:
        return Action(acts=True, note=f"without it failed: {without.error}")
    delta = base.node_count - without.node_count
    if without.graph == base.graph:
        return Action(acts=is_known_to_act, delta_nodes=0, note="the graph is the same without it")
    return Action(acts=True, delta_nodes=delta)
