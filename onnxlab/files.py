"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from onnxlab.errors import OnnxlabError

__all__ = ["write_whole"]

_MODEL_SUFFIXES = {".onnx", ".ort"}


def write_whole(target: Path, content: bytes | str, /) -> None:
    """Write a file whole or not at all, and never over a model.

    Parameters
    ----------
    target
        The file; one of that name is replaced at the very end.
    content
        Bytes, or text that is written as UTF-8.

    Raises
    ------
    ValueError
        The name is that of a model.
    OnnxlabError
        The file cannot be written.
    """
    if target.suffix.lower() in _MODEL_SUFFIXES:
        raise ValueError(f"{target} names a model, which is never overwritten: give another name")
    if target.exists() and not target.is_file():
        raise OnnxlabError(f"cannot write {target}: it is a folder or a device")
    data = content.encode() if isinstance(content, str) else content
    temporary = target.with_name(f".onnxlab-{secrets.token_hex(8)}")
    try:
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OnnxlabError(f"cannot write {target}: {error.strerror or error}") from error
