from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from onnx import helper

from onnxlab.mapping.origin import Fate, Insertion, KernelOrigin, OriginKind
from onnxlab.model.load import load
from onnxlab.profiling.attribute import KernelRecord
from onnxlab.profiling.cell import Cell, SessionTimes
from onnxlab.profiling.machine import read_machine
from onnxlab.profiling.options import MeasureOptions
from onnxlab.profiling.profile import InputFacts, ModelFacts, Profile
from onnxlab.render.chart_parts import hover_name, plain
from onnxlab.render.figures import KINDS, figure, page_figure
from onnxlab.testing import build

HOSTILE = "<b>x</b><a href='https://evil'>$\\href{y}$</a>&lt;%{y}"


def make_profile(*labels: str, name: str = "/block/mul", nodes: int = 2) -> Profile:
    """A chain of Mul nodes whose node i takes 100 / (i + 1) µs, one Cast inserted."""
    model = load(
        build(
            [
                helper.make_node("Mul", [f"v{i}", "w"], [f"v{i + 1}"], name=f"{name}{i}")
                for i in range(nodes)
            ],
            inputs={"v0": [4]},
            outputs=[f"v{nodes}"],
            initializers={"w": np.ones(4, np.float32)},
        )
    )
    origins = [KernelOrigin(kind=OriginKind.NODE, nodes=(row,), lead=row) for row in range(nodes)]
    origins.append(KernelOrigin(kind=OriginKind.INSERTED, owner=0, insertion=Insertion.CAST))
    kernels = tuple(
        KernelRecord(
            name="k", op_type="Cast", provider="CPU", origin=origin, optimised_row=0, calls=1.0
        )
        for origin in origins
    )
    times_us = [100_000 // (i + 1) for i in range(nodes)] + [7_000]
    steady = np.full(5, 250_000_000 * nodes, np.int64)
    session = SessionTimes(
        load_ns=1, first_run_ns=1, run_ns=steady, cpu_ns=steady, peak_rss_bytes=1
    )
    cells = tuple(
        Cell(
            label=label,
            sessions=(session, session),
            kernels=kernels,
            self_us=np.array([times_us] * 5, np.int64),
            fates=(Fate.EXECUTED,) * nodes,
        )
        for label in labels
    )
    return Profile(
        model=ModelFacts(
            name=name,
            path="",
            summary="",
            entries=(),
            table=model.table,
            addresses=tuple(model.addresses.nodes()),
            scopes=("",) * nodes,
        ),
        machine=read_machine(python="", onnxruntime=""),
        options=MeasureOptions(providers=labels or ("cpu",)),
        inputs=InputFacts(values=(), dims={}, guessed=()),
        cells=cells or (Cell(label="cpu", error="it broke"),),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_draws_every_provider_that_ran(kind: str) -> None:
    chart = figure(make_profile("cpu", "cuda"), kind)
    assert len(chart.data) == 2
    json.loads(chart.to_json())


def test_the_areas_of_the_treemap_add_up_to_the_wall_time() -> None:
    (chart,) = figure(make_profile("cpu"), "treemap").data
    # Kernels 157 ms, the rest of the 500 ms outside of them.
    assert sum(chart.values) == pytest.approx(500_000)
    rest = dict(zip(chart.ids, chart.values, strict=True))
    assert rest["runtime, outside kernels"] == pytest.approx(343_000)
    assert rest["inserted cast"] == pytest.approx(7_000)


def test_text_on_every_tile_stands_out() -> None:
    (chart,) = figure(make_profile("cpu", nodes=40), "treemap").data
    for ground, text in zip(chart.marker.colors, chart.textfont.color, strict=True):
        lighter, darker = sorted((luminance(ground), luminance(text)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_a_tile_names_the_rows_of_all_that_ran_in_it_the_leads_first() -> None:
    profile = make_profile("cpu", nodes=3)
    fused = KernelOrigin(kind=OriginKind.REGION, nodes=(0, 1), lead=1)
    (cell,) = profile.cells
    kernels = (replace(cell.kernels[0], origin=fused), *cell.kernels[1:])
    profile = replace(profile, cells=(replace(cell, kernels=kernels),))
    (chart,) = figure(profile, "treemap").data
    assert ["1", "1 0"] in [list(tile[1:]) for tile in chart.customdata]


def test_a_long_name_under_the_pointer_stands_in_short_lines_each_escaped() -> None:
    lines = hover_name("<b>" * 100).split("<br>")
    assert len(lines) == 4
    assert lines[0] == "&lt;b&gt;" * 20


def test_a_page_gets_the_chart_without_a_heading_and_with_colours_for_dark() -> None:
    chart = json.loads(page_figure(make_profile("cpu"), height_px=300))
    assert chart["layout"]["height"] == 300
    assert not chart["layout"].get("title")
    assert set(chart["layout"]["meta"]) == {"light", "dark"}


def test_every_tile_has_a_parent_that_is_there() -> None:
    (chart,) = figure(make_profile("cpu", nodes=900), "treemap").data
    assert len(set(chart.ids)) == len(chart.ids)
    assert set(chart.parents) <= {"", *chart.ids}
    assert len(chart.ids) < 500
    assert any("small" in label for label in chart.labels)


def test_bars_name_the_costliest_nodes_first_with_intervals() -> None:
    chart = figure(make_profile("cpu", nodes=30), "bar")
    (bars,) = chart.data
    assert len(bars.x) == 20
    assert list(bars.x) == sorted(bars.x, reverse=True)
    assert chart.layout.yaxis.ticktext[0] == "Mul  /block/mul0"
    assert chart.layout.xaxis.ticktext[-1] == "100 ms"
    assert "100 ms" in bars.customdata[0][0]


def test_time_by_operator_keeps_what_was_inserted_apart() -> None:
    chart = figure(make_profile("cpu"), "ops")
    assert list(chart.layout.yaxis.ticktext) == ["Mul", "inserted: Cast"]
    assert list(chart.data[0].x) == [150_000, 7_000]


@pytest.mark.parametrize("kind", KINDS)
def test_text_of_the_model_is_shown_as_text(kind: str) -> None:
    text = figure(make_profile("cpu", name=HOSTILE), kind).to_json()
    for forbidden in ("<a", "<b>x", "$"):
        # plotly's JSON writes < as its escape
        assert forbidden not in json.dumps(json.loads(text), ensure_ascii=False)


def test_plain_text_is_escaped_and_bounded() -> None:
    assert plain("a<b>&$\n") == "a&lt;b&gt;&amp;&#36;\\n"
    assert len(plain("x" * 5000)) == 60


def test_an_unknown_kind_and_an_empty_profile_are_refused() -> None:
    with pytest.raises(ValueError, match="no figure 'pie': choose one of treemap, bar, ops"):
        figure(make_profile("cpu"), "pie")
    with pytest.raises(ValueError, match="nothing to draw: it broke"):
        figure(make_profile(), "bar")
