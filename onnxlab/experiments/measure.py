"""Measuring variants of one model: agreement of outputs and latency, once per resulting graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from onnxlab.errors import Cancelled
from onnxlab.experiments.agreement import NOT_DETERMINISTIC, Agreement, agree
from onnxlab.experiments.compare import Plan
from onnxlab.experiments.effect import Effect
from onnxlab.experiments.latency import Latency, measure_latency
from onnxlab.model.model import Model
from onnxlab.passes.ort import FAILURES, Variant, runnable_of, session_spec
from onnxlab.passes.pipeline import preset
from onnxlab.progress import Progress
from onnxlab.runtime.inputs import Feeds, make_feeds
from onnxlab.runtime.session import Runner
from onnxlab.runtime.spec import MAX_THREADS
from onnxlab.sandbox.limits import Limits

__all__ = ["Measurer", "Settings"]

_RANDOM_OPERATORS = frozenset(
    {
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How variants are run.

    Attributes
    ----------
    threads
        Threads within an operator.
    dims
        Sizes for symbolic dimensions.
    inputs
        Arrays by input name, or an ``.npz`` file of them; inputs left out are generated.
    seed
        Seed of the generated inputs, of the order of sessions and of the bootstrap.
    budget_s
        Time for measuring one variant, about.
    limits
        Time and memory of each step.
    """

    threads: int = 1
    dims: Mapping[str, int] = field(default_factory=dict)
    inputs: Any = None
    seed: int = 0
    budget_s: float = 20.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Refuse what cannot be measured, before any work starts."""
        if not 1 <= self.threads <= MAX_THREADS:
            raise ValueError(f"threads is {self.threads}: it must be 1 to {MAX_THREADS}")
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}: it must be 0 or more")
        if not self.budget_s > 0:
            raise ValueError("budget must be more than 0 seconds")


class Measurer:
    """Measures in a child process of its own, one variant at a time.

    Parameters
    ----------
    model
        The model, whose untouched file is what runs.
    settings
        How it is run.
    """

    def __init__(self, model: Model, settings: Settings) -> None:
        self._model = model
        self._settings = settings
        self._runner = Runner(limits=settings.limits)
        self._turn = threading.Lock()
        self._latencies: dict[tuple[str, str], Latency] = {}
        self._agreements: dict[str, Agreement] = {}

    @cached_property
    def feeds(self) -> Feeds:
        """The inputs of every run."""
        settings = self._settings
        return make_feeds(
            self._model, dims=settings.dims, inputs=settings.inputs, seed=settings.seed
        )

    def known(self, effect: Effect) -> Effect:
        """Return an effect with what was measured before."""
        graph = effect.variant.graph
        return replace(
            effect,
            agreement=self._agreements.get(graph),
            latency=self._latencies.get((graph, effect.whole.graph)),
        )

    def measure(
        self,
        effect: Effect,
        *,
        budget_s: float | None,
        progress: Progress,
        on_update: Callable[[Effect], None] | None,
        is_cancelled: Callable[[], bool],
    ) -> Effect:
        """Return an effect with its agreement and latency; see `Optimization.measure`."""
        with self._turn:
            if is_cancelled():
                raise Cancelled("cancelled before it began")
            progress("comparing outputs", 0, 0)
            agreed = replace(effect, agreement=self._agreement(effect.variant))
            if on_update is not None:
                on_update(agreed)
            latency = self._latency(
                agreed,
                plan=Plan(
                    budget_s=self._settings.budget_s if budget_s is None else budget_s,
                    seed=self._settings.seed,
                ),
                progress=progress,
                on_update=on_update,
                is_cancelled=is_cancelled,
            )
            return replace(agreed, latency=latency)

    def cancel(self) -> None:
        """End the session that another thread waits for."""
        self._runner.cancel()

    def close(self) -> None:
        """End the child process; it starts again when needed."""
        self._runner.close()

    def _latency(
        self,
        effect: Effect,
        *,
        plan: Plan,
        progress: Progress,
        on_update: Callable[[Effect], None] | None,
        is_cancelled: Callable[[], bool],
    ) -> Latency:
        latency = measure_latency(
            self._runner,
            runnable_of(self._model),
            self.feeds.values,
            variant=effect.variant,
            baseline=effect.baseline,
            whole=effect.whole,
            threads=self._settings.threads,
            plan=plan,
            progress=progress,
            on_update=None
            if on_update is None
            else lambda latency: on_update(replace(effect, latency=latency)),
            is_cancelled=is_cancelled,
        )
        if latency.stopped == "cancelled" and latency.rounds == 0:
            raise Cancelled("cancelled before the first round was finished")
        self._latencies[effect.variant.graph, effect.whole.graph] = latency
        return latency

    def _agreement(self, variant: Variant) -> Agreement:
        if variant.graph not in self._agreements:
            self._agreements[variant.graph] = self._compare_outputs(variant)
        return self._agreements[variant.graph]

    def _compare_outputs(self, variant: Variant) -> Agreement:
        if random := _unseeded(self._model):
            return Agreement(refused=f"{NOT_DETERMINISTIC}: {random} draws without a seed")
        runnable, threads = runnable_of(self._model), self._settings.threads
        off = session_spec(preset("none"), threads=threads)
        on = session_spec(variant.pipeline, threads=threads)
        feeds = self.feeds.values
        try:
            once, again = (self._runner.outputs(runnable, off, feeds) for _ in range(2))
        except FAILURES as error:
            return Agreement(refused=f"the model does not run with all passes off: {error}")
        try:
            return agree(once, again, self._runner.outputs(runnable, on, feeds))
        except FAILURES as error:
            return Agreement(refused=f"failed: {error}")


def _unseeded(model: Model) -> str:
    """Return an operator that draws random numbers without a seed, or nothing.

    ONNX Runtime seeds them by a node's position: two sessions of one graph draw the same, and
    those of two graphs do not.
    """
    for row in range(model.table.node_count):
        if model.table.op(row) in _RANDOM_OPERATORS:
            node = model.node_proto(row)
            if all(attribute.name != "seed" for attribute in node.attribute):
                return node.op_type
    return ""
