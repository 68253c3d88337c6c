from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.errors import OnnxlabError
from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile

Make = Callable[..., Profile]


@pytest.fixture
def profile(make_profile: Make, cell: Cell) -> Profile:
    made = make_profile(cell, Cell(label="cuda", error="no such provider"))
    lint = Finding(code="x", severity=Severity.WARNING, hazard="h", addresses=("0",))
    return replace(made, lint=(lint,), measured_at="2026-01-02T03:04:05+00:00")


def test_a_saved_profile_comes_back_exactly(profile: Profile, tmp_path: Path) -> None:
    path = profile.save(tmp_path / "m.onnxprof")
    again = Profile.load(path)
    for name in ("machine", "options", "inputs", "lint", "measured_at"):
        assert getattr(again, name) == getattr(profile, name)
    for name in ("nodes", "kernels", "regions", "runs", "summary"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(profile, name))
    for field in fields(profile.model.table):
        before, after = (getattr(p.model.table, field.name) for p in (profile, again))
        np.testing.assert_array_equal(before, after)
        if isinstance(before, np.ndarray):
            assert before.dtype == after.dtype
    assert again.cells[0].kernels == profile.cells[0].kernels
    assert again.cells[0].fates == profile.cells[0].fates
    assert repr(again) == repr(profile)


def test_saving_replaces_the_file_and_leaves_nothing_beside_it(
    profile: Profile, tmp_path: Path
) -> None:
    path = tmp_path / "m.onnxprof"
    path.write_bytes(b"old")
    profile.save(path)
    assert Profile.load(path).model.name == "mlp.onnx"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(
    profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = profile.save(tmp_path / "m.onnxprof")
    before = path.read_bytes()

    def full_disk(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OnnxlabError, match=r"cannot write .*m\.onnxprof: No space left"):
        profile.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_are_no_profile_are_refused(tmp_path: Path) -> None:
    foreign = tmp_path / "model.onnx"
    foreign.write_bytes(b"\x08\x08 not a profile")
    with pytest.raises(OnnxlabError, match=r"model\.onnx is not a profile"):
        Profile.load(foreign)
    with pytest.raises(OnnxlabError, match=r"cannot read .*absent: No such file"):
        Profile.load(tmp_path / "absent")


def test_a_file_of_a_newer_onnxlab_is_refused(profile: Profile, tmp_path: Path) -> None:
    path = profile.save(tmp_path / "m.onnxprof")
    data = bytearray(path.read_bytes())
    data[8:12] = (99).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(OnnxlabError, match=r"has format 99, .* upgrade onnxlab"):
        Profile.load(path)


@pytest.mark.parametrize("keep", [8, 12, 40, -5])
def test_a_truncated_file_is_refused(profile: Profile, tmp_path: Path, keep: int) -> None:
    path = profile.save(tmp_path / "m.onnxprof")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(OnnxlabError, match="is damaged"):
        Profile.load(path)


def test_a_damaged_file_is_refused(profile: Profile, tmp_path: Path) -> None:
    path = profile.save(tmp_path / "m.onnxprof")
    data = path.read_bytes()
    for position in range(12, len(data), 97):
        broken = bytearray(data)
        broken[position] ^= 0xFF
        path.write_bytes(broken)
        with pytest.raises(OnnxlabError, match="is damaged"):
            Profile.load(path)


def with_table(profile: Profile, **columns: object) -> Profile:
    return replace(
        profile, model=replace(profile.model, table=replace(profile.model.table, **columns))
    )


def with_cell(profile: Profile, **changes: object) -> Profile:
    return replace(profile, cells=(replace(profile.cells[0], **changes),))


def array(*rows: int) -> np.ndarray:
    return np.array(rows, np.int32)


STRANGE: dict[str, Callable[[Profile], Profile]] = {
    "kernels without times": lambda p: with_cell(p, self_us=p.cells[0].self_us[:, :2]),
    "too few fates": lambda p: with_cell(p, fates=p.cells[0].fates[:2]),
    "an origin that is no node": lambda p: with_cell(
        p,
        kernels=(
            replace(p.cells[0].kernels[0], origin=replace(p.cells[0].kernels[0].origin, lead=77)),
            *p.cells[0].kernels[1:],
        ),
    ),
    "a session without runs": lambda p: with_cell(
        p, sessions=(replace(p.cells[0].sessions[0], run_ns=np.zeros(0, np.int64)),)
    ),
    "too few addresses": lambda p: replace(p, model=replace(p.model, addresses=("0",))),
    "a short column": lambda p: with_table(p, node_op=p.model.table.node_op[:1]),
    "a name that is no string": lambda p: with_table(p, node_op=array(0, 1, 2, 999)),
    "a node in no scope": lambda p: with_table(p, node_scope=array(-1, 0, 0, 0)),
    "scopes in a cycle": lambda p: with_table(
        p, scope_parent=np.arange(len(p.model.table.scope_parent), dtype=np.int32)
    ),
    "offsets that shrink": lambda p: with_table(
        p, node_inputs_start=p.model.table.node_inputs_start[::-1].copy()
    ),
    "no table at all": lambda p: with_table(p, strings=()),
}


@pytest.mark.parametrize("what", STRANGE)
def test_parts_that_do_not_fit_together_are_refused(
    profile: Profile, tmp_path: Path, what: str
) -> None:
    path = STRANGE[what](profile).save(tmp_path / "m.onnxprof")
    with pytest.raises(OnnxlabError, match="is damaged"):
        Profile.load(path)


def test_content_that_is_no_profile_is_refused(tmp_path: Path) -> None:
    content = msgspec.msgpack.encode({"model": 1})
    path = tmp_path / "m.onnxprof"
    path.write_bytes(b"ONNXPROF" + (1).to_bytes(4, "little") + zlib.compress(content))
    with pytest.raises(OnnxlabError, match="is damaged"):
        Profile.load(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file")
def test_an_endless_file_is_refused_at_its_beginning() -> None:
    with pytest.raises(OnnxlabError, match="is not a profile"):
        Profile.load("/dev/zero")
