"""Pages that stand alone: the report of a profile, the graph of a model.

A page is one file. Its scripts are deflated, its content-security policy allows these scripts
alone (by hash) and no network; all text goes through the template's escaping.
"""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from onnxlab.errors import OnnxlabError
from onnxlab.files import write_whole
from onnxlab.model.text import visible
from onnxlab.render import assets
from onnxlab.wire.build import encode, view_document
from onnxlab.wire.schema import NodeDetail, ViewDocument

if TYPE_CHECKING:
    import pandas as pd

    from onnxlab.model.model import Model
    from onnxlab.profiling.profile import Profile

__all__ = ["graph_page", "render", "report_page", "template_text", "write_graph", "write_report"]


@dataclass(frozen=True, slots=True)
class _Script:
    """A script that a page holds deflated and runs after checking nothing but its hash."""

    name: str
    source: str

    @property
    def packed(self) -> str:
        return _packed(self.source.encode())

    @property
    def policy(self) -> str:
        digest = base64.b64encode(sha256(self.source.encode()).digest()).decode()
        return f"'sha256-{digest}'"


def write_report(profile: Profile, path: str | os.PathLike[str]) -> Path:
    """Write the report of a profile and return its path.

    Raises
    ------
    ValueError
        The path names a model.
    OnnxlabError
        The file cannot be written.
    """
    target = Path(path)
    write_whole(target, report_page(profile))
    return target


def write_graph(
    model: Model,
    path: str | os.PathLike[str],
    *,
    metrics: pd.DataFrame | pd.Series[Any] | Mapping[str, Any] | None = None,
    colour_by: str | None = None,
) -> Path:
    """Write the graph of a model as a page and return its path; raises as `write_report`."""
    target = Path(path)
    write_whole(target, graph_page(model, metrics=metrics, colour_by=colour_by))
    return target


def report_page(profile: Profile) -> str:
    """Return the report of a profile."""
    from onnxlab.render.report import charts, sections

    document = view_document(profile.model, profile=profile)
    document.details = _details(profile)
    return _page(
        "report.html.j2",
        document,
        figures=charts(profile),
        title=visible(profile.model.name),
        report=sections(profile),
    )


def graph_page(
    model: Model,
    *,
    metrics: pd.DataFrame | pd.Series[Any] | Mapping[str, Any] | None = None,
    colour_by: str | None = None,
) -> str:
    """Return the page of a model's graph."""
    document = view_document(model, metrics=metrics, with_details=True)
    title = visible(model.name)
    return _page("graph.html.j2", document, figures={}, title=title, colour_by=colour_by)


def render(template: str, **facts: object) -> str:
    """Return a template of this package filled in, everything in it escaped."""
    return _environment().get_template(template).render(**facts)


def _details(profile: Profile) -> list[NodeDetail]:
    """Return the nodes' details from the model's file or, where it has gone, what is left."""
    from onnxlab.model.load import load

    addresses = profile.model.addresses
    if profile.model.path:
        with suppress(OnnxlabError):
            model = load(profile.model.path)
            if tuple(model.addresses.nodes()) == addresses:
                return view_document(model, findings=(), with_details=True).details
    return [
        NodeDetail(node=row, address=address, attributes=[], doc="", metadata=[], schema_doc="")
        for row, address in enumerate(addresses)
    ]


def _page(
    template: str, document: ViewDocument, *, figures: Mapping[str, str], **facts: object
) -> str:
    scripts = [_Script("plotly", assets.plotly_js())] if figures else []
    scripts.append(_Script("report", assets.report_js()))
    boot = template_text("page.js")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(script.policy for script in (*scripts, _Script('boot', boot)))}",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return render(
        template,
        policy=policy,
        style=Markup(assets.core_css() + template_text("page.css")),
        boot=Markup(boot),
        scripts=scripts,
        document=_packed(encode(document)),
        figures=figures,
        **facts,
    )


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, level=9)).decode()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("onnxlab.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def template_text(name: str) -> str:
    """Return a file that lies beside the templates, as it is."""
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
