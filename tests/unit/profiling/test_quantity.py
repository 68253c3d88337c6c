from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxlab.profiling.quantity import format_bytes, format_interval, format_share, format_us
from onnxlab.profiling.stats import Interval


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0, "0 µs"),
        (0.5, "0.500 µs"),
        (1, "1.00 µs"),
        (12.34, "12.3 µs"),
        (999.4, "999 µs"),
        (999.6, "1.00 ms"),
        (4812.3, "4.81 ms"),
        (1.234e6, "1.23 s"),
        (1.5e9, "1,500 s"),
        (-37.2, "-37.2 µs"),
        (float("nan"), "unknown"),
    ],
)
def test_times_have_three_digits_and_a_unit(time_us: float, text: str) -> None:
    assert format_us(time_us) == text


def test_an_interval_has_one_unit() -> None:
    assert format_interval(Interval(value=4810, low=476, high=4880)) == "4.81 ms (0.476-4.88)"
    assert format_interval(Interval(value=float("nan"), low=0, high=0)) == "unknown"


def test_shares_and_bytes() -> None:
    assert format_share(0.0852) == "8.52 %"
    assert format_share(1.0) == "100 %"
    assert format_share(float("nan")) == "unknown"
    assert format_bytes(930) == "930 B"
    assert format_bytes(97_500_000) == "97.5 MB"


@given(st.floats(1e-3, 1e12))
def test_a_formatted_time_keeps_its_value(time_us: float) -> None:
    number, unit = format_us(time_us).split(" ")
    factor = {"µs": 1.0, "ms": 1e3, "s": 1e6}[unit]
    assert float(number.replace(",", "")) * factor == pytest.approx(time_us, rel=6e-3)
