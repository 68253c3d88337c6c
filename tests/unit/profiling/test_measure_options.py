from __future__ import annotations

import pytest

from onnxlab.profiling.options import MeasureOptions


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("providers", (), "name at least one"),
        ("runs", 0, "runs is 0: it must be 1 or more"),
        ("threads", 1_000_000, "threads is 1000000: it must be 1024 or less"),
        ("sessions", 1, "sessions is 1: it must be 2 or more"),
        ("level", "fast", "level is 'fast': it is one of none, basic"),
        ("budget", 0.0, "budget must be more than 0 seconds"),
        ("time_limit", float("nan"), "time_limit must be more than 0 seconds"),
    ],
)
def test_what_cannot_be_measured_is_refused(field: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MeasureOptions(**{field: value})
