"""``report``: a profile as one HTML file, to hand on."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, cast

from onnxlab.progress import Progress
from onnxlab.verbs.files import check_target
from onnxlab.verbs.options import File, verb
from onnxlab.verbs.profile import ProfileOptions, profile

if TYPE_CHECKING:
    from onnxlab.profiling.profile import Profile

__all__ = ["ReportFile", "ReportOptions", "report"]

PROFILE_SUFFIX = ".onnxprof"
_SOURCE = (
    "A `Profile`, the path of a saved one (``.onnxprof``), or a model: one that is open, or what "
    "`onnxlab.load` takes. A model is profiled first, with the options below."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions(ProfileOptions):
    """Where to write the report and, where a model is to be profiled for it, how.

    Attributes
    ----------
    out
        The file to write; NAME.report.html in the current folder where not given.
    """

    out: File | None = None


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report that was written.

    Attributes
    ----------
    path
        Where it is.
    profile
        What it reports.
    """

    path: Path
    profile: Profile = field(repr=False)

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"<report {self.path}: {self.path.stat().st_size / 1e6:.2f} MB>"


@verb(ReportOptions, source=_SOURCE)
def report(source: object, options: ReportOptions, *, progress: Progress) -> ReportFile:
    """Write a profile as one HTML file that needs no network.

    Returns
    -------
    ReportFile
        Where it is.

    Raises
    ------
    ValueError
        ``out`` is no page's name, or the source itself.
    OnnxlabError
        The source cannot be read, or the file cannot be written.
    """
    # Without a name, any name stands for the one that the model will give.
    check_target("report", options.out or Path("model.report.html"), source)
    measured = _profile(source, options, progress)
    progress("writing the report")
    out = options.out or Path(f"{Path(measured.model.name).stem or 'model'}.report.html")
    return ReportFile(measured.to_html(out), measured)


def _profile(source: object, options: ReportOptions, progress: Progress) -> Profile:
    from onnxlab.profiling.profile import Profile

    if isinstance(source, Profile):
        return source
    if isinstance(source, str | os.PathLike) and Path(source).suffix == PROFILE_SUFFIX:
        return Profile.load(cast("str", source))
    chosen = {option.name: getattr(options, option.name) for option in fields(ProfileOptions)}
    return profile(source, progress=progress, **chosen)
