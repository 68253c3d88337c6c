"""The only upward references: convenience methods of the nouns, as dotted names.

A noun such as `Profile` offers ``to_html`` although rendering lives in a higher layer. Its method
calls ``exits.call("Profile.to_html", self, ...)``; a test resolves every entry.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["EXITS", "call", "resolve"]

EXITS: dict[str, str] = {}


def resolve(exit_name: str) -> Any:
    """Return the function behind an entry of `EXITS`, importing its module."""
    module, _, name = EXITS[exit_name].rpartition(".")
    return getattr(import_module(module), name)


def call(exit_name: str, *args: object, **kwargs: object) -> Any:
    """Call the function behind an entry of `EXITS`."""
    return resolve(exit_name)(*args, **kwargs)
