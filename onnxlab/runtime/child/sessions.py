"""Making a session exactly as asked, or failing: never a silent fallback."""

from __future__ import annotations

import contextlib
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import onnxruntime as ort

from .logs import first_error, with_captured_stderr

__all__ = ["CPU", "Model", "ProviderUnavailable", "Spec", "new_session", "options_for"]

Model = dict[str, Any]  # path: a file as it is; or data or data_path, and folder of its weights
Spec = dict[
    str, Any
]  # provider, provider_options, level, threads, spinning, disabled_passes, config

CPU = "CPUExecutionProvider"
ERRORS_ONLY = 3  # log severity

_LEVELS = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "layout": "ORT_ENABLE_LAYOUT",
    "all": "ORT_ENABLE_ALL",
}
# What TensorRT leaves over belongs on the same GPU.
_COMPANIONS = dict.fromkeys(
    ("TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider"), "CUDAExecutionProvider"
)
_FOLDER_KEY = "session.model_external_initializers_file_folder_path"


class ProviderUnavailable(Exception):
    """The provider is not in this build, or did not take the session."""


def options_for(model: Model, spec: Spec) -> Any:
    """Return the session options of a specification."""
    options = ort.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    options.graph_optimization_level = _level(spec["level"])
    options.intra_op_num_threads = spec["threads"]
    options.inter_op_num_threads = 1
    config = {"session.intra_op.allow_spinning": str(int(spec["spinning"])), **spec["config"]}
    if model.get("folder"):
        config[_FOLDER_KEY] = model["folder"]
    for key, value in config.items():
        options.add_session_config_entry(key, value)
    return options


def _level(name: str) -> Any:
    # Builds that lack the level "layout" do its work in "all".
    levels = ort.GraphOptimizationLevel
    return getattr(levels, _LEVELS[name], levels.ORT_ENABLE_ALL)


def new_session(model: Model, spec: Spec, options: Any) -> tuple[Any, int]:
    """Create a session and return it with the nanoseconds that took."""
    provider = spec["provider"]
    if provider not in ort.get_available_providers():
        raise ProviderUnavailable(f"{provider} is not in onnxruntime {ort.__version__}")
    if provider != CPU:
        _make_way_for_gpu()
    source = model["path"] or model.get("data") or Path(model["data_path"]).read_bytes()
    create = partial(
        ort.InferenceSession,
        source,
        options,
        providers=_in_order(provider, spec["provider_options"]),
        disabled_optimizers=spec["disabled_passes"] or None,
        enable_fallback=0,  # else a failure retries on CPU and drops the disabled optimizers
    )
    start_ns = time.perf_counter_ns()
    session = create()
    load_ns = time.perf_counter_ns() - start_ns
    if provider not in session.get_providers():
        # A provider that fails to start is passed over; why, it says to stderr alone.
        _, log = with_captured_stderr(create)
        why = first_error(log) or f"it went to {', '.join(session.get_providers())}"
        raise ProviderUnavailable(f"{provider} did not take the session: {why}")
    return session, load_ns


def _in_order(provider: str, options: dict[str, str]) -> list[Any]:
    """Return the providers of a session: the one asked for, then those that take its leftovers."""
    providers: list[Any] = [(provider, options)]
    companion = _COMPANIONS.get(provider)
    if companion in ort.get_available_providers():
        device = {key: value for key, value in options.items() if key == "device_id"}
        providers.append((companion, device))
    return providers if provider == CPU else [*providers, CPU]


def _make_way_for_gpu() -> None:
    # Drivers reserve address space far beyond what they use; the watchdog remains.
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    # CUDA's libraries may come from PyPI packages, outside the loader's path.
    if hasattr(ort, "preload_dlls") and sys.platform != "darwin":
        with contextlib.suppress(Exception):
            ort.preload_dlls()
