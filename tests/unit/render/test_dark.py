from __future__ import annotations

import pytest

from onnxlab.profiling.profile import Profile
from onnxlab.render.dark import darkened, themes


def lightness(colour: str) -> float:
    return sum(int(colour[start : start + 2], 16) for start in (1, 3, 5)) / 765


@pytest.mark.parametrize("colour", ["#ffffff", "#cfe0f2", "#2f6fb0", "#000000"])
def test_pale_becomes_dim(colour: str) -> None:
    assert darkened(colour).startswith("#")
    assert lightness(darkened(colour)) == pytest.approx(
        0.1 + 0.85 * (1 - lightness(colour)), abs=0.12
    )


def test_a_chart_has_colours_for_both_pages(measured: Profile) -> None:
    chart = measured.figure("treemap")
    dressed = themes(chart)
    (light,), (dark,) = (dressed[page]["marker.colors"] for page in ("light", "dark"))
    assert len(light) == len(dark) == len(chart.data[0].labels)
    assert len(dressed["dark"]["textfont.color"][0]) == len(dark)
