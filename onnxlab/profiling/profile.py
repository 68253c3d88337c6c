"""The `Profile`: a plain record of one measurement, and the tables read from it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnxlab import exits
from onnxlab.analysis.finding import Finding
from onnxlab.model.table import GraphTable
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.machine import MachineFacts
from onnxlab.profiling.options import MeasureOptions

if TYPE_CHECKING:
    import pandas as pd

    from onnxlab.analysis.finding import Findings

__all__ = ["InputFacts", "ModelFacts", "Profile"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelFacts:
    """What a profile keeps of its model, enough to draw it without the file.

    Attributes
    ----------
    name
        The file's name, or the graph's where there is no file.
    path
        Where the file was; empty where there is none.
    summary
        The one line of `onnxlab.model.model.Model.summary`.
    entries
        Pairs of key and text for the model's panel: producer, opsets, inputs, outputs, ...
    table
        Every graph, scope, node and value.
    addresses, scopes
        The address and the scope's path of each node row of the table.
    """

    name: str
    path: str
    summary: str
    entries: tuple[tuple[str, str], ...]
    table: GraphTable
    addresses: tuple[str, ...]
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFacts:
    """What the model was run on.

    Attributes
    ----------
    values
        Pairs of an input's name and its type and shape, such as ``f32 1×3×224×224``.
    dims
        The sizes used for symbolic dimensions.
    guessed
        Sentences that name what was guessed.
    """

    values: tuple[tuple[str, str], ...]
    dims: dict[str, int]
    guessed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Profile:
    """Where a model's time goes, on each provider.

    A record of what was counted; the tables are computed from it each time they are asked for,
    so changing one changes nothing else. Times in tables are microseconds per run: the 10th
    percentile over the runs of one profiled session, with a 95 % interval. Wall time comes from
    other sessions, on the untouched file and without the profiler.

    Attributes
    ----------
    model
        What was measured.
    machine
        Where.
    options
        How.
    inputs
        On what.
    cells
        One per requested provider, in that order; a failed one has ``error``.
    lint
        The model's own findings.
    measured_at
        When, as ISO 8601 in UTC.
    """

    model: ModelFacts
    machine: MachineFacts
    options: MeasureOptions
    inputs: InputFacts
    cells: tuple[Cell, ...]
    lint: tuple[Finding, ...] = ()
    measured_at: str = ""

    @property
    def nodes(self) -> pd.DataFrame:
        """One row per node of the original model, indexed by address.

        Columns: ``name``, ``op_type``, ``scope``; ``fate`` (a `Fate`'s text); ``region`` (label)
        and ``region_lead`` (the address on which the region's time stands); ``ran_on``
        (the runtime's name of the provider); ``time_us``, ``low_us``, ``high_us`` (NaN but on
        leads) and ``share`` of all kernel time. The first provider that ran has these names; each
        further one has its own columns from ``fate`` on, with a dot and its label behind.
        """
        from onnxlab.profiling import frames

        return frames.nodes(self)

    @property
    def kernels(self) -> pd.DataFrame:
        """One row per kernel that ran.

        Columns: ``provider`` (label), ``name``, ``op_type``, ``ran_on``, ``kind`` (an
        `OriginKind`'s text), ``insertion``, ``region`` (label), ``nodes`` (addresses), ``owner``
        (address), ``calls`` per run, ``time_us``, ``low_us``, ``high_us``, ``share``,
        ``evidence``.
        """
        from onnxlab.profiling import frames

        return frames.kernels(self)

    @property
    def regions(self) -> pd.DataFrame:
        """One row per region, longest first within a provider.

        Columns: ``provider`` (label), ``region`` (label), ``kind``, ``insertion``, ``lead``
        (address), ``owner`` (address), ``nodes`` (addresses), ``kernels`` (how many),
        ``time_us``, ``low_us``, ``high_us``, ``share``.
        """
        from onnxlab.profiling import frames

        return frames.regions(self)

    @property
    def runs(self) -> pd.DataFrame:
        """One row per thing that was timed, exactly as it was counted.

        Columns: ``provider`` (label), ``phase`` (``load``, ``first run``, ``steady`` or
        ``profiled``), ``session`` and ``run`` (from 0), ``counted`` (False in the session that
        only warms up), ``wall_ns``, ``cpu_ns``, and for profiled runs the integer microseconds
        ``node_us``, ``region_us``, ``inserted_us``, ``unattributed_us`` and their sum
        ``kernels_us``.
        """
        from onnxlab.profiling import frames

        return frames.runs(self)

    @property
    def summary(self) -> pd.DataFrame:
        """One row per provider, indexed by label.

        Columns: ``ran_on``, ``level``, ``error``; ``wall_us``, ``wall_low_us``,
        ``wall_high_us`` (median of the sessions' medians); ``quiet_wall_us`` (its 10th
        percentile, to compare kernels with); ``cpu_per_wall`` (cores kept busy); ``load_us``,
        ``first_run_us`` (medians over sessions); ``kernels`` (how many); ``kernels_us``,
        ``node_us``, ``inserted_us``, ``unattributed_us`` (per run); ``attributed`` (share of
        kernel time traced to nodes or their owners); ``runtime_us`` (quiet wall less kernels;
        negative where the profiler's own cost, which lies inside kernel times, is larger);
        ``sessions``, ``runs`` (counted), ``profiled_runs``; ``peak_rss_bytes``.
        """
        from onnxlab.profiling.summary import summary

        return summary(self)

    @property
    def findings(self) -> Findings:
        """What to do, the largest known saving first."""
        from onnxlab.profiling.findings import find

        return find(self)

    def figure(self, kind: str = "treemap") -> Any:
        """Return a plotly figure: ``treemap``, ``bar`` or ``ops``."""
        return exits.call("Profile.figure", self, kind)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the report as one HTML file and return its path."""
        report: Path = exits.call("Profile.to_html", self, path)
        return report

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the profile to a file (``.onnxprof``), whole or not at all, and return its path.

        Raises
        ------
        OnnxlabError
            The file cannot be written.
        """
        from onnxlab.profiling.saved import save

        return save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Profile:
        """Read a profile that `save` wrote.

        Raises
        ------
        OnnxlabError
            The file is missing, damaged, no profile, or of a newer onnxlab.
        """
        from onnxlab.profiling.saved import load

        return load(path)

    def __repr__(self) -> str:
        from onnxlab.profiling.describe import one_line

        return f"<Profile {one_line(self)}>"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        bundle: dict[str, object] = exits.call("Profile._repr_mimebundle_", self, include, exclude)
        return bundle
