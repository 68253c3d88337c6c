"""``optimize``: switch optimisation passes on and off and see what each does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from onnxlab.progress import Progress
from onnxlab.verbs.files import check_target
from onnxlab.verbs.options import Bytes, Dims, File, Inputs, Names, Seconds, verb

if TYPE_CHECKING:
    from onnxlab.experiments.measure import Settings
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.model.model import Model

__all__ = ["OptimizeOptions", "optimize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizeOptions:
    """Which passes to apply and what to do with the result.

    Attributes
    ----------
    preset
        Passes to begin with: what ONNX Runtime does at this level.
    enable
        Passes to switch on besides, such as GeluFusionL2.
    disable
        Passes to switch off, such as ConstantFolding.
    out
        Save the optimised model here; the original is never overwritten.
    measure
        Measure latency and agreement of the outputs now; else when first asked for.
    budget
        Time to spend on measuring latency, about.
    dims
        Sizes for symbolic dimensions, such as batch=1.
    inputs
        Arrays by input name, or an .npz file of them; inputs that are not given are generated.
    threads
        Threads inside an operator.
    seed
        Seed of the generated inputs, of the order of sessions and of the bootstrap.
    time_limit
        Time one step may take before its process is killed.
    memory_limit
        Most memory the process that runs the model may use; 80 % of what is available where not
        given.
    """

    preset: Literal["none", "basic", "extended", "layout", "all"] = "all"
    enable: Names = ()
    disable: Names = ()
    out: File | None = None
    measure: bool = False
    budget: Seconds = 20.0
    dims: Dims = field(default_factory=dict)
    inputs: Inputs | None = None
    threads: int = 1
    seed: int = 0
    time_limit: Seconds = 600.0
    memory_limit: Bytes | None = None


@verb(OptimizeOptions)
def optimize(model: Model, options: OptimizeOptions, *, progress: Progress) -> Optimization:
    """Apply ONNX Runtime's optimisation passes, each of which can be switched.

    The model itself stays as it is; the passes run in a child process.

    Returns
    -------
    Optimization
        Switches, their effect, and the optimised model to save.

    Raises
    ------
    ValueError
        There is no such pass, or ``out`` is the original.
    OnnxlabError
        The model cannot be read; or, with ``out``, ONNX Runtime refuses it.
    """
    from onnxlab.experiments.optimization import Optimization

    if options.out is not None:
        check_target("optimize", options.out, model)
    optimization = Optimization(model, _settings(options)).preset(options.preset)
    for enabled, names in ((True, options.enable), (False, options.disable)):
        for name in names:
            optimization.toggle(name, enabled)
    if options.measure:
        optimization.measure(progress=progress)
    if options.out is not None:
        progress(f"saving {options.out.name}", 0, 0)
        optimization.save(options.out)
    return optimization


def _settings(options: OptimizeOptions) -> Settings:
    from onnxlab.experiments.measure import Settings
    from onnxlab.sandbox.limits import Limits

    return Settings(
        threads=options.threads,
        dims=options.dims,
        inputs=options.inputs,
        seed=options.seed,
        budget_s=options.budget,
        limits=Limits(time_s=options.time_limit, memory_bytes=options.memory_limit),
    )
