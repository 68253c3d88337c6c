"""Numbers per node that colour a graph: a profile's, a model's, or the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from onnxlab.model.text import elide, visible
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.tally import tally
from onnxlab.wire.columns import float_bytes
from onnxlab.wire.schema import Metric

if TYPE_CHECKING:
    import pandas as pd

    from onnxlab.model.model import Model

__all__ = ["model_metrics", "profile_metrics", "user_metrics"]

Float64 = npt.NDArray[np.float64]


def profile_metrics(profile: Profile) -> list[Metric]:
    """Return time and share per provider; a region's time stands on the node that leads it."""
    metrics = []
    for cell in profile.cells:
        if not cell.is_attributed:
            continue
        time_us, share = _times(profile, cell)
        label = visible(cell.label)
        metrics += [
            Metric(
                key=f"time.{label}",
                label=f"time on {label}",
                unit="us",
                estimated=False,
                additive=True,
                values=float_bytes(time_us),
            ),
            Metric(
                key=f"share.{label}",
                label=f"share on {label}",
                unit="share",
                estimated=False,
                additive=True,
                values=float_bytes(share),
            ),
        ]
    return metrics


def _times(profile: Profile, cell: Cell) -> tuple[Float64, Float64]:
    counted = tally(cell, profile.model.table)
    time_us = np.full(profile.model.table.node_count, np.nan)
    for region in counted.regions:
        if region.lead is not None:
            time_us[region.lead] = np.nansum([time_us[region.lead], region.time.value])
    return time_us, time_us / counted.total_us if counted.total_us else time_us


def model_metrics(model: Model) -> list[Metric]:
    """Return parameters and weight bytes, on the first node that reads each weight."""
    elements, size_bytes = model.node_weights
    columns = (("parameters", "count", elements), ("weight bytes", "bytes", size_bytes))
    return [
        Metric(
            key=label.replace(" ", "."),
            label=label,
            unit=unit,  # type: ignore[arg-type]
            estimated=False,
            additive=True,
            values=float_bytes(np.where(numbers > 0, numbers, np.nan)),
        )
        for label, unit, numbers in columns
    ]


def user_metrics(
    columns: pd.DataFrame | pd.Series[Any] | Mapping[str, Any],
    *,
    addresses: Iterable[str],
    names: Iterable[str],
) -> list[Metric]:
    """Turn the user's columns into metrics.

    Parameters
    ----------
    columns
        A DataFrame or Series indexed by node address, node name or node row; or a mapping from
        the metric's name to such a Series, to a mapping from node to number, or to one number
        per node row.
    addresses, names
        Those of every node row.

    Raises
    ------
    ValueError
        If a column is no column of numbers, or its index names no node of the model.
    """
    rows = _Rows(list(addresses), list(names))
    return [
        Metric(
            key=_key(label),
            label=elide(visible(label), 100),
            unit="",
            estimated=False,
            additive=False,
            values=float_bytes(rows.align(label, column)),
        )
        for label, column in _items(columns)
    ]


def _items(columns: Any) -> list[tuple[str, Any]]:
    if hasattr(columns, "to_frame"):  # a Series
        columns = columns.to_frame(columns.name if columns.name is not None else "metric")
    if hasattr(columns, "select_dtypes"):  # a DataFrame: its text columns are no metrics
        numeric = columns.select_dtypes(["number", "bool"])
        if not len(numeric.columns):
            raise ValueError("metrics has no column of numbers")
        return [(str(label), numeric[label]) for label in numeric.columns]
    if isinstance(columns, Mapping):
        return [(str(label), column) for label, column in columns.items()]
    raise TypeError(f"metrics must be a DataFrame or a mapping, not {type(columns).__name__}")


class _Rows:
    def __init__(self, addresses: list[str], names: list[str]) -> None:
        self._addresses = {address: row for row, address in enumerate(addresses)}
        self._names: dict[str, int] = {}
        for row, name in enumerate(names):
            self._names.setdefault(name, row)
        self._count = len(addresses)

    def align(self, label: str, column: Any) -> Float64:
        """Return one number per node row, NaN where the column has none."""
        shown = elide(visible(label), 60)
        if hasattr(column, "index") and hasattr(column, "to_numpy"):
            keys, numbers = list(column.index), column.to_numpy(dtype=np.float64, na_value=np.nan)
        elif isinstance(column, Mapping):
            keys, numbers = list(column), _floats(shown, list(column.values()))
        else:
            numbers = _floats(shown, column)
            if numbers.shape != (self._count,):
                raise ValueError(
                    f"metric {shown!r} has {numbers.size:,} numbers for {self._count:,} nodes"
                )
            return numbers
        aligned = np.full(self._count, np.nan)
        lookup = self._lookup(shown, keys)
        for key, number in zip(keys, numbers.tolist(), strict=True):
            row = lookup(key)
            if row is not None:
                aligned[row] = number
        return aligned

    def _lookup(self, label: str, keys: list[Any]) -> Callable[[Any], int | None]:
        """Return how these keys name nodes: of addresses, names and rows what fits most keys."""
        whole = {row: row for row in range(self._count)}
        ways: list[dict[Any, int]] = [self._addresses, self._names, whole]
        fits = [sum(_hashable(key) and key in way for key in keys) for way in ways]
        best = fits.index(max(fits))
        if keys and not fits[best]:
            raise ValueError(
                f"metric {label!r}: its index holds no node's address, name or row, "
                f"such as {elide(visible(str(keys[0])), 60)!r}"
            )
        return ways[best].get


def _hashable(key: Any) -> bool:
    return getattr(type(key), "__hash__", None) is not None


def _floats(label: str, numbers: Any) -> Float64:
    try:
        return np.array(numbers, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"metric {label!r} does not hold numbers") from error


def _key(label: str) -> str:
    """Return the word of a search box: no spaces."""
    return elide("_".join(visible(label).split()), 60) or "metric"
