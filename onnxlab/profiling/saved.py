"""Profiles as files: a magic number, a version, and compressed msgpack."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np

from onnxlab.errors import OnnxlabError
from onnxlab.files import write_whole
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.validate import validate

__all__ = ["VERSION", "load", "save"]

VERSION = 1
_MAGIC = b"ONNXPROF"
_HEADER_BYTES = len(_MAGIC) + 4
# A few kilobytes can be made to expand without end; no profile of 100,000 nodes comes near this.
_MAX_CONTENT_BYTES = 2 << 30


def save(profile: Profile, path: str | os.PathLike[str]) -> Path:
    """Write a profile, whole or not at all."""
    target = Path(path)
    content = msgspec.msgpack.encode(profile, enc_hook=_encode_array)
    data = _MAGIC + VERSION.to_bytes(4, "little") + zlib.compress(content, level=6)
    write_whole(target, data)
    return target


def load(path: str | os.PathLike[str]) -> Profile:
    """Read a profile that `save` wrote."""
    source = Path(path)
    try:
        data = _read(source)
    except OSError as error:
        raise OnnxlabError(f"cannot read {source}: {error.strerror or error}") from error
    if not data.startswith(_MAGIC):
        raise OnnxlabError(f"{source} is not a profile: expected a file that Profile.save wrote")
    version = int.from_bytes(data[len(_MAGIC) : _HEADER_BYTES], "little")
    if version > VERSION:
        raise OnnxlabError(
            f"{source} has format {version}, this onnxlab reads up to {VERSION}: upgrade onnxlab"
        )
    try:
        content = _decompress(data[_HEADER_BYTES:])
        profile = msgspec.msgpack.decode(content, type=Profile, dec_hook=_decode_array)
        validate(profile)
    except (zlib.error, msgspec.MsgspecError, ValueError, TypeError, LookupError) as error:
        raise OnnxlabError(f"{source} is damaged: profile the model again") from error
    return profile


def _read(source: Path) -> bytes:
    """Read a file that may be anything: no more than the mark of what is no profile."""
    with source.open("rb") as file:
        mark = file.read(len(_MAGIC))
        return mark + file.read() if mark == _MAGIC else mark


def _decompress(data: bytes) -> bytes:
    decompressor = zlib.decompressobj()
    content = decompressor.decompress(data, _MAX_CONTENT_BYTES)
    if not decompressor.eof:
        raise ValueError("truncated, or larger than any profile")
    return content


def _encode_array(value: object) -> object:
    if isinstance(value, np.ndarray):
        return [list(value.shape), value.astype(value.dtype.newbyteorder("<")).tobytes()]
    raise NotImplementedError(f"no form for {type(value).__name__}")


def _decode_array(hint: object, value: object) -> object:
    """Decode an array to the dtype that its field declares."""
    _, dtype_hint = get_args(hint)
    (scalar,) = get_args(dtype_hint)
    dtype = np.dtype(scalar)
    if not (isinstance(value, list) and len(value) == 2 and isinstance(value[1], bytes)):
        raise ValueError("not an array")
    array = np.frombuffer(value[1], dtype.newbyteorder("<")).astype(dtype)
    return array.reshape(value[0])
