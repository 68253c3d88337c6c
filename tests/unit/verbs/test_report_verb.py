from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from onnxlab.errors import OnnxlabError
from onnxlab.profiling.profile import Profile
from onnxlab.progress import silent
from onnxlab.verbs.report import report


def test_a_report_comes_from_a_profile_a_saved_one_or_a_model(
    measured: Profile, example_models: Path, tmp_path: Path
) -> None:
    saved = measured.save(tmp_path / "p.onnxprof")
    for number, source in enumerate((measured, saved, example_models / "logreg_iris.onnx")):
        out = tmp_path / f"{number}.html"
        written = report(source, out=out, runs=3, sessions=2, budget=0.5, progress=silent)
        assert written.path == out
        assert out.read_text().startswith("<!doctype html>")
        assert "MB" in repr(written)


def test_a_report_has_a_name_of_its_own(
    measured: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert report(measured, progress=silent).path == Path("rapidocr_cls.report.html")


def test_a_report_is_never_written_over_a_model(measured: Profile, tmp_path: Path) -> None:
    for name in ("m.onnx", "p.onnxprof"):
        with pytest.raises(ValueError, match=r"ends in \.html"):
            report(measured, out=tmp_path / name, progress=silent)


def test_a_report_that_cannot_be_written_costs_no_measurement(
    example_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onnxlab.verbs.report.profile", pytest.fail)
    with pytest.raises(ValueError, match="there is no folder"):
        report(example_models / "logreg_iris.onnx", out=tmp_path / "no/r.html", progress=silent)
    monkeypatch.setattr("onnxlab.files.os.access", lambda *_: False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OnnxlabError, match="is read-only"):
        report(example_models / "logreg_iris.onnx", progress=silent)


def test_a_saved_profile_stays(measured: Profile, tmp_path: Path) -> None:
    saved = measured.save(tmp_path / "p.html")  # whatever it is called
    before = saved.read_bytes()
    with pytest.raises(ValueError, match="the source itself"):
        report(saved, out=saved, progress=silent)
    assert saved.read_bytes() == before


def test_help_says_what_a_report_is_made_of() -> None:
    doc = inspect.getdoc(report) or ""
    entry = doc[doc.index("\nsource\n") : doc.index("\nproviders\n")]
    for word in ("A `Profile`", "``.onnxprof``", "`onnxlab.load` takes", "profiled first"):
        assert word in entry
