from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from onnxlab.profiling.cell import Cell
from onnxlab.profiling.profile import Profile

Make = Callable[..., Profile]


def test_nodes_has_a_row_for_each_original_node(make_profile: Make, cell: Cell) -> None:
    nodes = make_profile(cell).nodes
    assert list(nodes.index) == ["0", "1", "2", "3"]
    assert nodes.index.name == "address"
    assert list(nodes["op_type"]) == ["Gemm", "Relu", "Gemm", "Relu"]
    assert list(nodes["fate"]) == ["region", "region", "executed", "folded"]
    assert list(nodes["region"]) == ["Gemm+Relu", "Gemm+Relu", "Gemm", ""]
    assert list(nodes["region_lead"]) == ["0", "0", "2", ""]


def test_a_regions_time_stands_on_its_lead_alone(make_profile: Make, cell: Cell) -> None:
    nodes = make_profile(cell).nodes
    assert nodes.loc["0", "time_us"] == pytest.approx(60)
    assert nodes.loc["2", "time_us"] == pytest.approx(30)
    assert nodes.loc[["1", "3"], "time_us"].isna().all()
    assert nodes.loc["0", "share"] == pytest.approx(60 / 105)


def test_the_tables_add_up(make_profile: Make, cell: Cell) -> None:
    profile = make_profile(cell)
    row = profile.summary.loc["cpu"]
    total = profile.kernels["time_us"].sum()
    assert profile.nodes["time_us"].sum() == pytest.approx(row["node_us"])
    assert row["node_us"] + row["inserted_us"] + row["unattributed_us"] == pytest.approx(total)
    assert profile.regions["time_us"].sum() == pytest.approx(total)
    assert profile.regions["share"].sum() == pytest.approx(1)
    assert row["attributed"] == pytest.approx(100 / 105)
    assert row["runtime_us"] == pytest.approx(150 - 105)


def test_runs_are_whole_microseconds_that_add_up_exactly(make_profile: Make, cell: Cell) -> None:
    runs = make_profile(cell).runs
    profiled = runs[runs["phase"] == "profiled"]
    assert len(profiled) == 10
    parts = profiled[["node_us", "region_us", "inserted_us", "unattributed_us"]]
    assert profiled.dtypes["kernels_us"] == pd.Int64Dtype()
    assert (parts.sum(axis=1) == profiled["kernels_us"]).all()
    assert list(profiled["kernels_us"]) == cell.self_us.sum(axis=1).tolist()


def test_runs_tell_the_session_that_warms_up_from_those_that_count(
    make_profile: Make, cell: Cell
) -> None:
    runs = make_profile(cell).runs
    loads = runs[runs["phase"] == "load"]
    assert list(loads["counted"]) == [False, True, True]
    assert list(loads["wall_ns"]) == [9_000_000, 2_000_000, 2_000_000]
    assert (runs["phase"] == "steady").sum() == 60


def test_the_summary_leaves_the_first_session_out(make_profile: Make, cell: Cell) -> None:
    row = make_profile(cell).summary.loc["cpu"]
    assert row["load_us"] == pytest.approx(2_000)
    assert row["first_run_us"] == pytest.approx(400)
    assert (row["sessions"], row["runs"], row["profiled_runs"]) == (2, 40, 10)
    assert row["wall_us"] == pytest.approx(150)


def test_regions_and_kernels_name_the_owner_of_what_was_inserted(
    make_profile: Make, cell: Cell
) -> None:
    profile = make_profile(cell)
    for table in (profile.regions, profile.kernels):
        (inserted,) = table[table["kind"] == "inserted"].to_dict("records")
        assert inserted["insertion"] == "layout"
        assert inserted["owner"] == "2"
        assert inserted["nodes"] == ()


def test_a_second_provider_adds_columns_with_its_label(make_profile: Make, cell: Cell) -> None:
    other = replace(cell, label="fast", self_us=cell.self_us // 2)
    nodes = make_profile(cell, other).nodes
    assert nodes.loc["0", "time_us"] == pytest.approx(60)
    assert nodes.loc["0", "time_us.fast"] == pytest.approx(30)


def test_a_failed_provider_has_an_error_and_no_columns(make_profile: Make, cell: Cell) -> None:
    failed = Cell(label="cuda", error="no such provider")
    profile = make_profile(failed, cell)
    assert not [name for name in profile.nodes.columns if "cuda" in name]
    assert profile.nodes.loc["0", "time_us"] == pytest.approx(60)
    row = profile.summary.loc["cuda"]
    assert row["error"] == "no such provider"
    assert np.isnan(row["wall_us"])
    assert row["kernels"] == 0


def test_tables_of_a_profile_in_which_all_failed_are_empty(make_profile: Make) -> None:
    profile = make_profile(Cell(label="cpu", error="no"))
    assert len(profile.nodes) == 4
    assert profile.kernels.empty
    assert profile.regions.empty
    assert profile.runs.empty


def test_tables_of_a_profile_in_which_all_failed_can_be_sorted_by_time(make_profile: Make) -> None:
    profile = make_profile(Cell(label="cpu", error="no"))
    assert profile.nodes["time_us"].isna().all()
    assert len(profile.nodes.nlargest(3, "time_us")) == 3
    assert set(profile.nodes["fate"]) == {""}
    for table in (profile.kernels, profile.regions):
        assert table.nlargest(3, "time_us").empty
        assert table["share"].sum() == 0


def test_one_line_says_what_was_measured(make_profile: Make, cell: Cell) -> None:
    failed = Cell(label="cuda", error="no such provider")
    assert repr(make_profile(cell, failed)) == (
        "<Profile mlp.onnx: cpu 150 µs (150-150), 4 kernels, 95.2 % of the time attributed"
        " · cuda, failed: no such provider>"
    )
