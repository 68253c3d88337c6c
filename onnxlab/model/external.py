"""External data: finding it inside the model's folder, and nowhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from onnx import TensorProto

from onnxlab.errors import ModelError
from onnxlab.model.text import elide, text, visible

__all__ = ["ExternalPlace", "external_place", "is_external", "resolve_location"]


@dataclass(frozen=True, slots=True)
class ExternalPlace:
    """What a tensor says about its external data.

    Attributes
    ----------
    location
        Path relative to the model's folder, as the file has it.
    offset, length
        Bytes; ``length`` is None where the file does not say.
    """

    location: str
    offset: int
    length: int | None


def is_external(tensor: TensorProto) -> bool:
    """Tell whether a tensor's data lie in another file."""
    return bool(tensor.data_location == TensorProto.EXTERNAL)


def external_place(tensor: TensorProto) -> ExternalPlace:
    """Return where a tensor says that its data lie, or raise `ModelError`."""
    entries = {text(entry.key): text(entry.value) for entry in tensor.external_data}
    label = elide(visible(tensor.name), 100)
    location = entries.get("location", "")
    if not location:
        raise ModelError(f"tensor {label!r} is external but names no file")
    numbers: list[int | None] = []
    for key in ("offset", "length"):
        number = entries.get(key, "")
        if number and not (number.isascii() and number.isdigit() and len(number) < 20):
            raise ModelError(f"tensor {label!r} has the {key} {elide(visible(number), 40)!r}")
        numbers.append(int(number) if number else None)
    return ExternalPlace(location, numbers[0] or 0, numbers[1])


def resolve_location(location: str, folder: Path | None, *, model: Path | None = None) -> Path:
    """Return the real path of an external data file.

    Parameters
    ----------
    location
        As the tensor has it.
    folder
        The model's folder; None where it is unknown.
    model
        The model's path. Where that is a symbolic link (as in a Hugging Face cache), its data may
        be links into the folder of the real file too.

    Raises
    ------
    ModelError
        If the folder is unknown, or the file would lie outside of it, or is no regular file.
    """
    shown = elide(visible(location), 200)
    if folder is None:
        raise ModelError(f"the data lie in {shown!r}: load the model by its path to read them")
    parts = PurePosixPath(location.replace("\\", "/")).parts
    if PureWindowsPath(location).is_absolute() or location.startswith(("/", "\\")):
        raise ModelError(f"refused to read {shown!r}: external data must have a relative path")
    if ".." in parts or "\0" in location or PureWindowsPath(location).drive:
        raise ModelError(f"refused to read {shown!r}: it lies outside of the model's folder")
    try:
        real = Path(os.path.realpath(folder / Path(*parts)))
        inside = any(real.is_relative_to(root) for root in _roots(folder, model))
        is_file = real.is_file()
    except (OSError, ValueError) as error:
        raise ModelError(f"the external file {shown!r} cannot be looked up: {error}") from error
    if not inside:
        raise ModelError(f"refused to read {shown!r}: it is a link out of the model's folder")
    if not is_file:
        raise ModelError(f"the external file {shown!r} is missing")
    return real


def _roots(folder: Path, model: Path | None) -> list[Path]:
    roots = [Path(os.path.realpath(folder))]
    if model is not None:
        roots.append(Path(os.path.realpath(model)).parent)
    return roots
