"""A `GraphTable` and a profile as the binary columns of the wire format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from onnxlab.analysis.finding import Finding
from onnxlab.mapping.origin import Fate
from onnxlab.model.table import GraphTable
from onnxlab.model.text import visible
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.profiling.tally import tally, wall_us
from onnxlab.wire.schema import FindingMessage, GraphColumns, Interval, ProfileColumns, Region

__all__ = [
    "finding_message",
    "float_bytes",
    "graph_columns",
    "int_bytes",
    "profile_columns",
    "wire_strings",
]

_LITTLE_ENDIAN = {"i": "<i4", "u": "|u1", "f": "<f8"}


def graph_columns(table: GraphTable) -> GraphColumns:
    """Return a table's columns as bytes, its strings with nothing invisible in them."""
    columns = {
        name: int_bytes(getattr(table, name))
        for name in GraphColumns.__struct_fields__
        if name != "strings"
    }
    return GraphColumns(strings=wire_strings(table.strings), **columns)


def wire_strings(strings: Sequence[str]) -> list[str]:
    """Return strings of a table as they are shown."""
    return [string if string.isprintable() else visible(string) for string in strings]


def float_bytes(numbers: npt.NDArray[np.float64]) -> bytes:
    """Return numbers as little-endian float64."""
    return numbers.astype("<f8").tobytes()


def finding_message(finding: Finding, nodes: list[int]) -> FindingMessage:
    """Return a finding with the rows of the nodes that it concerns."""
    return FindingMessage(
        code=finding.code,
        severity=finding.severity.value,
        hazard=visible(finding.hazard),
        remedy=visible(finding.remedy),
        why=visible(finding.why),
        nodes=nodes,
        count=finding.count,
    )


def profile_columns(profile: Profile, cell: Cell) -> ProfileColumns:
    """Return what one provider did, with the longest region of each node."""
    table = profile.model.table
    wall = wall_us(cell, seed=profile.options.seed)
    node_region = np.full(table.node_count, -1, np.int32)
    regions: list[Region] = []
    if cell.is_attributed:
        counted = tally(cell, table)
        for region in counted.regions:
            rows = list(region.nodes) or ([] if region.owner is None else [region.owner])
            for row in region.nodes:
                if node_region[row] < 0:
                    node_region[row] = len(regions)
            regions.append(
                Region(
                    label=visible(region.label),
                    kind=region.kind.value,
                    nodes=rows,
                    time_us=region.time.value,
                    share=counted.share(region.time.value),
                )
            )
    fates = [str(fate) for fate in Fate]
    numbers = {str(fate): number for number, fate in enumerate(fates)}
    unknown = numbers[str(Fate.UNKNOWN)]
    own = [numbers[str(fate)] for fate in cell.fates] or [unknown] * table.node_count
    return ProfileColumns(
        label=visible(cell.label),
        provider=", ".join(cell.ran_on) or cell.provider,
        wall=Interval(value=wall.value, low=wall.low, high=wall.high),
        regions=regions,
        node_region=int_bytes(node_region),
        node_fate=np.array(own, np.uint8).tobytes(),
        fates=fates,
    )


def int_bytes(column: npt.NDArray[Any]) -> bytes:
    """Return a column as little-endian int32, uint8 or float64, by its kind."""
    return column.astype(_LITTLE_ENDIAN[column.dtype.kind]).tobytes()
