"""What a file that is no ONNX model is instead, judged by its first bytes."""

from __future__ import annotations

import codecs

__all__ = ["HEAD_BYTES", "what_else"]

HEAD_BYTES = 4096

_LFS = b"version https://git-lfs"

# Offset and magic → what it is, and what to do.
_MAGICS: tuple[tuple[int, bytes, str], ...] = (
    (4, b"ORTM", "an ONNX Runtime (.ort) file, not an ONNX model: give the .onnx it was made from"),
    (4, b"TFL3", "a TensorFlow Lite model: convert it with tf2onnx"),
    (4, b"ftyp", "a media file, not an ONNX model"),
    (0, b"PK\x03\x04", "a zip archive (a PyTorch checkpoint or .keras file?): export it to ONNX"),
    (0, b"PK\x05\x06", "an empty zip archive"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file (Keras weights?): export it to ONNX"),
    (0, b"\x93NUMPY", "a NumPy array, not an ONNX model"),
    (0, b"\x1f\x8b", "a gzip archive: unpack it first"),
    (0, b"BZh", "a bzip2 archive: unpack it first"),
    (0, b"\xfd7zXZ\x00", "an xz archive: unpack it first"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"),
    (0, b"ONNXPROF", "a saved profile, not an ONNX model: open it with onnxlab.Profile.load"),
    (0, b"GGUF", "a GGUF model (llama.cpp), not an ONNX model"),
    (0, b"\x7fELF", "a program or shared library, not an ONNX model"),
    (0, b"MZ", "a Windows program or library, not an ONNX model"),
    (0, b"\x89PNG", "a PNG image, not an ONNX model"),
    (0, b"\xff\xd8\xff", "a JPEG image, not an ONNX model"),
    (0, b"%PDF", "a PDF file, not an ONNX model"),
    (0, b"SQLite format 3", "an SQLite database, not an ONNX model"),
    (257, b"ustar", "a tar archive: unpack it first"),
)


def what_else(head: bytes, size_bytes: int) -> str | None:
    """Say what a file is that begins with ``head``, or None where that cannot be told.

    Returns
    -------
    str or None
        The end of a sentence that begins with the file's name and "is".
    """
    if not head:
        return "an empty file"
    if head.startswith(_LFS):
        return "a Git LFS pointer, not the model itself: fetch it with `git lfs pull`"
    for offset, magic, description in _MAGICS:
        if head[offset : offset + len(magic)] == magic:
            return description
    if len(head) > 1 and head[0] == 0x80 and 2 <= head[1] <= 5:
        return "a Python pickle (a PyTorch checkpoint?): export it to ONNX"
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= size_bytes:
        return "a safetensors file: weights without a graph"
    if not any(head):
        return f"{size_bytes:,} bytes that begin with zeros, not an ONNX model"
    return _what_text(head)


def _what_text(head: bytes) -> str | None:
    try:
        # Incremental, since the last character may be cut in two.
        plain = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return None
    if any(c < " " and c not in "\t\n\r\f" for c in plain):
        return None
    start = plain.lstrip("\ufeff \t\r\n")[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        return "an HTML page (a download that failed?), not an ONNX model"
    if start.startswith("{"):
        return "a JSON text, not a binary ONNX model"
    return "a text file, not a binary ONNX model"
