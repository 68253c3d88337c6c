"""Where a model's bytes lie: a file that is read in pieces, or bytes in memory.

A file is never mapped: truncating a mapped file kills the process that reads it. It is opened for
each group of reads and compared with the stamp taken when the model was opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from onnxlab.errors import FileChanged, ModelError
from onnxlab.model.text import visible

__all__ = ["BytesSource", "FileSource", "Source", "Stamp", "check_stamp", "read_stamp"]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file is still the one that was opened."""

    size: int
    mtime_ns: int
    inode: int


class Source(Protocol):
    """Random access to a model's bytes."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes at ``offset``, fewer at the end."""
        ...


class BytesSource:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes at ``offset``, fewer at the end."""
        return self.data[offset : offset + length]


class FileSource:
    """A file that is open for reading; see `FileSource.open`."""

    def __init__(self, descriptor: int, stamp: Stamp) -> None:
        self.stamp = stamp
        self.size = stamp.size
        self._descriptor = descriptor

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[FileSource]:
        """Open a regular file, as a context manager.

        Raises
        ------
        ModelError
            If there is no readable regular file at ``path``.
        """
        read_stamp(path)  # refuses a FIFO before `open` would wait on it
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise _unreadable(path, error) from error
        try:
            yield cls(descriptor, _stamp(os.fstat(descriptor)))
        finally:
            os.close(descriptor)

    def read(self, offset: int, length: int) -> bytes:
        """Return ``length`` bytes at ``offset``, fewer at the end."""
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, length, offset)
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        return os.read(self._descriptor, length)


def read_stamp(path: Path) -> Stamp:
    """Return the stamp of a regular file, or raise `ModelError` saying what is there instead."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    name = visible(str(path))
    if stat.S_ISDIR(status.st_mode):
        raise ModelError(f"{name} is a directory: give the .onnx file inside it")
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"{name} is not a regular file")
    return _stamp(status)


def check_stamp(path: Path, stamp: Stamp) -> None:
    """Raise `FileChanged` unless the file at ``path`` still bears ``stamp``."""
    try:
        now = _stamp(path.stat())
    except OSError as error:
        message = f"{visible(str(path))} is gone since it was opened: load it again"
        raise FileChanged(message) from error
    if now != stamp:
        raise FileChanged(f"{visible(str(path))} changed since it was opened: load it again")


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ino)


def _unreadable(path: Path, error: OSError | ValueError) -> ModelError:
    name = visible(str(path))
    if isinstance(error, FileNotFoundError):
        return ModelError(f"{name} does not exist")
    if isinstance(error, PermissionError):
        return ModelError(f"{name} may not be read: permission denied")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ModelError(f"{name} cannot be opened: {reason}")
