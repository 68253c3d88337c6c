"""onnxlab: the workbench for ONNX models in Jupyter."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from onnxlab.errors import OnnxlabError
    from onnxlab.experiments.optimization import Optimization
    from onnxlab.model.load import load
    from onnxlab.model.model import Model
    from onnxlab.profiling.profile import Profile
    from onnxlab.runtime.providers import Provider
    from onnxlab.verbs.optimize import optimize
    from onnxlab.verbs.profile import profile
    from onnxlab.verbs.providers import providers
    from onnxlab.verbs.report import report
    from onnxlab.verbs.show import show

__version__ = "0.1.0"

__all__ = [
    "Model",
    "OnnxlabError",
    "Optimization",
    "Profile",
    "Provider",
    "load",
    "optimize",
    "profile",
    "providers",
    "report",
    "show",
]

_HOMES = {
    "Model": "onnxlab.model.model",
    "OnnxlabError": "onnxlab.errors",
    "Optimization": "onnxlab.experiments.optimization",
    "Profile": "onnxlab.profiling.profile",
    "Provider": "onnxlab.runtime.providers",
    "load": "onnxlab.model.load",
    "optimize": "onnxlab.verbs.optimize",
    "profile": "onnxlab.verbs.profile",
    "providers": "onnxlab.verbs.providers",
    "report": "onnxlab.verbs.report",
    "show": "onnxlab.verbs.show",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics (``%load_ext onnxlab``)."""
    from onnxlab import exits

    exits.call("load_ext", shell)


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "onnxlab"}]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "onnxlab.server"}]
