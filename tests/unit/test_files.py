from __future__ import annotations

import os
from pathlib import Path

import pytest

from onnxlab.errors import OnnxlabError
from onnxlab.files import check_writable, write_whole

LONG = "n" * 5000


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    target.write_text("old")
    write_whole(target, "né")
    assert target.read_bytes() == "né".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_what_has_no_form_in_utf8_is_spelled_out(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    write_whole(target, "\udcff.onnx")
    assert target.read_text() == "\\udcff.onnx"


@pytest.mark.parametrize("name", ["m.onnx", "M.ONNX", "m.ort"])
def test_a_model_is_never_overwritten(tmp_path: Path, name: str) -> None:
    model = tmp_path / name
    model.write_bytes(b"precious")
    with pytest.raises(ValueError, match="names a model"):
        write_whole(model, b"")
    assert model.read_bytes() == b"precious"


def test_a_folder_stays(tmp_path: Path) -> None:
    with pytest.raises(OnnxlabError, match="a folder"):
        write_whole(tmp_path, b"")


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    device = tmp_path / "device.html"
    os.mkfifo(device)
    refused = ((tmp_path, "a folder"), (device, "a device"), (tmp_path / LONG, "too long"))
    for target, why in refused:
        with pytest.raises(OnnxlabError, match=why):
            check_writable(target)
    with pytest.raises(ValueError, match="there is no folder"):
        check_writable(tmp_path / "no" / "r.html")
    check_writable(tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == [device]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "p.onnxprof"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("onnxlab.files.os.fsync", full)
    with pytest.raises(OnnxlabError, match=r"cannot write .*No space left"):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
