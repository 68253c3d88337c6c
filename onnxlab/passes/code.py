"""The Python code that makes a session with a choice of passes."""

from __future__ import annotations

from onnxlab.passes.pipeline import Pipeline

__all__ = ["session_code"]

_LEVEL_NAMES = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "layout": "ORT_ENABLE_LAYOUT",
    "all": "ORT_ENABLE_ALL",
}


def session_code(pipeline: Pipeline, model_path: str, *, threads: int) -> str:
    """Return code that makes the session of a pipeline with onnxruntime alone."""
    disabled = "".join(f'        "{name}",\n' for name in pipeline.disabled)
    passes = f"    disabled_optimizers=[\n{disabled}    ],\n" if disabled else ""
    level = _LEVEL_NAMES[pipeline.level]
    return (
        "import onnxruntime as ort\n"
        "\n"
        "options = ort.SessionOptions()\n"
        f"level = ort.GraphOptimizationLevel.{level}\n"
        "options.graph_optimization_level = level\n"
        f"options.intra_op_num_threads = {threads}\n"
        "# without enable_fallback=0 a failure would run\n"
        "# on without disabled_optimizers, and silently\n"
        "session = ort.InferenceSession(\n"
        f"    {model_path!r},\n"
        "    options,\n"
        '    providers=["CPUExecutionProvider"],\n'
        f"{passes}"
        "    enable_fallback=0,\n"
        ")\n"
    )
