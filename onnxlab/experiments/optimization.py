"""`Optimization`: a model whose passes are switched on and off, and what that does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

from onnxlab import exits
from onnxlab.errors import ModelError, OnnxlabError
from onnxlab.experiments.effect import Effect, operator_frame
from onnxlab.experiments.measure import Measurer, Settings
from onnxlab.experiments.pass_table import pass_frame
from onnxlab.mapping.instrument import instrument
from onnxlab.model.model import Model
from onnxlab.passes.code import session_code
from onnxlab.passes.ort import Action, OrtOptimiser, Variant
from onnxlab.passes.pipeline import Pipeline, preset
from onnxlab.passes.save import Saved, save_variant
from onnxlab.progress import Progress, silent
from onnxlab.runtime.inputs import Feeds
from onnxlab.runtime.session import Runnable, Runner

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Optimization", "Settings"]

_BIG_BYTES = 32_000_000


class Optimization:
    """A model and a choice of ONNX Runtime's passes.

    Switching is instant; what it does is computed when asked for, once per resulting graph.

    Parameters
    ----------
    model
        The model, which is never changed.
    settings
        How it is run.

    Examples
    --------
    >>> from onnxlab.testing import mlp
    >>> from onnxlab.model.load import load
    >>> with Optimization(load(mlp(layers=2))) as optimization:
    ...     optimization.toggle("GemmActivationFusion", False).variant.node_count
    4
    """

    def __init__(self, model: Model, settings: Settings | None = None) -> None:
        self.model = model
        self.settings = settings = settings or Settings()
        self._pipeline = preset("all")
        self._preset = "all"
        # Two children: a variant is made at once while another one is being measured.
        self._runner = Runner(limits=settings.limits)
        self._optimiser = OrtOptimiser(
            model, self._runner, runnable=_light_copy(model), threads=settings.threads
        )
        self._measurer = Measurer(model, settings)
        self._saved: dict[Pipeline, tuple[Saved, ...]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child processes; they start again when needed."""
        self._runner.close()
        self._measurer.close()

    @property
    def pipeline(self) -> Pipeline:
        """The passes that are on, as a value."""
        return self._pipeline

    @property
    def enabled(self) -> frozenset[str]:
        """Ids of the passes that are on."""
        return self._pipeline.enabled

    @property
    def preset_name(self) -> str:
        """The preset last chosen (other than ``none``), in which passes are seen to act."""
        return self._preset

    def toggle(self, pass_id: str, enabled: bool) -> Self:
        """Switch one pass, or all rules of a rule set, on or off.

        Raises
        ------
        ValueError
            No such pass, or one that cannot be switched; the message says what to do.
        """
        self._pipeline = self._pipeline.toggled(pass_id, enabled)
        return self

    def preset(self, name: str) -> Self:
        """Switch to what ONNX Runtime does at a level: none, basic, extended, layout or all."""
        self._pipeline = preset(name)
        if name != "none":
            self._preset = name
        return self

    @property
    def variant(self) -> Variant:
        """The model as the enabled passes make it."""
        return self._optimiser.variant(self._pipeline)

    @property
    def baseline(self) -> Variant:
        """The model with all passes off."""
        return self._optimiser.variant(preset("none"))

    @property
    def counts(self) -> pd.Series:
        """Nodes by operator, without measuring anything."""
        import pandas as pd

        counts = pd.Series(dict(self.variant.counts), name="nodes", dtype="int64")
        return counts.sort_values(ascending=False, kind="stable").rename_axis("operator")

    @property
    def diff(self) -> pd.DataFrame:
        """Nodes by operator with all passes off and with the enabled ones."""
        return operator_frame(self.baseline, self.variant)

    def actions(self, progress: Progress = silent) -> Mapping[str, Action]:
        """Return what each pass that acts on the model does, within `preset_name`."""
        return self._optimiser.actions(self._preset, progress=progress)

    @property
    def passes(self) -> pd.DataFrame:
        """Every pass, those that act on this model first.

        Columns: ``id``, ``level``, ``kind``, ``description``, ``example``, ``enabled``, ``acts``,
        ``delta_nodes`` (nodes that it adds or, negative, removes within `preset_name`; missing
        where it does not act), ``note``.
        """
        return pass_frame(self.enabled, self.actions())

    @property
    def known_effect(self) -> Effect:
        """The effect of the enabled passes as far as it is known, without measuring now."""
        effect = Effect(
            baseline=self.baseline,
            whole=self._optimiser.variant(preset(self._preset)),
            variant=self.variant,
            saved=self._saved.get(self._pipeline, ()),
            original_nodes=self.model.table.node_count,
        )
        return self._measurer.known(effect)

    @property
    def effect(self) -> Effect:
        """The effect of the enabled passes, measured at first need."""
        known = self.known_effect
        return known if known.error or known.latency else self.measure()

    def measure(
        self,
        *,
        budget_s: float | None = None,
        progress: Progress = silent,
        on_update: Callable[[Effect], None] | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Effect:
        """Measure agreement of the outputs, then latency in rounds of fresh sessions.

        Parameters
        ----------
        budget_s
            Time to spend on latency, about; that of the settings where not given.
        progress
            Told what is being done.
        on_update
            Told the effect as its intervals narrow.
        is_cancelled
            Asked between sessions; what is known by then is returned.

        Raises
        ------
        Cancelled
            Cancelled before there was anything to tell.
        """
        effect = self.known_effect
        if effect.error:
            return effect
        return self._measurer.measure(
            effect,
            budget_s=budget_s,
            progress=progress,
            on_update=on_update,
            is_cancelled=is_cancelled,
        )

    def cancel(self) -> None:
        """End the measurement that another thread waits for."""
        self._measurer.cancel()

    @property
    def feeds(self) -> Feeds:
        """The inputs it is run with."""
        return self._measurer.feeds

    def save(self, path: str | os.PathLike[str]) -> Saved:
        """Save the optimised model, whole and ready to use; the original is never overwritten.

        Raises
        ------
        ValueError
            The path is the original's, or its folder does not exist.
        SessionError
            ONNX Runtime refuses the model with these passes.
        """
        pipeline = self._pipeline
        saved = save_variant(
            self.model, self._runner, pipeline, path, threads=self.settings.threads
        )
        self._saved[pipeline] = (*self._saved.get(pipeline, ()), saved)
        return saved

    def code(self) -> str:
        """Return the Python code that makes a session with these passes."""
        path = "model.onnx" if self.model.path is None else str(self.model.path)
        return session_code(self._pipeline, path, threads=self.settings.threads)

    def __repr__(self) -> str:
        off = len(self.pipeline.disabled)
        switched = f", {off} switched off" if off else ""
        try:
            effect = repr(self.known_effect)
        except OnnxlabError as error:
            effect = str(error)
        head = f"<Optimization of {self.model.name}: {len(self.enabled)} passes on{switched}>"
        return f"{head}\n{effect}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        name = "Optimization._repr_mimebundle_"
        return exits.call(name, self, include=include, exclude=exclude)


def _light_copy(model: Model) -> Runnable | None:
    """Return a copy of a big model that refers to its weights instead of holding them."""
    if model.path is None or model.size_bytes < _BIG_BYTES:
        return None
    try:
        return instrument(model).runnable
    except ModelError:  # its own file will do, and says what is wrong
        return None
