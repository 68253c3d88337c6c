"""What ORT says to stderr alone: which optimisers acted, why a provider was passed over."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from typing import Any

__all__ = ["acting_transformers", "first_error", "with_captured_stderr"]

_MODIFIED = re.compile(rb"GraphTransformer (\S+) modified: 1")
_ERROR = re.compile(rb"\[E:onnxruntime[^\]]*\] ([^\n\x1b]+)")


def with_captured_stderr(function: Callable[[], Any]) -> tuple[Any, bytes]:
    """Call a function and return its result with what native code wrote to stderr meanwhile."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            result = function()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return result, file.read()


def acting_transformers(log: bytes) -> list[str]:
    """Names of the graph transformers that changed the graph, in order of their first change."""
    names = (match[1].decode("utf-8", "replace") for match in _MODIFIED.finditer(log))
    return list(dict.fromkeys(names))


def first_error(log: bytes) -> str:
    """Text of the first error in a log, empty where there is none."""
    match = _ERROR.search(log)
    return match[1].decode("utf-8", "replace").strip() if match else ""
