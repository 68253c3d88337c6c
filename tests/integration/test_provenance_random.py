"""Random graphs: no original node is ever lost, and the microseconds add up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled import model_of, outcome

from onnxlab.mapping.origin import Fate, OriginKind
from onnxlab.runtime.session import Runner

UNARY = ["Relu", "Neg", "Identity", "Sigmoid", "Erf", "Softmax", "Exp", "Tanh", "Dropout"]
BINARY = ["Add", "Mul", "Sub", "Div", "MatMul", "Max"]
SHAPED = ["Transpose<perm=[1,0]>", "Cast<to=1>", "Clip", "Reshape", "LayerNormalization", "local.F"]
CONSTANTS = ["one", "zero", "w", "row"]
HEAVY = "MatMul"


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """Draw a graph of values of shape 4×4."""
    values = ["x", "z"]
    lines: list[str] = []
    for index in range(draw(st.integers(1, 14))):
        name = f"v{index}"
        op = draw(st.sampled_from([*UNARY, *BINARY, *SHAPED]))
        first = draw(st.sampled_from(values))
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
    return f"""g (float[4,4] x, float[4,4] z) => ({declared})
        <float one = {{1.0}}, float zero = {{0.0}}, float six = {{6.0}}, int64[2] shape = {{4,4}}>
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
    found = outcome(runner, model, level, feeds, runs=2)
    kernels = found.attribution.kernels
    fates = found.attribution.fates
    assert Fate.UNKNOWN not in fates
    assert OriginKind.UNATTRIBUTED not in {kernel.origin.kind for kernel in kernels}
    assert found.attribution.self_us.sum(axis=1).tolist() == found.trace.total_us.tolist()
    covered = {row for kernel in kernels for row in kernel.origin.nodes}
    with_kernel = {row for row, f in enumerate(fates) if f in {Fate.EXECUTED, Fate.REGION}}
    assert with_kernel == covered
    ops = [node.op_type for node in rows_of(model)]
    heavy = [sum(ops[row] == HEAVY for row in kernel.origin.nodes) for kernel in kernels]
    assert max(heavy, default=0) <= 1


def rows_of(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """Return the node of each row: those of the main graph, then of each call in order."""
    calls = sum(node.op_type == "F" for node in model.graph.node)
    return [*model.graph.node, *(list(model.functions[0].node) * calls)]
