"""Building the `ViewDocument`: everything that a view needs to draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from onnxlab.analysis.finding import Finding
from onnxlab.model.address import AddressBook
from onnxlab.model.describe import model_entries
from onnxlab.model.model import Model
from onnxlab.model.text import visible, visible_lines
from onnxlab.profiling.profile import ModelFacts, Profile
from onnxlab.wire.columns import finding_message, graph_columns, profile_columns
from onnxlab.wire.details import node_detail
from onnxlab.wire.metrics import model_metrics, profile_metrics, user_metrics
from onnxlab.wire.schema import VERSION, Entry, Metric, ModelHeader, NodeDetail, ViewDocument

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["encode", "view_document"]

MAX_DETAILS = 20_000
MAX_FINDING_NODES = 100


def view_document(
    model: Model | ModelFacts,
    *,
    profile: Profile | None = None,
    metrics: pd.DataFrame | pd.Series[Any] | Mapping[str, Any] | None = None,
    findings: Iterable[Finding] | None = None,
    with_details: bool = False,
) -> ViewDocument:
    """Build the document of a model, or of what a profile keeps of one.

    Parameters
    ----------
    model
        An opened model; or ``profile.model``, where there is no file any more.
    profile
        Its times, if it was measured. Must be of the same model.
    metrics
        The user's own numbers per node; see `onnxlab.wire.metrics.user_metrics`.
    findings
        What to show as findings; None: the profile's, or what the model's own rules find without
        the checker's child process.
    with_details
        Whether to put in the details of the first 20,000 nodes, for a host that cannot answer
        requests.

    Raises
    ------
    ValueError
        If the profile is of another model, or the metrics fit no node.
    """
    addresses = _addresses(model)
    if profile is not None and len(profile.model.addresses) != len(addresses):
        raise ValueError(
            f"the profile is of a model with {len(profile.model.addresses):,} nodes, "
            f"this one has {len(addresses):,}"
        )
    if findings is None:
        findings = _own_findings(model, profile)
    places = _Places(model, addresses)
    return ViewDocument(
        version=VERSION,
        header=_header(model),
        graph=graph_columns(model.table),
        findings=[finding_message(finding, places.nodes(finding)) for finding in findings],
        metrics=_metrics(model, profile, metrics),
        profiles=[profile_columns(profile, cell) for cell in profile.cells] if profile else [],
        details=_details(model) if with_details else [],
        shapes_complete=model.shapes_complete if isinstance(model, Model) else True,
    )


def encode(document: ViewDocument) -> bytes:
    """Return a document as msgpack."""
    return msgspec.msgpack.encode(document)


class _Places:
    """Finds the nodes that a finding's addresses concern."""

    def __init__(self, model: Model | ModelFacts, addresses: list[str]) -> None:
        self._model = model
        self._nodes = {address: row for row, address in enumerate(addresses)}

    def nodes(self, finding: Finding) -> list[int]:
        """Return rows of nodes; for a value those that read it, or the one that makes it."""
        rows: dict[int, None] = {}
        for address in finding.addresses:
            row = self._nodes.get(address)
            found = [row] if row is not None else self._around_value(address)
            rows.update(dict.fromkeys(found))
        return list(rows)[:MAX_FINDING_NODES]

    @cached_property
    def _book(self) -> AddressBook:
        if isinstance(self._model, Model):
            return self._model.addresses
        return AddressBook(self._model.table, {})

    def _around_value(self, address: str) -> list[int]:
        try:
            value = self._book.value_row(address)
        except ValueError:
            return []
        table = self._model.table
        uses = np.flatnonzero(table.node_inputs == value)
        users = np.searchsorted(table.node_inputs_start, uses, side="right") - 1
        producer = int(table.value_producer[value])
        return users.tolist() or ([producer] if producer >= 0 else [])


def _own_findings(model: Model | ModelFacts, profile: Profile | None) -> Iterable[Finding]:
    if profile is not None:
        told = profile.findings
        return (*told, *(finding for finding in profile.lint if finding not in told))
    return model.lint(checker=False) if isinstance(model, Model) else ()


def _addresses(model: Model | ModelFacts) -> list[str]:
    return model.addresses.nodes() if isinstance(model, Model) else list(model.addresses)


def _header(model: Model | ModelFacts) -> ModelHeader:
    pairs = model_entries(model) if isinstance(model, Model) else model.entries
    return ModelHeader(
        name=visible(model.name),
        summary=model.summary,
        entries=[Entry(key=visible(key), text=visible_lines(value)) for key, value in pairs],
    )


def _metrics(model: Model | ModelFacts, profile: Profile | None, columns: Any) -> list[Metric]:
    metrics = profile_metrics(profile) if profile else []
    if isinstance(model, Model):
        metrics += model_metrics(model)
    if columns is not None:
        table = model.table
        names = [table.name(row) for row in range(table.node_count)]
        metrics += user_metrics(columns, addresses=_addresses(model), names=names)
    return metrics


def _details(model: Model | ModelFacts) -> list[NodeDetail]:
    if not isinstance(model, Model):
        return []
    return [node_detail(model, row) for row in range(min(model.table.node_count, MAX_DETAILS))]
