"""Opening a model: from a path, bytes, a ``ModelProto`` or an ``onnx_ir.Model``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import onnx
from google.protobuf.message import DecodeError, EncodeError

from onnxlab.errors import ModelError
from onnxlab.model.model import Model
from onnxlab.model.skeleton import MAX_DEPTH, Skeleton, TooDeepError, read_skeleton
from onnxlab.model.sniff import HEAD_BYTES, what_else
from onnxlab.model.source import BytesSource, FileSource, Source, Stamp
from onnxlab.model.text import elide, text, visible
from onnxlab.model.wire_format import BYTES, VARINT, MalformedError

if TYPE_CHECKING:
    import onnx_ir

__all__ = ["load"]

# Wire type of each top-level field of a ModelProto.
_TOP_LEVEL = {
    **dict.fromkeys((1, 5), VARINT),
    **dict.fromkeys((2, 3, 4, 6, 7, 8, 14, 20, 25, 26), BYTES),
}


def load(source: str | os.PathLike[str] | bytes | onnx.ModelProto | onnx_ir.Model, /) -> Model:
    """Open a model without running it and without reading its weights.

    Parameters
    ----------
    source
        Path of an ``.onnx`` file, its bytes, a ``ModelProto`` or an ``onnx_ir.Model``. A model in
        memory is copied: later changes to it are not seen.

    Returns
    -------
    Model
        The opened model.

    Raises
    ------
    ModelError
        If this is no readable ONNX model; the message says in one line what it is instead.

    Examples
    --------
    >>> from onnxlab.testing import mlp
    >>> load(mlp(layers=2)).summary
    'opset 17 · 4 nodes · 144 parameters · 849 B'
    """
    if isinstance(source, str | os.PathLike):
        return _load_path(Path(os.fspath(source)))
    if isinstance(source, bytes | bytearray | memoryview):
        return _load_bytes(bytes(source), "the given data", folder=None)
    if isinstance(source, onnx.ModelProto):
        return _load_bytes(_serialise(source), "this ModelProto", folder=None)
    if type(source).__module__.partition(".")[0] == "onnx_ir":
        return _load_ir(source)
    raise TypeError(
        f"load takes a path, bytes, a ModelProto or an onnx_ir.Model, not {type(source).__name__}"
    )


def _load_path(path: Path) -> Model:
    with FileSource.open(path) as file:
        label = elide(visible(path.name), 200)
        return _read(file, label, path=path, stamp=file.stamp, folder=path.parent)


def _load_bytes(data: bytes, label: str, *, folder: Path | None) -> Model:
    return _read(BytesSource(data), label, path=None, stamp=None, folder=folder)


def _load_ir(source: onnx_ir.Model) -> Model:
    import onnx_ir

    folder = None
    for value in source.graph.initializers.values():
        if isinstance(value.const_value, onnx_ir.ExternalTensor):
            folder = Path(value.const_value.base_dir)
            break
    proto = onnx_ir.to_proto(source)
    return _load_bytes(_serialise(proto), "this onnx_ir.Model", folder=folder)


def _serialise(proto: onnx.ModelProto) -> bytes:
    try:
        data: bytes = proto.SerializeToString()
    except (EncodeError, ValueError) as error:
        raise ModelError(
            "this model is over 2 GB in memory: save it with external data and load the path"
        ) from error
    return data


def _read(
    source: Source, label: str, *, path: Path | None, stamp: Stamp | None, folder: Path | None
) -> Model:
    skeleton = _skeleton(source, label)
    proto = _parse(skeleton, source, label)
    return Model.from_skeleton(
        proto,
        skeleton=skeleton,
        name=label if path else text(proto.graph.name) or "model",
        path=path,
        stamp=stamp,
        folder=folder,
        data=source.data if isinstance(source, BytesSource) else None,
    )


def _skeleton(source: Source, label: str) -> Skeleton:
    try:
        skeleton = read_skeleton(source)
    except TooDeepError as error:
        raise _too_deep(label) from error
    except MalformedError as error:
        raise ModelError(f"{label} {_malformed(source, error)}") from error
    if (7, BYTES) not in skeleton.fields:
        other = what_else(source.read(0, HEAD_BYTES), source.size)
        raise ModelError(
            f"{label} is {other or 'no ONNX model: it holds no graph, or was cut short'}"
        )
    return skeleton


def _malformed(source: Source, error: MalformedError) -> str:
    """Say in the rest of a sentence what is wrong with a file that cannot be walked."""
    other = what_else(source.read(0, HEAD_BYTES), source.size)
    if other:
        return f"is {other}"
    plausible = all(_TOP_LEVEL.get(number) == wire for number, wire in error.fields)
    if not plausible or not error.fields & {(1, VARINT), (7, BYTES)}:
        return "is not an ONNX model, nor anything known"
    if error.missing:
        count = f"{error.missing:,} byte{'' if error.missing == 1 else 's'}"
        return f"is truncated: it ends at byte {source.size:,}, at least {count} too early"
    return f"is damaged: {error.reason} at byte {error.position:,}"


def _parse(skeleton: Skeleton, source: Source, label: str) -> onnx.ModelProto:
    try:
        return onnx.ModelProto.FromString(skeleton.data)
    except DecodeError as error:
        raise _undecodable(source, label) from error


def _undecodable(source: Source, label: str) -> ModelError:
    """Walk every message to find what protobuf does not say."""
    try:
        depth = read_skeleton(source, large_bytes=0).depth
    except TooDeepError:
        return _too_deep(label)
    except MalformedError as error:
        return ModelError(f"{label} {_malformed(source, error)}")
    if depth > MAX_DEPTH - 8:  # messages that the walk does not enter count as well
        return _too_deep(label)
    return ModelError(f"{label} is damaged: protobuf cannot parse it")


def _too_deep(label: str) -> ModelError:
    return ModelError(
        f"{label} nests graphs deeper than protobuf can read (about 33 levels): flatten it first"
    )
