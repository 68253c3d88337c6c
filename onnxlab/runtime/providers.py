"""Which execution providers can run models here, and what the others lack."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, overload

from onnxlab.errors import MissingExtra, OnnxlabError
from onnxlab.runtime.catalog import CATALOG, CatalogEntry, choose
from onnxlab.runtime.session import Runner
from onnxlab.runtime.spec import SessionSpec
from onnxlab.sandbox.limits import Limits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Provider", "Providers", "providers", "resolve"]

_CPU = "CPUExecutionProvider"
_NOT_LOCAL = {"AzureExecutionProvider"}  # in every build; runs models on a remote endpoint only
_TRIAL_LIMIT_S = 60.0
_PLATFORM = {"coreml": "darwin", "dml": "win32"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An execution provider and whether it works here.

    Attributes
    ----------
    name
        What the verbs take: ``cpu``, ``cuda``, ``openvino``, …
    ort_name
        ONNX Runtime's name.
    usable
        Whether a tiny model ran on it just now.
    reason
        Why not, where it is not usable.
    install
        How to get it.
    version
        Version of the onnxruntime that has it; empty where none has.
    """

    name: str
    ort_name: str
    usable: bool
    reason: str
    install: str
    version: str


class Providers(Sequence[Provider]):
    """The known providers, usable ones first; displays as a table."""

    def __init__(self, items: Iterable[Provider]) -> None:
        self._items = tuple(sorted(items, key=lambda provider: not provider.usable))

    @overload
    def __getitem__(self, index: int) -> Provider: ...
    @overload
    def __getitem__(self, index: slice) -> Providers: ...
    def __getitem__(self, index: int | slice) -> Provider | Providers:
        if isinstance(index, slice):
            return Providers(self._items[index])
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Provider]:
        return iter(self._items)

    @property
    def frame(self) -> pd.DataFrame:
        """The same as a DataFrame, indexed by name."""
        import pandas as pd

        columns = ["name", "usable", "reason", "install", "version", "ort_name"]
        rows = [[getattr(item, column) for column in columns] for item in self._items]
        return pd.DataFrame(rows, columns=columns).set_index("name")

    def __repr__(self) -> str:
        width = max((len(item.name) for item in self._items), default=0)
        return "\n".join(
            f"{item.name:<{width}}  {'yes' if item.usable else 'no ':<3}  {_remark(item)}"
            for item in self._items
        )

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td><code>{escape(item.name)}</code></td>"
            f"<td>{'yes' if item.usable else 'no'}</td><td>{escape(_remark(item))}</td></tr>"
            for item in self._items
        )
        head = "<tr><th>provider</th><th>usable</th><th></th></tr>"
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _remark(item: Provider) -> str:
    if item.usable:
        return f"onnxruntime {item.version}"
    return f"{item.reason}: {item.install}" if item.install else item.reason


def providers(*, python: str | None = None) -> Providers:
    """Say which execution providers can run models here and, if not, why not.

    A child process imports onnxruntime and runs a tiny model on each provider it offers.

    Parameters
    ----------
    python
        An interpreter to ask in place of the one that runs now.

    Examples
    --------
    >>> import onnxlab
    >>> onnxlab.providers()[0].name
    'cpu'
    """
    with Runner(limits=Limits(time_s=_TRIAL_LIMIT_S), python=python) as runner:
        try:
            info = runner.probe()
        except MissingExtra:
            return Providers(_absent(entry, "onnxruntime is not installed") for entry in CATALOG)
        known = {entry.ort_name for entry in CATALOG}
        offered = [name for name in info.available_providers if name not in _NOT_LOCAL]
        entries = [*CATALOG, *(choose(name).entry for name in offered if name not in known)]
        return Providers(
            _tried(runner, entry, info.version)
            if entry.ort_name in offered
            else _absent(_here(entry), _why_absent(entry, info.version))
            for entry in entries
        )


def resolve(name: str, *, python: str | None = None) -> Provider:
    """Return the provider of a name such as ``cuda:1``.

    Raises
    ------
    ValueError
        No such provider; the message offers the nearest.
    """
    entry = choose(name).entry
    for provider in _asked_once(python):
        if provider.ort_name == entry.ort_name:
            return replace(provider, name=name)
    return _absent(entry, "no onnxruntime here has it")


@lru_cache(maxsize=8)
def _asked_once(python: str | None) -> Providers:
    return providers(python=python)


def _tried(runner: Runner, entry: CatalogEntry, version: str) -> Provider:
    reason = ""
    try:
        runner.try_provider(SessionSpec(provider=entry.ort_name))
    except OnnxlabError as error:  # a crash too: it is the provider's, and the next has a new child
        reason = str(error)
    return Provider(
        name=entry.name,
        ort_name=entry.ort_name,
        usable=not reason,
        reason=reason,
        install=entry.install,
        version=version,
    )


def _absent(entry: CatalogEntry, reason: str) -> Provider:
    return Provider(
        name=entry.name,
        ort_name=entry.ort_name,
        usable=False,
        reason=reason,
        install=entry.install,
        version="",
    )


def _here(entry: CatalogEntry) -> CatalogEntry:
    """Return an entry without advice to install what cannot work on this system."""
    return entry if _fits_platform(entry) else replace(entry, install="")


def _why_absent(entry: CatalogEntry, version: str) -> str:
    if not _fits_platform(entry):
        return f"needs {entry.needs}"
    needs = f"; it needs {entry.needs}" if entry.needs else ""
    return f"not in this onnxruntime ({version}){needs}"


def _fits_platform(entry: CatalogEntry) -> bool:
    return _PLATFORM.get(entry.name, sys.platform) == sys.platform
