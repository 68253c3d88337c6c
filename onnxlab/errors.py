"""The errors onnxlab raises when the world, not the caller, is wrong.

Wrong use raises ``ValueError`` or ``TypeError``. Every message is one line: what was asked,
what was found, what to do.
"""

from __future__ import annotations

__all__ = [
    "Cancelled",
    "ChildCrashed",
    "ChildTimeout",
    "FileChanged",
    "MemoryLimitExceeded",
    "MissingExtra",
    "ModelError",
    "OnnxlabError",
    "SessionError",
]


class OnnxlabError(Exception):
    """Base of every error onnxlab raises on purpose."""


class ModelError(OnnxlabError):
    """The bytes are not a readable ONNX model, or a part of it cannot be read."""


class FileChanged(ModelError):
    """The model's file was truncated, replaced or removed since it was opened."""


class MissingExtra(OnnxlabError):
    """An optional dependency is not installed; the message names the pip command."""


class SessionError(OnnxlabError):
    """The runtime refused the model, its inputs or the provider."""


class ChildCrashed(OnnxlabError):
    """The child process died (a segmentation fault, an abort, a kill)."""


class ChildTimeout(OnnxlabError):
    """The child process did not finish within its time limit and was killed."""


class MemoryLimitExceeded(OnnxlabError):
    """The child process outgrew its memory limit and was killed."""


class Cancelled(OnnxlabError):
    """The user cancelled the work."""
