from __future__ import annotations

import json
from pathlib import Path

import pytest

from onnxlab.model.load import load
from onnxlab.profiling.profile import Profile
from onnxlab.verbs.files import check_target, write_result


def test_the_suffix_says_what_is_written(measured: Profile, tmp_path: Path) -> None:
    for name in ("p.html", "p.onnxprof", "p.json"):
        write_result("profile", measured, tmp_path / name)
    assert (tmp_path / "p.html").read_text().startswith("<!doctype html>")
    assert Profile.load(tmp_path / "p.onnxprof").model.addresses == measured.model.addresses
    tables = json.loads((tmp_path / "p.json").read_text())
    assert tables["summary"][0]["provider"] == "cpu"
    assert len(tables["nodes"]) == len(measured.nodes)


def test_what_could_not_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in \.html or \.onnxprof or \.json"):
        check_target("profile", tmp_path / "p.txt", "m.onnx")
    with pytest.raises(ValueError, match="there is no folder"):
        check_target("profile", tmp_path / "no/p.html", "m.onnx")


@pytest.mark.parametrize(
    ("verb", "suffix"), [("report", r"\.html or \.htm"), ("optimize", r"\.onnx")]
)
def test_verbs_that_write_themselves_have_a_suffix_too(
    tmp_path: Path, verb: str, suffix: str
) -> None:
    with pytest.raises(ValueError, match=f"{verb} cannot write 'x.txt': .* ends in {suffix}"):
        check_target(verb, tmp_path / "x.txt", "m.onnx")


def test_a_source_is_never_overwritten(example_models: Path, tmp_path: Path) -> None:
    odd = tmp_path / "model.html"
    odd.write_bytes((example_models / "logreg_iris.onnx").read_bytes())
    for source in (str(odd), load(odd)):
        with pytest.raises(ValueError, match="never overwritten"):
            check_target("profile", odd, source)
