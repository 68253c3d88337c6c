"""``profile``: where a model's time goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, cast

from onnxlab.profiling.options import MeasureOptions
from onnxlab.progress import Progress
from onnxlab.verbs.options import Bytes, Dims, Inputs, Names, Seconds, verb

if TYPE_CHECKING:
    import numpy as np

    from onnxlab.model.model import Model
    from onnxlab.profiling.profile import Profile

__all__ = ["ProfileOptions", "profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions(MeasureOptions):
    """How to profile a model; the other options are those of `MeasureOptions`.

    Attributes
    ----------
    inputs
        Arrays by input name, or an .npz file of them; inputs that are not given are generated.
    """

    # The same options as in the base, but also as they are written on a command line.
    providers: Names = ("cpu",)
    dims: Dims = field(default_factory=dict)
    budget: Seconds = 5.0
    time_limit: Seconds = 600.0
    memory_limit: Bytes | None = None
    inputs: Inputs | None = None


@verb(ProfileOptions)
def profile(model: Model, options: ProfileOptions, *, progress: Progress) -> Profile:
    """Measure where a model's time goes, node by node, on each provider.

    The model runs in a child process. A provider that fails does not stop the others: its cell
    in the result says why.

    Returns
    -------
    Profile
        Tables, findings and figures of the measurement.

    Raises
    ------
    OnnxlabError
        The model cannot be read, or the inputs do not fit it.
    """
    from onnxlab.profiling.measure import measure

    plain = MeasureOptions(**{f.name: getattr(options, f.name) for f in fields(MeasureOptions)})
    inputs = cast("Mapping[str, np.ndarray] | Path | None", options.inputs)
    return measure(model, plain, inputs=inputs, progress=progress)
