from __future__ import annotations

from typing import Any

import numpy as np

from onnxlab.profiling.trace import parse


def kernel(name: str, ts: int, dur: int, *, op: str = "Relu", index: int = 0, tid: int = 1) -> Any:
    args = {"op_name": op, "provider": "CPUExecutionProvider", "node_index": str(index)}
    return {
        "cat": "Node", "name": f"{name}_kernel_time", "ts": ts, "dur": dur, "tid": tid, "args": args
    }  # fmt: skip


def session(name: str, ts: int, dur: int, *, tid: int = 1) -> Any:
    return {"cat": "Session", "name": name, "ts": ts, "dur": dur, "tid": tid, "args": {}}


def execute(ts: int, dur: int, *, tid: int = 1) -> Any:
    return session("SequentialExecutor::Execute", ts, dur, tid=tid)


def run(ts: int, dur: int) -> Any:
    return session("model_run", ts, dur)


def test_kernels_are_told_apart_by_run() -> None:
    trace = parse(
        [
            session("model_loading_uri", 0, 5),
            session("session_initialization", 5, 5),
            kernel("a", 10, 3), kernel("b", 14, 4), execute(10, 9), run(10, 10),
            kernel("b", 30, 6), kernel("a", 37, 1), execute(30, 9), run(29, 11),
        ]
    )  # fmt: skip
    assert [k.name for k in trace.kernels] == ["a", "b"]
    assert trace.self_us.tolist() == [[3, 4], [1, 6]]
    assert trace.self_us.dtype == np.int64
    assert trace.total_us.tolist() == [7, 7]
    assert trace.run_us.tolist() == [10, 11]
    assert trace.calls.tolist() == [[1, 1], [1, 1]]


def test_exactly_one_suffix_is_stripped_and_only_of_node_events() -> None:
    names = ["n_kernel_time", "n_fence_before", "SequentialExecutor::Execute", "model_run"]
    events = [kernel(name, 10 * i, 5) for i, name in enumerate(names, 1)]
    trace = parse([*events, execute(5, 60), run(5, 60)])
    assert [k.name for k in trace.kernels] == names
    assert trace.total_us.tolist() == [20]


def test_fence_events_of_old_versions_are_left_out() -> None:
    fences = [
        {**kernel("a", 9, 1), "name": "a_fence_before"},
        {**kernel("a", 16, 1), "name": "a_fence_after"},
    ]
    trace = parse([fences[0], kernel("a", 10, 5), fences[1], execute(9, 9), run(9, 9)])
    assert trace.self_us.tolist() == [[5]]


def test_control_flow_time_is_without_the_bodies_it_executes() -> None:
    events = [kernel("before", 0, 2)]
    for iteration in range(3):
        start = 10 + 10 * iteration
        events += [kernel("inner", start + 1, 4), execute(start, 7)]
    events += [kernel("loop", 5, 40, op="Loop"), execute(0, 50), run(0, 51)]
    trace = parse(events)
    by_name = {k.name: column for column, k in enumerate(trace.kernels)}
    assert trace.self_us[0, by_name["loop"]] == 40 - 3 * 7
    assert trace.self_us[0, by_name["inner"]] == 12
    assert trace.calls[0, by_name["inner"]] == 3
    inner = trace.kernels[by_name["inner"]]
    assert inner.inside == ("loop",)
    assert inner.siblings == ("inner",)


def test_equal_names_in_main_graph_and_body_stay_apart() -> None:
    trace = parse(
        [kernel("n", 0, 2), kernel("n", 11, 3), execute(10, 5), kernel("loop", 9, 8, op="Loop"),
         execute(0, 20), run(0, 21)]
    )  # fmt: skip
    assert [(k.name, k.inside) for k in trace.kernels if k.name == "n"] == [
        ("n", ()),
        ("n", ("loop",)),
    ]
    assert trace.total_us.tolist() == [2 + 3 + (8 - 5)]


def test_nested_bodies_know_their_whole_path() -> None:
    trace = parse(
        [kernel("leaf", 4, 1), execute(3, 3), kernel("if", 3, 4, op="If"), execute(2, 6),
         kernel("loop", 1, 8, op="Loop"), execute(0, 10), run(0, 11)]
    )  # fmt: skip
    paths = {k.name: k.inside for k in trace.kernels}
    assert paths == {"loop": (), "if": ("loop",), "leaf": ("loop", "if")}
    assert trace.total_us.tolist() == [(8 - 6) + (4 - 3) + 1]


def test_events_within_one_microsecond_nest_by_kind() -> None:
    trace = parse(
        [kernel("first", 10, 0), kernel("second", 10, 3), kernel("inner", 13, 1), execute(13, 1),
         kernel("if", 13, 1, op="If"), execute(10, 5), run(10, 5)]
    )  # fmt: skip
    assert trace.total_us.tolist() == [0 + 3 + 1 + (1 - 1)]
    paths = {k.name: k.inside for k in trace.kernels}
    assert paths == {"first": (), "second": (), "if": (), "inner": ("if",)}


def test_kernels_of_other_threads_belong_to_the_run_around_them() -> None:
    trace = parse(
        [kernel("a", 10, 20, tid=1), kernel("b", 12, 10, tid=2), kernel("c", 25, 9, tid=2),
         execute(9, 30, tid=1), run(9, 31), kernel("a", 50, 5, tid=3), execute(49, 8, tid=1),
         run(49, 9)]
    )  # fmt: skip
    assert [k.name for k in trace.kernels] == ["a", "b", "c"]
    assert trace.self_us.tolist() == [[20, 10, 9], [5, 0, 0]]
    assert {k.inside for k in trace.kernels} == {()}


def test_events_outside_of_runs_are_left_out() -> None:
    trace = parse([kernel("folding", 1, 5), kernel("a", 10, 3), execute(10, 4), run(10, 5)])
    assert [k.name for k in trace.kernels] == ["a"]


def test_a_run_that_was_cut_is_left_out_and_said() -> None:
    trace = parse(
        [kernel("a", 10, 3), execute(10, 4), run(10, 5), kernel("a", 20, 3),
         {"cat": "Session", "name": "profile_truncated", "ts": 30, "dur": 0, "args": {"n": "7"}}]
    )  # fmt: skip
    assert trace.is_truncated
    assert trace.self_us.tolist() == [[3]]
    assert not parse([run(0, 1)]).is_truncated


def test_events_of_other_kinds_and_without_arguments_do_no_harm() -> None:
    bare = {"cat": "Node", "name": "x_kernel_time", "ts": 2, "dur": 1}
    trace = parse([{"cat": "Api", "name": "gpu", "ts": 1, "dur": 1}, bare, {"ph": "M"}, run(0, 9)])
    assert trace.self_us.tolist() == [[1]]
    assert trace.kernels[0].node_index == -1


def test_no_events_make_an_empty_trace() -> None:
    trace = parse([])
    assert trace.self_us.shape == (0, 0)
    assert trace.total_us.tolist() == []
