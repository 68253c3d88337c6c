"""Saving the model that a pipeline makes, ready to use, beside and never over the original."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from onnxlab.errors import SessionError
from onnxlab.files import cannot_write, check_writable
from onnxlab.model.external import external_place
from onnxlab.model.model import Model
from onnxlab.passes.fingerprint import operator_label
from onnxlab.passes.ort import runnable_of, session_spec
from onnxlab.passes.pipeline import Pipeline
from onnxlab.runtime.session import Runner

__all__ = ["Saved", "save_variant"]

_INLINE_LIMIT_BYTES = 1_800_000_000  # protobuf's 2 GB, with room for the graph
_DATA_KEY = "session.optimized_model_external_initializers_file_name"
_LAYOUT_DOMAINS = frozenset({"com.microsoft.nchwc", "com.ms.internal.nhwc"})
_OWN_DOMAINS = _LAYOUT_DOMAINS | {"com.microsoft"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A saved model.

    Attributes
    ----------
    path
        The file.
    data_path
        The file beside it that holds its weights; None where it holds them itself.
    notes
        What whoever uses it has to know.
    """

    path: Path
    data_path: Path | None
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"Saved {self.path}", *self.notes])


def save_variant(
    model: Model,
    runner: Runner,
    pipeline: Pipeline,
    target: str | os.PathLike[str],
    *,
    threads: int,
) -> Saved:
    """Save a model as a pipeline makes it, with all its weights.

    The file appears at once and whole, or not at all.

    Raises
    ------
    ValueError
        The target is the original or one of its weight files, or its folder does not exist.
    SessionError
        ONNX Runtime refuses the model with these passes.
    OnnxlabError
        The target is a folder or a device, or cannot be written.
    """
    path = Path(target).expanduser().absolute()
    data_path = path.with_name(f"{path.name}.data") if _needs_data_file(model) else None
    for written in filter(None, (path, data_path)):
        check_writable(written)
        _refuse_original(model, written)
    spec = session_spec(pipeline, threads=threads)
    if data_path is not None:
        spec = replace(spec, options={_DATA_KEY: data_path.name})
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".onnxlab-") as folder:
            made = Path(folder, "model.onnx")
            runner.optimise(runnable_of(model), spec, made)
            notes = tuple(_notes(Model.from_optimised(made), Path(folder)))
            if data_path is not None and not Path(folder, data_path.name).exists():
                data_path = None  # every weight was small enough to stay inside
            if data_path is not None:
                Path(folder, data_path.name).replace(data_path)
            made.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    return Saved(path=path, data_path=data_path, notes=notes)


def _needs_data_file(model: Model) -> bool:
    return model.weights.external_bytes > 0 or model.size_bytes > _INLINE_LIMIT_BYTES


def _refuse_original(model: Model, path: Path) -> None:
    if not path.exists():
        return
    if any(original.exists() and path.samefile(original) for original in _files_of(model)):
        raise ValueError(f"{path.name} belongs to the original, which is never overwritten")


def _files_of(model: Model) -> Iterator[Path]:
    if model.path is not None:
        yield model.path
    if model.folder is not None:
        yield from (model.folder / location for location in _external_locations(model))


def _external_locations(model: Model) -> set[str]:
    tensors = (w.tensor for w in model.weights.entries if w.storage == "external")
    return {external_place(tensor).location for tensor in tensors if tensor is not None}


def _notes(saved: Model, folder: Path) -> Iterator[str]:
    outside = sorted(name for name in _external_locations(saved) if not (folder / name).exists())
    if outside:
        raise SessionError(
            f"ONNX Runtime left weights in {', '.join(outside[:3])}, "
            "so the saved model would not be whole"
        )
    domains = _operators_by_domain(saved)
    if not domains.keys().isdisjoint(_LAYOUT_DOMAINS):
        yield (
            "It holds operators laid out for this processor: use it on machines of the same kind, "
            "or save at preset 'extended'."
        )
    own = sorted(
        operator_label(domain, op)
        for domain in domains.keys() & _OWN_DOMAINS
        for op in domains[domain]
    )
    if own:
        shown = ", ".join(own[:5]) + (", …" if len(own) > 5 else "")
        yield f"It runs in ONNX Runtime only, whose own operators it uses: {shown}."


def _operators_by_domain(model: Model) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row, domain in enumerate(model.table.node_domain.tolist()):
        found.setdefault(model.table.strings[domain], set()).add(model.table.op(row))
    return found
