"""Task of the child process: onnx's shape inference, which can crash or hang on hostile models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

MAX_VECTOR = 100_000


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
            inferred = onnx.shape_inference.infer_shapes(model, data_prop=_may_propagate(model))
            path.write_bytes(inferred.SerializeToString())
            problems.append("")
        except Exception as error:  # noqa: BLE001 - the edge of the child: every failure is a line
            lines = str(error).strip().splitlines()
            problems.append(f"{type(error).__name__}: {lines[0] if lines else 'no message'}")
    return problems


def _may_propagate(model: onnx.ModelProto) -> bool:
    """Tell whether data propagation is safe: it spells out every element of a vector."""
    graph = model.graph
    shapes = [value.type.tensor_type.shape.dim for value in graph.input]
    vectors = [shape[0].dim_value for shape in shapes if len(shape) == 1]
    vectors += [tensor.dims[0] for tensor in graph.initializer if len(tensor.dims) == 1]
    return max(vectors, default=0) <= MAX_VECTOR


TASKS: dict[str, Callable[..., object]] = {"infer": infer}
