"""Fusions labelled by hand: each kernel maps to exactly the nodes it runs.

The labels hold for the fusions of ONNX Runtime 1.31 and 1.32. Layout kernels depend on the
machine's vector units, so at level ``all`` only their owners are checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
import pytest
from labelled import Outcome, model_of, outcome

from onnxlab.mapping.origin import OriginKind
from onnxlab.runtime.session import Runner

GELU = "d = Div(p, r2) e = Erf(d) a = Add(e, one) m = Mul(p, a)"
GELU_CONSTANTS = "float r2 = {1.4142135}, float one = {1.0}, float half = {0.5}"
LAYER_NORM = """
    mean = ReduceMean<axes=[-1]>(x) c = Sub(x, mean) sq = Pow(c, two)
    var = ReduceMean<axes=[-1]>(sq) ve = Add(var, eps) sd = Sqrt(ve)
    n = Div(c, sd) sc = Mul(n, gamma) y = Add(sc, beta)"""
BATCH_NORM = {"s": (16,), "bb": (16,), "m": (16,), "v": (16,)}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A graph and what becomes of it.

    Regions are written as tensor names joined by ``+``, separated by spaces; fates as
    ``name: fate``, separated by commas.
    """

    graph: str
    weights: dict[str, tuple[int, ...]] = field(default_factory=dict)
    basic: str
    all: str
    fates: str = ""
    owners: str = ""  # of inserted kernels, at any level
    opset: int = 17


