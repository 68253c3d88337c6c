"""Temporary files, and what to say where there is no place for them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from onnxlab.errors import OnnxlabError

__all__ = ["explained_scratch"]


@contextmanager
def explained_scratch() -> Iterator[None]:
    """Turn a failure to write temporary files into one line that says what to do.

    Raises
    ------
    OnnxlabError
        In place of any ``OSError``.
    """
    try:
        yield
    except OSError as error:
        raise OnnxlabError(
            f"cannot write temporary files to {tempfile.gettempdir()}: "
            f"{error.strerror or error}; set TMPDIR to a folder with room"
        ) from error
