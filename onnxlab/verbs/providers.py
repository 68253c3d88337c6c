"""``providers``: what can run models here and, if not, why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxlab.runtime.providers import Providers

__all__ = ["providers"]


def providers() -> Providers:
    """Say which execution providers can run models here and, if not, why not.

    Each one is tried on a tiny model, in a child process.

    Returns
    -------
    Providers
        One `Provider` each, usable ones first; displays as a table.

    Examples
    --------
    >>> import onnxlab
    >>> onnxlab.providers()[0].name
    'cpu'
    """
    from onnxlab.runtime import providers as runtime

    return runtime.providers()
