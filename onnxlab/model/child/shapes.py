"""Task of the child process: onnx's shape inference, which can crash or hang on hostile models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def infer(*, paths: list[str]) -> list[str]:
    """Infer the shapes of models in place; return one line per model, empty where all went well.

    Parameters
    ----------
    paths
        Files with a serialised ``ModelProto``; each is replaced by the inferred one.
    """
    import onnx

    problems = []
    for path in map(Path, paths):
        try:
            model = onnx.ModelProto.FromString(path.read_bytes())
            inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
            path.write_bytes(inferred.SerializeToString())
            problems.append("")
        except Exception as error:  # noqa: BLE001 - the edge of the child: every failure is a line
            lines = str(error).strip().splitlines()
            problems.append(f"{type(error).__name__}: {lines[0] if lines else 'no message'}")
    return problems


TASKS: dict[str, Callable[..., object]] = {"infer": infer}
