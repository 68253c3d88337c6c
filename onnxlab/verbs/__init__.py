"""One file a verb: its options and its function. All hosts call these."""

from __future__ import annotations

__all__ = ["VERBS"]

VERBS = ("show", "profile", "optimize", "report", "providers")
