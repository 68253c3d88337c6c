"""What onnx's own checker says, asked in a child process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import Error as MessageError

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.errors import ChildCrashed, ChildTimeout, OnnxlabError
from onnxlab.model.external import is_external
from onnxlab.model.model import Model
from onnxlab.model.text import elide, visible

__all__ = ["check"]

TIME_LIMIT_S = 20.0
MAX_WHOLE_BYTES = 64 << 20

_TASKS = Path(__file__).parent / "child" / "checker.py"


def check(model: Model) -> Iterator[Finding]:
    """Yield what onnx's checker objects to; the runtime is often more lenient."""
    from onnxlab.sandbox.limits import Limits
    from onnxlab.sandbox.spawn import Child

    try:
        data = _whole(model)
        with Child(tasks=_TASKS, limits=Limits(time_s=TIME_LIMIT_S)) as child:
            path = child.workdir / "model.onnx"
            path.write_bytes(data if data is not None else model.proto.SerializeToString())
            objection = child.call("check", path=str(path), whole=data is not None)
        said = objection and f"objects: {objection}"
    except ChildCrashed:
        said = "crashed on this model"
    except ChildTimeout:
        said = f"took longer than {TIME_LIMIT_S:.0f} s and was stopped"
    except (OnnxlabError, MessageError, OSError) as error:
        said = f"could not look at this model: {error}"
    if said:
        yield Finding(
            code="checker",
            severity=Severity.WARNING,
            hazard=f"onnx's checker {elide(visible(said), 500).rstrip('.')}.",
            remedy="The model may run all the same; mend it if other tools refuse it.",
            why="The checker holds a model to the letter of the standard.",
        )


def _whole(model: Model) -> bytes | None:
    """Return the complete bytes of a small model without external data."""
    if model.data is None and (model.path is None or model.size_bytes > MAX_WHOLE_BYTES):
        return None
    weights = model.weights.entries
    if any(weight.tensor is not None and is_external(weight.tensor) for weight in weights):
        return None
    if model.data is not None:
        return model.data if len(model.data) <= MAX_WHOLE_BYTES else None
    model.check_unchanged()
    return model.path.read_bytes() if model.path else None
