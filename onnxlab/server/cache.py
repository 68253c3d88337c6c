"""The models that the server keeps open, the most recently used ones."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from onnxlab.model.source import Stamp, read_stamp

if TYPE_CHECKING:
    from onnxlab.model.model import Model

__all__ = ["ModelCache", "stamp_text"]


class ModelCache:
    """Loads each file once for as long as it stays the same. Safe to use from several threads."""

    def __init__(self, *, capacity: int = 4) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._models: OrderedDict[Path, tuple[Stamp, Model]] = OrderedDict()
        self._loading: dict[Path, Lock] = {}

    def get(self, path: Path, /) -> tuple[Model, str]:
        """Return the model in a file and the text of its stamp, loading it where necessary.

        Raises
        ------
        ModelError
            If the file is no readable model.
        """
        with self._loading_lock(path):
            stamp = read_stamp(path)
            with self._lock:
                kept = self._models.get(path)
            if kept is None or kept[0] != stamp:
                kept = _load(path, stamp)
            self._keep(path, kept)
        return kept[1], stamp_text(kept[0])

    def _loading_lock(self, path: Path) -> Lock:
        with self._lock:
            return self._loading.setdefault(path, Lock())

    def _keep(self, path: Path, kept: tuple[Stamp, Model]) -> None:
        with self._lock:
            self._models[path] = kept
            self._models.move_to_end(path)
            while len(self._models) > self._capacity:
                oldest, _ = self._models.popitem(last=False)
                self._loading.pop(oldest, None)


def stamp_text(stamp: Stamp) -> str:
    """Return a stamp as it travels to the browser and back."""
    return f"{stamp.size}-{stamp.mtime_ns}-{stamp.inode}"


def _load(path: Path, stamp: Stamp) -> tuple[Stamp, Model]:
    from onnxlab.model.load import load  # imports onnx: not before a model is opened

    model = load(path)
    return model.stamp or stamp, model
