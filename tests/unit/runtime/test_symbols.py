from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxlab.runtime.symbols import is_placeholder, size_of, symbols_in


@pytest.mark.parametrize(
    ("dim", "size"),
    [
        ("a", 6),
        ("a + b", 8),
        ("2*a - b", 10),
        ("floor(a/4)", 1),
        ("Max(1, a) // b", 3),
        ("a % 4", 2),
        ("a - 100", None),
        ("a / 0", None),
        ("c", None),
        ("a.b", None),
        ("a if b else 1", None),
        ("9**9**9", None),
        ("a b", None),
    ],
)
def test_arithmetic_of_symbols(dim: str, size: int | None) -> None:
    assert size_of(dim, {"a": 6, "b": 2}) == size


def test_a_whole_expression_can_be_bound() -> None:
    assert size_of("past + 1", {"past + 1": 5}) == 5


@pytest.mark.parametrize(
    ("dim", "symbols"),
    [
        ("a + b*a", ("a", "b")),
        ("Min(64, seq)", ("seq",)),
        ("?", ("?",)),
        ("unk__7", ("unk__7",)),
        ("64", ("64",)),
        ("x" * 300, ("x" * 300,)),
    ],
)
def test_the_symbols_in_a_size(dim: str, symbols: tuple[str, ...]) -> None:
    assert symbols_in(dim) == symbols


def test_placeholders_are_told_from_symbols() -> None:
    assert all(map(is_placeholder, ("?", "", "unk__749", "unk_3", "None", "unknown")))
    assert not any(map(is_placeholder, ("batch", "N", "unkempt", "seq_len")))


@given(st.text(max_size=250))
def test_no_text_is_too_odd(dim: str) -> None:
    size = size_of(dim, dict.fromkeys(symbols_in(dim), 3))
    assert size is None or size >= 0
