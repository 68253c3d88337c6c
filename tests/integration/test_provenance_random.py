"""Random graphs: no original node is ever lost, and the microseconds add up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled import model_of, outcome

from onnxlab.mapping.origin import Fate, OriginKind
from onnxlab.model.load import load
from onnxlab.runtime.session import Runner

UNARY = ["Relu", "Neg", "Identity", "Sigmoid", "Erf", "Softmax", "Exp", "Tanh", "Dropout"]
BINARY = ["Add", "Mul", "Sub", "Div", "MatMul", "Max"]
SHAPED = ["Transpose<perm=[1,0]>", "Cast<to=1>", "Clip", "Reshape", "LayerNormalization", "local.F"]
IF = """If({condition}) <
    then_branch = t () => (float[4,4] u) {{ p = {op}({first}) u = Mul(p, {second}) }},
    else_branch = e () => (float[4,4] u) {{ p = Neg({first}) i = Identity(p) u = Exp(i) }}>"""
LOOP = """Loop(two, yes, {first}) <body = b (int64 i, bool k, float[4,4] s) =>
    (bool o, float[4,4] u) {{ o = Identity(k) p = {op}(s) q = Relu(p) u = Add(q, {second}) }}>"""
CONSTANTS = ["one", "zero", "w", "row"]
HEAVY = "MatMul"


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """Draw a graph of values of shape 4×4."""
    values = ["x", "z"]
    lines: list[str] = []
    for index in range(draw(st.integers(1, 14))):
        name = f"v{index}"
        op = draw(st.sampled_from([*UNARY, *BINARY, *SHAPED, "If", "Loop"]))
        first = draw(st.sampled_from(values))
        if op in {"If", "Loop"}:
            text = (IF if op == "If" else LOOP).format(
                condition=draw(st.sampled_from(["yes", "no", "condition"])),
                op=draw(st.sampled_from(UNARY)),
                first=first,
                second=draw(st.sampled_from(values)),
            )
            lines.append(f"{name} = {text}")
            values.append(name)
            continue
        if op in BINARY:
            second = draw(st.sampled_from([*values, *(CONSTANTS if op != "MatMul" else ["w"])]))
            inputs = [first, second] if op == "MatMul" or draw(st.booleans()) else [second, first]
        else:
            extra = {"Clip": ["zero", "six"], "Reshape": ["shape"], "LayerNormalization": ["row"]}
            inputs = [first, *extra.get(op, [])]
        lines.append(f"{name} = {op}({', '.join(inputs)})")
        values.append(name)
    produced = values[2:]
    outputs = sorted(set(draw(st.lists(st.sampled_from(produced), max_size=2))) | {produced[-1]})
    declared = ", ".join(f"float[4,4] {name}" for name in outputs)
    return f"""g (float[4,4] x, float[4,4] z, bool condition) => ({declared})
        <float one = {{1.0}}, float zero = {{0.0}}, float six = {{6.0}}, int64[2] shape = {{4,4}},
         int64 two = {{2}}, bool yes = {{1}}, bool no = {{0}}>
        {{ {" ".join(lines)} }}
        <domain: "local", opset_import: ["": 17]> F (p) => (q) {{ t = Erf(p) q = Mul(t, p) }}"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(graph=graphs(), level=st.sampled_from(["none", "basic", "extended", "all"]))
def test_no_node_is_lost_and_times_add_up(runner: Runner, graph: str, level: str) -> None:
    model = model_of(graph, {"w": (4, 4), "row": (4,)})
    random = np.random.default_rng(0)
    feeds = {name: random.random((4, 4), np.float32) for name in ("x", "z")}
    feeds["condition"] = np.array(True)
    found = outcome(runner, model, level, feeds, runs=2)
    kernels = found.attribution.kernels
    fates = found.attribution.fates
    assert Fate.UNKNOWN not in fates
    assert OriginKind.UNATTRIBUTED not in {kernel.origin.kind for kernel in kernels}
    assert found.attribution.self_us.sum(axis=1).tolist() == found.trace.total_us.tolist()
    covered = {row for kernel in kernels for row in kernel.origin.nodes}
    with_kernel = {row for row, f in enumerate(fates) if f in {Fate.EXECUTED, Fate.REGION}}
    assert with_kernel == covered
    table = load(model).table
    heavy = [sum(table.op(row) == HEAVY for row in kernel.origin.nodes) for kernel in kernels]
    assert max(heavy, default=0) <= 1