CASES = {
    "conv, batch norm, relu": Case(
        graph="""g (float[1,16,8,8] x) => (float[1,16,8,8] y) {
            conv = Conv<pads=[1,1,1,1]>(x, w, b) bn = BatchNormalization(conv, s, bb, m, v)
            y = Relu(bn) }""",
        weights={"w": (16, 16, 3, 3), "b": (16,), **BATCH_NORM},
        basic="conv+bn y",
        all="conv+bn+y",
        owners="conv",
    ),
    "conv, relu, max pool": Case(
        graph="""g (float[1,16,8,8] x) => (float[1,16,4,4] y) {
            conv = Conv<pads=[1,1,1,1]>(x, w) act = Relu(conv)
            y = MaxPool<kernel_shape=[2,2], strides=[2,2]>(act) }""",
        weights={"w": (16, 16, 3, 3)},
        basic="conv act y",
        all="conv+act y",
        owners="conv y",
    ),
    "residual convolutions": Case(
        graph="""g (float[1,16,8,8] x) => (float[1,16,8,8] y) {
            first = Conv<pads=[1,1,1,1]>(x, w1) second = Conv<pads=[1,1,1,1]>(first, w2)
            sum = Add(second, first) y = Relu(sum) }""",
        weights={"w1": (16, 16, 3, 3), "w2": (16, 16, 3, 3)},
        basic="first second sum y",
        all="first second+sum+y",
        owners="first second",
    ),
    "transposes that a change of layout takes in": Case(
        graph="""g (float[1,8,8,16] x) => (float[1,8,8,16] y, float[16,1,8,8] z) {
            first = Transpose<perm=[0,3,1,2]>(x) conv = Conv<pads=[1,1,1,1]>(first, w)
            last = Transpose<perm=[0,2,3,1]>(conv) y = Sin(last)
            other = Transpose<perm=[3,0,1,2]>(x) z = Cos(other) }""",
        weights={"w": (16, 16, 3, 3)},
        basic="first conv last y other z",
        all="first conv last y other z",
    ),
    "pad, conv": Case(
        graph="""g (float[1,4,8,8] x) => (float[1,8,8,8] y) <int64[8] p = {0,0,1,1,0,0,1,1}> {
            pad = Pad(x, p) y = Conv(pad, w) }""",
        weights={"w": (8, 4, 3, 3)},
        basic="pad+y",
        all="pad+y",
        owners="y",
    ),
    "erf gelu": Case(
        graph=f"""g (float[2,8] p) => (float[2,8] y) <{GELU_CONSTANTS}> {{
            {GELU} y = Mul(m, half) }}""",
        basic="d e a m y",
        all="d+e+a+m+y",
    ),
    "bias gelu": Case(
        graph=f"""g (float[2,8] x) => (float[2,8] y) <{GELU_CONSTANTS}> {{
            p = Add(x, bias) {GELU} y = Mul(m, half) }}""",
        weights={"bias": (8,)},
        basic="p d e a m y",
        all="p+d+e+a+m+y",
    ),
    "layer norm": Case(
        graph=f"""g (float[2,8] x) => (float[2,8] y)
            <float two = {{2.0}}, float eps = {{0.00001}}> {{ {LAYER_NORM} }}""",
        weights={"gamma": (8,), "beta": (8,)},
        basic="mean+c+sq+var+ve+sd+n+sc+y",
        all="mean+c+sq+var+ve+sd+n+sc+y",
    ),
    "skip layer norm": Case(
        graph="""g (float[1,3,8] x, float[1,3,8] skip) => (float[1,3,8] y) {
            sum = Add(x, skip) y = LayerNormalization<axis=-1>(sum, gamma, beta) }""",
        weights={"gamma": (8,), "beta": (8,)},
        basic="sum y",
        all="sum+y",
    ),
    "matmul, add": Case(
        graph="g (float[3,8] x) => (float[3,4] y) { mm = MatMul(x, w) y = Add(mm, b) }",
        weights={"w": (8, 4), "b": (4,)},
        basic="mm+y",
        all="mm+y",
    ),
    "matmul, add in three dimensions": Case(
        graph="g (float[2,3,8] x) => (float[2,3,4] y) { mm = MatMul(x, w) y = Add(mm, b) }",
        weights={"w": (8, 4), "b": (4,)},
        basic="mm+y",
        all="mm+y",
        owners="mm",
    ),
    "matmul, add, reshape": Case(
        graph="""g (float[2,3,8] x) => (float[2,3,2,4] z) <int64[4] heads = {2,3,2,4}> {
            mm = MatMul(x, w) y = Add(mm, b) r = Reshape(y, heads) z = Exp(r) }""",
        weights={"w": (8, 8), "b": (8,)},
        basic="mm+y r z",
        all="mm+y r z",
        owners="mm",
    ),
    "matmul, batch norm": Case(
        graph="""g (float[3,8] x) => (float[3,16] y) {
            mm = MatMul(x, w) y = BatchNormalization(mm, s, bb, m, v) }""",
        weights={"w": (8, 16), **BATCH_NORM},
        basic="mm+y",
        all="mm+y",
    ),
    "matmul, reshape, transpose, batch norm": Case(
        graph="""g (float[16,8] x) => (float[1,16,4,4] y) <int64[4] image = {1,4,4,16}> {
            mm = MatMul(x, w) r = Reshape(mm, image) t = Transpose<perm=[0,3,1,2]>(r)
            y = BatchNormalization(t, s, bb, m, v) }""",
        weights={"w": (8, 16), **BATCH_NORM},
        basic="mm+y r t",
        all="mm+y r t",
    ),
    "matmul, scale": Case(
        graph="""g (float[2,3,8] x, float[2,8,4] z) => (float[2,3,4] y) <float k = {0.5}> {
            mm = MatMul(x, z) y = Mul(mm, k) }""",
        basic="mm y",
        all="mm+y",
    ),
    "transpose, matmul": Case(
        graph="""g (float[2,8,3] x, float[2,8,4] z) => (float[2,3,4] y) {
            t = Transpose<perm=[0,2,1]>(x) y = MatMul(t, z) }""",
        basic="t y",
        all="t+y",
    ),
    "gemm, activation, twice": Case(
        graph="""g (float[3,8] x) => (float[3,4] y) {
            h = Gemm(x, w, b) r = Relu(h) o = Gemm(r, w2) y = Sigmoid(o) }""",
        weights={"w": (8, 16), "b": (16,), "w2": (16, 4)},
        basic="h r o y",
        all="h+r o+y",
    ),
    "relu, clip": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) <float lo = {-1.0}, float hi = {6.0}> {
            r = Relu(x) y = Clip(r, lo, hi) }""",
        basic="r+y",
        all="r+y",
    ),
    "quantised conv": Case(
        graph="""g (float[1,4,8,8] x) => (float[1,8,8,8] y)
            <float s = {0.1}, uint8 z = {128}, float ws = {0.01}, int8 wz = {0}> {
            xq = QuantizeLinear(x, s, z) xd = DequantizeLinear(xq, s, z)
            wq = QuantizeLinear(w, ws, wz) wd = DequantizeLinear(wq, ws, wz)
            conv = Conv<pads=[1,1,1,1]>(xd, wd)
            cq = QuantizeLinear(conv, s, z) y = DequantizeLinear(cq, s, z) }""",
        weights={"w": (8, 4, 3, 3)},
        basic="xq xd wd conv cq y",
        all="xq xd+wd+conv+cq y",
        fates="wq: folded",
        owners="conv",
    ),
    "function called twice": Case(
        graph="""g (float[2,8] x) => (float[2,8] y) { a = local.F(x) y = local.F(a) }
            <domain: "local", opset_import: ["": 17]> F (p) => (q) { t = Exp(p) q = Neg(t) }""",
        basic="a/t a/q y/t y/q",
        all="a/t a/q y/t y/q",
        fates="a: inlined, y: inlined",
    ),
    "fusion inside functions that call another": Case(
        graph=f"""g (float[2,8] x) => (float[2,8] y) <{GELU_CONSTANTS}> {{
            b = local.Outer(x, r2, one, half) y = local.Outer(b, r2, one, half) }}
            <domain: "local", opset_import: ["": 17, "local": 1]>
            Outer (p, r2, one, half) => (q) {{ i = local.Inner(p, r2, one) q = Mul(i, half) }}
            <domain: "local", opset_import: ["": 17]>
            Inner (p, r2, one) => (m) {{ {GELU} }}""",
        basic="b/i/d b/i/e b/i/a b/i/m b/q y/i/d y/i/e y/i/a y/i/m y/q",
        all="b/i/d+b/i/e+b/i/a+b/i/m+b/q y/i/d+y/i/e+y/i/a+y/i/m+y/q",
        fates="b: inlined, y: inlined, b/i: inlined, y/i: inlined",
    ),
    "two fusions in one function": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) { y = local.Mlp(x, w, v) }
            <domain: "local", opset_import: ["": 17]> Mlp (p, w, v) => (q) {
            h = Gemm(p, w) r = Relu(h) o = Gemm(r, v) s = Sigmoid(o) q = Neg(s) }""",
        weights={"w": (8, 16), "v": (16, 8)},
        basic="y/h y/r y/o y/s y/q",
        all="y/h+y/r y/o+y/s y/q",
        fates="y: inlined",
    ),
    "branch taken and branch not taken": Case(
        graph="""g (float[2,8] x, bool c) => (float[2,8] y) { n = Neg(x) y = If(c)
            <then_branch = t () => (float[2,8] u) { t = Exp(n) u = Relu(t) },
             else_branch = e () => (float[2,8] u) { t = Tanh(n) u = Relu(t) }> }""",
        basic="n y y/then_branch/t y/then_branch/u",
        all="n y y/then_branch/t y/then_branch/u",
        fates="y/else_branch/t: not executed, y/else_branch/u: not executed",
    ),
    "branch of a constant condition": Case(
        graph="""g (float[2,8] x) => (float[2,8] y) <bool c = {1}> { n = Neg(x) i = If(c)
            <then_branch = t () => (float[2,8] u) { t = Exp(n) u = Relu(t) },
             else_branch = e () => (float[2,8] o) { k = Constant<value_float=3.0>()
             o = Pow(n, k) }> y = Abs(i) }""",
        basic="n i/then_branch/t i/then_branch/u y",
        all="n i/then_branch/t i/then_branch/u y",
        fates="i: inlined, i/else_branch/k: dead, i/else_branch/o: dead",
    ),
    "branch of a constant condition that is fused whole": Case(
        graph="""g (float[2,8] x) => (float[2,8] y) <bool c = {0}> { y = If(c)
            <then_branch = t () => (float[2,8] u) { u = Tanh(x) },
             else_branch = e () => (float[2,8] o) { s = Sigmoid(x) o = Mul(x, s) }> }""",
        basic="y/else_branch/s y/else_branch/o",
        all="y/else_branch/s+y/else_branch/o",
        fates="y: inlined, y/then_branch/u: dead",
    ),
    "loop": Case(
        graph="""g (float[2,8] x) => (float[2,8] y) <int64 n = {5}, bool c = {1}> {
            a = Neg(x) y = Loop(n, c, a) <body = b (int64 i, bool p, float[2,8] s) =>
            (bool co, float[2,8] so) { co = Identity(p) e = Exp(s) so = Sigmoid(e) }> }""",
        basic="a y y/body/co y/body/e y/body/so",
        all="a y y/body/co y/body/e y/body/so",
    ),
    "constant folding": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) <float a = {1.0}, float b = {2.0}> {
            k = Constant<value_float=3.0>() ab = Add(a, b) abk = Mul(ab, k) y = Div(x, abk) }""",
        basic="y",
        all="y",
        fates="k: folded, ab: folded, abk: folded",
    ),
    "shape folding": Case(
        graph="""g (float[3,8] x) => (float[24] y) {
            e = Exp(x) s = Shape(e) p = ReduceProd<keepdims=1>(s) y = Reshape(e, p) }""",
        basic="e y",
        all="e y",
        fates="s: folded, p: folded",
    ),
    "reshape to its own dimensions": Case(
        graph="""g (float[n,8,8] x) => (float[n,8,2,4] y)
            <int64 i0 = {0}, int64 i1 = {1}, int64[1] ax = {0}, int64[1] h = {2},
             int64[1] w = {4}> {
            s0 = Shape(x) d0 = Gather(s0, i0) u0 = Unsqueeze(d0, ax)
            s1 = Shape(x) d1 = Gather(s1, i1) u1 = Unsqueeze(d1, ax)
            sh = Concat<axis=0>(u0, u1, h, w) y = Reshape(x, sh) }""",
        basic="y",
        all="y",
        fates="s0: folded, d0: folded, u0: folded, s1: folded, d1: folded, u1: folded, sh: folded",
    ),
    "equal nodes": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) {
            a = Exp(x) b = Exp(x) na = Neg(a) nb = Neg(b) y = Mul(na, nb) }""",
        basic="b nb y",
        all="b nb y",
        fates="a: deduplicated, na: deduplicated",
    ),
    "equal nodes that draw random numbers": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) {
            a = RandomNormalLike(x) b = RandomNormalLike(x) s = Add(a, b) y = Add(s, x) }""",
        basic="a b s y",
        all="a b s y",
    ),
    "identities": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) {
            a = Exp(x) i = Identity(a) b = Neg(i) y = Identity(b) }""",
        basic="a b",
        all="a b",
        fates="i: eliminated, y: eliminated",
    ),
    "identity after a fusion": Case(
        graph="""g (float[2,8,3] x, float[2,8,4] z) => (float[2,3,4] y) {
            t = Transpose<perm=[0,2,1]>(x) mm = MatMul(t, z) y = Identity(mm) }""",
        basic="t mm",
        all="t+mm",
        fates="y: eliminated",
    ),
    "nodes that are equal once a cast is gone": Case(
        graph="""g (float[3,8] x) => (float[3,8] y) {
            a = Exp(x) c = Cast<to=1>(x) b = Exp(c) s = Softmax(a) y = Div(b, s) }""",
        basic="a s y",
        all="a s y",
        fates="c: eliminated, b: deduplicated",
    ),
    "cast to the same type": Case(
        graph="g (float[3,8] x) => (float[3,8] y) { a = Exp(x) c = Cast<to=1>(a) y = Neg(c) }",
        basic="a y",
        all="a y",
        fates="c: eliminated",
    ),
    "transposes that cancel": Case(
        graph="""g (float[1,4,8,8] x) => (float[1,4,8,8] y) {
            t = Transpose<perm=[0,2,3,1]>(x) r = Relu(t) u = Transpose<perm=[0,3,1,2]>(r)
            y = Exp(u) }""",
        basic="r y",
        all="r y",
        fates="t: eliminated, u: eliminated",
    ),
    "operator without a kernel": Case(
        graph="""g (float[1,4,8] x) => (float[1,4,8] y) {
            e = Exp(x) y = GroupNormalization<num_groups=2>(e, gamma, beta) }""",
        weights={"gamma": (4,), "beta": (4,)},
        basic="e y",
        all="e y",
        opset=21,
    ),
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


