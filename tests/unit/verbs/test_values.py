from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxlab.verbs.values import (
    parse_bytes,
    parse_dims,
    parse_file,
    parse_inputs,
    parse_names,
    parse_seconds,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10 s", 10),
        ("500ms", 0.5),
        ("2 min", 120),
        (".5", 0.5),
        (3, 3),
        (1.5, 1.5),
        ("1h", 3600),
        (1e-5, 1e-5),
    ],
)
def test_durations(text: object, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "size"), [("512 MiB", 512 << 20), ("2GB", 2 * 10**9), ("1 kb", 1000), (7, 7)]
)
def test_sizes(text: object, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("wrong", ["", "ten", "10 parsec", "-3 s", None, True, "1 s s"])
def test_what_is_no_quantity_is_refused_in_one_line(wrong: object) -> None:
    with pytest.raises(ValueError, match="is not a duration such as"):
        parse_seconds(wrong)


def test_dims_come_as_text_or_as_a_mapping() -> None:
    assert parse_dims("batch=1, seq=128") == parse_dims({"batch": 1, "seq": 128})
    assert parse_dims("") == {}


@pytest.mark.parametrize("wrong", ["batch", "=3", "batch=x", "batch=-1", {"batch": 1.5}, 3])
def test_wrong_dims_are_refused(wrong: object) -> None:
    with pytest.raises(ValueError):
        parse_dims(wrong)


@given(st.dictionaries(st.from_regex(r"[a-z_]\w{0,8}", fullmatch=True), st.integers(0, 1 << 40)))
def test_dims_survive_being_written_as_text(dims: dict[str, int]) -> None:
    assert parse_dims(",".join(f"{name}={size}" for name, size in dims.items())) == dims


def test_names_come_as_text_or_as_a_list() -> None:
    assert parse_names("cpu, cuda") == parse_names(["cpu", "cuda"]) == ("cpu", "cuda")


def test_files_and_inputs() -> None:
    assert parse_file("~/x") == Path.home() / "x"
    assert parse_inputs("x.npz") == Path("x.npz")
    arrays = {"x": [1]}
    assert parse_inputs(arrays) is arrays
    with pytest.raises(ValueError, match="is not a path"):
        parse_file(3)
