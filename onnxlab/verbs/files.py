"""Writing a verb's result to the file that ``-o`` names: the suffix says what is written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from onnxlab.files import cannot_write, check_writable, write_whole

if TYPE_CHECKING:
    from onnxlab.profiling.profile import Profile
    from onnxlab.runtime.providers import Providers
    from onnxlab.verbs.show import View

__all__ = ["check_target", "write_result"]


class _Writer(Protocol):
    def __call__(self, result: object, path: Path, /) -> object: ...


def check_target(verb: str, path: Path, source: object) -> None:
    """Refuse, before any work, a file that a verb could not or must not write.

    Raises
    ------
    ValueError
        The verb cannot write such a file, its folder does not exist, or it is the source itself.
    OnnxlabError
        It is a folder or a device, or cannot be written there.
    """
    suffixes = _SUFFIXES[verb]
    if path.suffix.lower() not in suffixes:
        known = " or ".join(suffixes)
        raise ValueError(
            f"{verb} cannot write {path.name!r}: give a file name that ends in {known}"
        )
    check_writable(path)
    origin = getattr(source, "path", source)
    if isinstance(origin, str | os.PathLike) and _is_same(Path(origin), path):
        raise ValueError(f"{path} is the source itself, which is never overwritten")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False


def write_result(verb: str, result: object, path: Path) -> None:
    """Write a result, whole or not at all.

    Raises
    ------
    OnnxlabError
        The file cannot be written.
    """
    try:
        _WRITERS[verb][path.suffix.lower()](result, path)
    except OSError as error:
        raise cannot_write(path, error) from error


def _page(result: object, path: Path) -> None:
    cast("Profile | View", result).to_html(path)


def _saved(result: object, path: Path) -> None:
    cast("Profile", result).save(path)


def _profile_tables(result: object, path: Path) -> None:
    profile = cast("Profile", result)
    tables = {
        "summary": profile.summary.reset_index(),
        "nodes": profile.nodes.reset_index(),
        "kernels": profile.kernels,
        "regions": profile.regions,
        "findings": profile.findings.frame,
    }
    # pandas writes NaN as null, which JSON has; Python's own json would write NaN.
    content = {name: json.loads(frame.to_json(orient="records")) for name, frame in tables.items()}
    _write_json({"model": profile.model.name, "measured_at": profile.measured_at, **content}, path)


def _provider_list(result: object, path: Path) -> None:
    frame = cast("Providers", result).frame.reset_index()
    _write_json(json.loads(frame.to_json(orient="records")), path)


def _write_json(content: object, path: Path) -> None:
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


_WRITERS: dict[str, dict[str, _Writer]] = {
    "show": {".html": _page},
    "profile": {".html": _page, ".onnxprof": _saved, ".json": _profile_tables},
    "providers": {".json": _provider_list},
}
# The verbs that write their file themselves.
_OWN_SUFFIXES = {"report": (".html", ".htm"), "optimize": (".onnx",)}
_SUFFIXES = _OWN_SUFFIXES | {verb: tuple(writers) for verb, writers in _WRITERS.items()}