def regions(text: str) -> set[frozenset[str]]:
    return {frozenset(region.split("+")) for region in text.split()}


def fates(text: str) -> dict[str, str]:
    pairs = (item.split(": ") for item in text.split(", ") if item)
    return dict(pairs)


def feeds(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    weights = {tensor.name for tensor in model.graph.initializer}
    values: dict[str, np.ndarray] = {}
    for value in model.graph.input:
        if value.name in weights:
            continue
        shape = [dim.dim_value or 2 for dim in value.type.tensor_type.shape.dim]
        is_bool = value.type.tensor_type.elem_type == onnx.TensorProto.BOOL
        values[value.name] = (
            np.array(True) if is_bool else random.standard_normal(shape).astype(np.float32)
        )
    return values


def run(runner: Runner, case: Case, level: str) -> Outcome:
    model = model_of(case.graph, case.weights, opset=case.opset)
    return outcome(runner, model, level, feeds(model))


def assert_adds_up(found: Outcome) -> None:
    assert found.attribution.self_us.dtype == np.int64
    assert found.attribution.self_us.sum(axis=1).tolist() == found.trace.total_us.tolist()
    kinds = {kernel.origin.kind for kernel in found.attribution.kernels}
    assert OriginKind.UNATTRIBUTED not in kinds


@pytest.mark.parametrize("name", CASES)
def test_basic_level_maps_to_exactly_these_nodes(runner: Runner, name: str) -> None:
    case = CASES[name]
    found = run(runner, case, "basic")
    assert found.regions == regions(case.basic)
    assert found.fates == fates(case.fates)
    assert {owner for _, owner in found.inserted} <= set(case.owners.split())
    assert_adds_up(found)


@pytest.mark.parametrize("name", CASES)
def test_all_optimisations_map_to_exactly_these_nodes(runner: Runner, name: str) -> None:
    case = CASES[name]
    found = run(runner, case, "all")
    assert found.regions == regions(case.all)
    assert found.fates == fates(case.fates)
    assert {owner for _, owner in found.inserted} <= set(case.owners.split())
    assert_adds_up(found)


@pytest.mark.parametrize("name", CASES)
def test_without_optimisation_each_node_is_its_own_kernel(runner: Runner, name: str) -> None:
    found = run(runner, CASES[name], "none")
    assert all(len(region) == 1 for region in found.regions)
    assert not found.inserted
    assert set(found.fates.values()) <= {"inlined", "folded", "not executed"}
    assert_adds_up(found)


def test_inserted_reshapes_belong_to_the_gemm_they_serve(runner: Runner) -> None:
    found = run(runner, CASES["matmul, add in three dimensions"], "basic")
    assert found.inserted == {("shape", "mm")}


def test_both_reshapes_around_a_gemm_of_half_precision_belong_to_it(runner: Runner) -> None:
    model = model_of(
        """g (float16[2,4,8] x) => (float16[2,4,8] y) {
            mm = MatMul(x, w) sum = Add(mm, b) y = Relu(sum) }"""
    )
    for name, shape in {"w": (8, 8), "b": (8,)}.items():
        weight = onnx.numpy_helper.from_array(np.ones(shape, np.float16), name)
        model.graph.initializer.append(weight)
    found = outcome(runner, model, "basic", {"x": np.ones((2, 4, 8), np.float16)})
    assert found.regions == regions("mm+sum y")
    assert {owner for kind, owner in found.inserted if kind == "shape"} == {"mm"}
    assert_adds_up(found)


def test_inserted_casts_belong_to_the_node_they_serve(runner: Runner) -> None:
    model = model_of(
        "g (float16[2,8] x) => (float16[2,8] y) { a = Softplus(x) b = Selu(a) y = Softsign(b) }"
    )
    found = outcome(runner, model, "all", {"x": np.ones((2, 8), np.float16)})
    assert found.regions == regions("a b y")
    assert {kind for kind, _ in found.inserted} == {"cast"}
    assert {owner for _, owner in found.inserted} <= {"a", "b", "y"}
    assert_adds_up(found)


@pytest.mark.parametrize(("level", "kernels"), [("basic", "conv y"), ("all", "conv+y")])
def test_a_cast_that_an_inserted_one_undoes_is_eliminated(
    runner: Runner, level: str, kernels: str
) -> None:
    case = Case(
        graph="""g (float[1,16,8,8] x) => (float16[1,16,8,8] y) {
            half = Cast<to=10>(x) weight = Cast<to=10>(w)
            conv = Conv<pads=[1,1,1,1]>(half, weight) y = Relu(conv) }""",
        weights={"w": (16, 16, 3, 3)},
        basic="",
        all="",
    )
    found = run(runner, case, level)
    assert found.regions == regions(kernels)
    assert found.fates == fates("half: eliminated, weight: folded")
    assert_adds_up(found)


def test_operators_without_a_kernel_in_sibling_bodies_stay_apart(runner: Runner) -> None:
    model = model_of(
        """g (float16[2,8] x, bool c) => (float16[2,8] y) { y = If(c)
        <then_branch = t () => (float16[2,8] u) { a = Abs(x) u = Relu(a) },
         else_branch = e () => (float16[2,8] u) { a = Neg(x) u = Relu(a) }> }"""
    )
    values = {"x": np.ones((2, 8), np.float16), "c": np.array(True)}
    found = outcome(runner, model, "basic", values)
    assert found.regions == regions("y y/then_branch/a y/then_branch/u")
    assert set(found.fates) == {"y/else_branch/a", "y/else_branch/u"}


def test_loop_time_is_self_and_children(runner: Runner) -> None:
    found = run(runner, CASES["loop"], "none")
    calls = {kernel.op_type: kernel.calls for kernel in found.attribution.kernels}
    assert calls == {"Neg": 1, "Loop": 1, "Identity": 5, "Exp": 5, "Sigmoid": 5}
    assert (found.attribution.self_us >= 0).all()


def test_body_and_main_graph_may_share_node_names(runner: Runner) -> None:
    model = model_of(CASES["loop"].graph)
    loop = model.graph.node[1]
    for node in (*model.graph.node, *loop.attribute[0].g.node):
        node.name = "same"
    found = outcome(runner, model, "all", feeds(model))
    assert found.regions == regions(CASES["loop"].all)
    assert {kernel.name for kernel in found.attribution.kernels} == {"same"}
    assert_adds_up(found)


def test_names_like_the_runtimes_own_events_are_kept(runner: Runner) -> None:
    model = model_of("g (float[2] x) => (float[2] y) { a = Exp(x) b = Neg(a) y = Abs(b) }")
    names = ["n_kernel_time", "n_fence_before", "SequentialExecutor::Execute"]
    for node, name in zip(model.graph.node, names, strict=True):
        node.name = name
    found = outcome(runner, model, "all", feeds(model))
    assert [kernel.name for kernel in found.attribution.kernels] == names
    assert found.regions == regions("a b y")
    assert_adds_up(found)


def test_dead_nodes_that_the_runtime_removes_are_dead(runner: Runner) -> None:
    model = model_of("g (float[2] x) => (float[2] y) { y = Exp(x) d = Identity(x) e = Neg(d) }")
    found = outcome(runner, model, "all", feeds(model))
    # Some versions run dead nodes, some do not.
    assert all(fate in {"dead", "eliminated"} for fate in found.fates.values())
    assert_adds_up(found)
