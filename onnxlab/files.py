"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from onnxlab.errors import OnnxlabError

__all__ = ["cannot_write", "check_writable", "write_whole"]

_MODEL_SUFFIXES = {".onnx", ".ort"}


def check_writable(target: Path, /) -> None:
    """Refuse, before any work, a file that could not be put in its place.

    Raises
    ------
    ValueError
        Its folder does not exist.
    OnnxlabError
        It is a folder or a device, or cannot be written there.
    """
    folder = target.parent
    try:
        if not folder.is_dir():
            raise ValueError(f"cannot write {target}: there is no folder {folder}")
        if target.exists() and not target.is_file():
            raise OnnxlabError(f"cannot write {target}: it is a folder or a device")
    except OSError as error:
        raise cannot_write(target, error) from error
    if not os.access(folder, os.W_OK):
        raise OnnxlabError(f"cannot write {target}: {folder} is read-only")


def cannot_write(target: Path, error: OSError) -> OnnxlabError:
    """Return what to raise where the system refuses to write a file."""
    return OnnxlabError(f"cannot write {target}: {error.strerror or error}")


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
        The name is that of a model, or its folder does not exist.
    OnnxlabError
        The file cannot be written.
    """
    if target.suffix.lower() in _MODEL_SUFFIXES:
        raise ValueError(f"{target} names a model, which is never overwritten: give another name")
    check_writable(target)
    # A lone surrogate, as a file's name may hold, has no form in UTF-8.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
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
        raise cannot_write(target, error) from error
