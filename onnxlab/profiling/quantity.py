"""Measured numbers as text: three significant digits, a unit, an interval."""

from __future__ import annotations

from math import floor, isfinite, log10

from onnxlab.profiling.stats import Interval

__all__ = ["format_bytes", "format_interval", "format_share", "format_us"]

_TIME_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
_BYTE_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def format_us(time_us: float, /) -> str:
    """Return microseconds in the unit that suits them.

    Examples
    --------
    >>> format_us(4812.3)
    '4.81 ms'
    """
    return _with_unit(time_us, _TIME_UNITS)


def format_bytes(size_bytes: float, /) -> str:
    """Return bytes in the decimal unit that suits them.

    Examples
    --------
    >>> format_bytes(97_500_000)
    '97.5 MB'
    """
    return _with_unit(size_bytes, _BYTE_UNITS)


def format_share(share: float, /) -> str:
    """Return a share as a percentage.

    Examples
    --------
    >>> format_share(0.0852)
    '8.52 %'
    """
    return f"{_three_digits(100 * share)} %" if isfinite(share) else "unknown"


def format_interval(interval: Interval, /) -> str:
    """Return microseconds with the ends of their interval, all in one unit.

    Examples
    --------
    >>> format_interval(Interval(value=4810.0, low=4760.0, high=4880.0))
    '4.81 ms (4.76-4.88)'
    """
    if not isfinite(interval.value):
        return "unknown"
    factor, unit = _unit(interval.value, _TIME_UNITS)
    value, low, high = (
        _three_digits(time_us / factor) for time_us in (interval.value, interval.low, interval.high)
    )
    return f"{value} {unit} ({low}-{high})"


def _with_unit(number: float, units: tuple[tuple[float, str], ...]) -> str:
    if not isfinite(number):
        return "unknown"
    factor, unit = _unit(number, units)
    if unit == "B":
        return f"{number:.0f} B"
    return f"{_three_digits(number / factor)} {unit}"


def _unit(number: float, units: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    # 999.6 µs would round to "1000 µs": it is 1.00 ms.
    rounded = abs(float(f"{number:.3g}"))
    return next((unit for unit in units if rounded >= unit[0]), units[-1])


def _three_digits(number: float) -> str:
    if number == 0:
        return "0"
    rounded = float(f"{number:.3g}")
    decimals = 2 - floor(log10(abs(rounded)))
    return f"{rounded:,.{max(decimals, 0)}f}"
