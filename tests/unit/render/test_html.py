from __future__ import annotations

import base64
import re
import zlib
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from onnxlab.model.load import load
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile
from onnxlab.progress import silent
from onnxlab.render.fragments import profile_head
from onnxlab.render.html import graph_page, report_page, write_report
from onnxlab.testing import mlp
from onnxlab.verbs.profile import profile
from onnxlab.wire.schema import ViewDocument

EVIL = "</script><img src=x onerror=alert(1)>{{ 7 * 7 }}"


class Page(HTMLParser):
    """Collects what a page loads, runs and marks."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.scripts.append((self.tags[-1][1], data))
            self._open = False


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def document(text: str) -> ViewDocument:
    (packed,) = [
        data for attrs, data in Page(text).scripts if attrs.get("id") == "onnxlab-document"
    ]
    return msgspec.msgpack.decode(unpacked(packed), type=ViewDocument)


def test_a_report_tells_everything_in_order(measured: Profile) -> None:
    text = report_page(measured)
    titles = [
        "What to do",
        "Where the time goes",
        "What the runtime inserted",
        "How it was measured",
    ]
    places = [text.index(f">{title}</h2>") for title in titles]
    assert places == sorted(places)
    assert "rapidocr_cls.onnx" in text[: places[0]]
    assert measured.machine.onnxruntime in text[places[-1] :]


def test_a_report_needs_no_network(measured: Profile) -> None:
    page = Page(report_page(measured))
    for _, attrs in page.tags:
        assert not {"src", "srcset", "data"} & attrs.keys()
        assert attrs.get("href") is None


def test_a_report_allows_its_own_scripts_alone(measured: Profile) -> None:
    page = Page(report_page(measured))
    (policy,) = [
        attrs["content"] or ""
        for tag, attrs in page.tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    run = [data.encode() for attrs, data in page.scripts if not attrs.get("type")]
    run += [unpacked(data) for attrs, data in page.scripts if "data-packed" in attrs]
    assert {base64.b64encode(sha256(code).digest()).decode() for code in run} == allowed


def test_every_marked_row_names_a_node_of_the_document(measured: Profile) -> None:
    text = report_page(measured)
    known = {detail.address for detail in document(text).details}
    marked = {attrs["data-node"] for _, attrs in Page(text).tags if "data-node" in attrs}
    assert marked
    assert marked <= known


def test_a_report_whose_model_has_gone_still_names_its_nodes(
    measured: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:

    orphan = replace(measured, model=replace(measured.model, path="/nowhere/m.onnx"))
    details = document(report_page(orphan)).details
    assert [detail.address for detail in details] == list(measured.model.addresses)


def test_a_hostile_model_is_text(tmp_path: Path) -> None:
    model = mlp()
    for node in model.graph.node:
        node.name = EVIL
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    opened = load(tmp_path / "m.onnx")
    hostile = profile(opened, runs=3, sessions=2, budget=0.3, progress=silent)
    for text in (report_page(hostile), graph_page(opened)):
        tags = {tag for tag, _ in Page(text).tags}
        assert "img" not in tags
        assert "49" not in re.findall(r"onerror=alert\(1\)&gt;(\w*)", text)


def test_a_profile_in_which_nothing_ran_has_a_report(example_models: Path) -> None:
    failed = profile(
        example_models / "logreg_iris.onnx", providers=["rocm"], budget=0.3, progress=silent
    )
    text = report_page(failed)
    assert "failed: see below" in text
    assert "By node" not in text


def test_why_a_provider_failed_is_told_once(measured: Profile) -> None:
    failed = replace(measured, cells=(Cell(label="cuda", error="no such luck"), *measured.cells))
    for text in (profile_head(failed), report_page(failed)):
        assert text.count("no such luck") == 1


def test_a_report_appears_whole_or_not_at_all(measured: Profile, tmp_path: Path) -> None:
    assert write_report(measured, tmp_path / "r.html").stat().st_size < 2_000_000
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    with pytest.raises(ValueError, match="there is no folder"):
        write_report(measured, tmp_path / "no/such/r.html")
