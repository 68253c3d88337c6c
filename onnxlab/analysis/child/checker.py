"""Task of the child process: onnx's checker, which can crash on hostile models."""

from __future__ import annotations

from collections.abc import Callable


def check(*, path: str, whole: bool) -> str:
    """Return the first line of what onnx objects to, empty for nothing.

    Parameters
    ----------
    path
        A serialised ``ModelProto``.
    whole
        True: the file is complete and gets the full check. False: large weights are left out, so
        only types and shapes are checked.
    """
    import onnx

    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the child keeps to the least it needs
            model = onnx.ModelProto.FromString(file.read())
        if whole:
            onnx.checker.check_model(model, full_check=True)
        else:
            onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception as error:  # noqa: BLE001 - the edge of the child: every failure is a line
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return " ".join(lines[:3]) or type(error).__name__
    return ""


TASKS: dict[str, Callable[..., object]] = {"check": check}
