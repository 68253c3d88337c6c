"""Whether a provider really runs something here."""

from __future__ import annotations

from typing import Any

import numpy as np

from .sessions import Spec, new_session, options_for

__all__ = ["try_provider"]

# y = Add(x, x), float32 [1], opset 13: a model small enough to need no file.
_TINY_MODEL = bytes.fromhex(
    "08073a350a0e0a01780a017812017922034164641201675a0f0a0178120a0a08080112040a020801620f0a0179120a0a08080112040a02080142040a00100d"
)


def try_provider(spec: Spec) -> list[str]:
    """Run a tiny model on a provider and return the providers of the session."""
    model: dict[str, Any] = {"path": None, "data": _TINY_MODEL}
    session, _ = new_session(model, spec, options_for(model, spec))
    session.run(None, {"x": np.ones(1, np.float32)})
    providers: list[str] = session.get_providers()
    return providers
