"""What the join makes of models as runtimes write them, without running one."""

from __future__ import annotations

from onnx import ModelProto, helper, parser

from onnxlab.mapping.instrument import instrument
from onnxlab.mapping.origin import Fate, Insertion, KernelOrigin, OriginKind, Provenance
from onnxlab.mapping.provenance import provenance
from onnxlab.mapping.tags import tag
from onnxlab.model.load import load

HEADER = '<ir_version: 8, opset_import: ["": 17, "com.microsoft.nchwc": 1, "com.microsoft": 1]>'
CHAIN = "g (float[2] x) => (float[2] y) { a = Exp(x) b = Neg(a) y = Abs(b) }"


def parsed(text: str) -> ModelProto:
    return parser.parse_model(f"{HEADER} {text}")


def optimised(
    text: str, *, tags: dict[str, int], names: dict[str, str] | None = None
) -> ModelProto:
    """Parse a model and tag or name its nodes by their first output."""
    model = parsed(text)
    for node in model.graph.node:
        if node.output[0] in tags:
            node.doc_string = tag(tags[node.output[0]])
        node.name = (names or {}).get(node.output[0], "")
    return model


def joined(original: ModelProto, new: ModelProto) -> Provenance:
    return provenance(load(original), load(new))


def nodes(found: Provenance) -> list[tuple[int, ...]]:
    return [origin.nodes for origin in found.origins]


def owners(found: Provenance) -> dict[int, tuple[Insertion | None, int | None]]:
    return {
        row: (origin.insertion, origin.owner)
        for row, origin in enumerate(found.origins)
        if origin.kind is OriginKind.INSERTED
    }


def test_an_instrumented_copy_maps_to_itself() -> None:
    original = load(parsed(CHAIN))
    data = instrument(original).runnable.data
    assert data is not None
    found = provenance(original, load(data))
    assert nodes(found) == [(0,), (1,), (2,)]
    assert {origin.evidence for origin in found.origins} == {"tag"}
    assert set(found.fates) == {Fate.EXECUTED}


def test_layout_nodes_take_the_tensor_they_compute_from_their_name() -> None:
    original = parsed("""g (float[1,8,4,4] x, float[8,8,1,1] w) => (float[1,8,4,4] y) {
        c = Conv(x, w) r = Relu(c) d = Conv(r, w) s = Sigmoid(d) y = Exp(s) }""")
    new = optimised(
        """g (float[1,8,4,4] x, float[8,8,1,1] w) => (float[1,8,4,4] y) {
        i = com.microsoft.nchwc.ReorderInput(x)
        p = com.microsoft.nchwc.Conv<activation="Relu">(i, w)
        q = com.microsoft.nchwc.Conv(p, w)
        d = com.microsoft.nchwc.ReorderOutput(q) s = Sigmoid(d) y = Exp(s) }""",
        tags={"s": 3, "y": 4},
        names={"p": "c_nchwc", "q": "d_nchwc_token_3"},
    )
    found = joined(original, new)
    assert nodes(found) == [(), (0, 1), (2,), (), (3,), (4,)]
    assert owners(found) == {0: (Insertion.LAYOUT, 0), 3: (Insertion.LAYOUT, 2)}


def test_a_convolution_without_activation_took_none_in() -> None:
    original = parsed("""g (float[1,8,4,4] x, float[8,8,1,1] w) => (float[1,8,4,4] y) {
        c = Conv(x, w) r = Relu(c) y = Exp(r) }""")
    new = optimised(
        """g (float[1,8,4,4] x, float[8,8,1,1] w) => (float[1,8,4,4] y) {
        p = com.microsoft.nchwc.Conv(x, w) r = com.acme.Relu6(p) y = Exp(r) }""",
        tags={"y": 2},
        names={"p": "c_nchwc"},
    )
    assert nodes(joined(original, new)) == [(0,), (1,), (2,)]


def test_precision_casts_do_not_chain_nodes_together() -> None:
    new = optimised(
        """g (float[2] x) => (float[2] y) { i = Cast<to=1>(x) p = Exp(i) q = Cast<to=10>(p)
        r = Cast<to=1>(q) s = Neg(r) t = Abs(s) y = Cast<to=10>(t) }""",
        tags={"p": 0, "s": 1, "t": 2},
    )
    found = joined(parsed(CHAIN), new)
    assert [rows for rows in nodes(found) if rows] == [(0,), (1,), (2,)]
    assert set(owners(found)) == {0, 2, 3, 6}
    assert owners(found)[0] == (Insertion.CAST, 0)
    assert owners(found)[6] == (Insertion.CAST, 2)


def test_a_duplicated_dequantizer_is_inserted_for_its_reader() -> None:
    original = parsed("""g (uint8[2] x, float s) => (float[2] y, float[2] z) {
        d = DequantizeLinear(x, s) y = Exp(d) z = Neg(d) }""")
    new = optimised(
        """g (uint8[2] x, float s) => (float[2] y, float[2] z) {
        d = DequantizeLinear(x, s) e = DequantizeLinear(x, s) y = Exp(d) z = Neg(e) }""",
        tags={"d": 0, "y": 1, "z": 2},
        names={"e": "dq/duplicated"},
    )
    found = joined(original, new)
    assert nodes(found) == [(0,), (), (1,), (2,)]
    assert owners(found) == {1: (Insertion.QUANTIZE, 2)}


def test_a_node_whose_only_evidence_is_its_name() -> None:
    original = parsed("g (float[2] x) => (float[2] y) { a = Exp(x) y = Neg(a) }")
    original.graph.node[0].name = "exp"
    new = optimised(
        "g (float[2] x) => (float[2] y) { p = com.microsoft.FastExp(x) y = Neg(p) }",
        tags={"y": 1},
        names={"p": "exp/SomeFusion/"},
    )
    found = joined(original, new)
    assert found.origins[0] == KernelOrigin(
        kind=OriginKind.NODE, nodes=(0,), lead=0, evidence="node-name"
    )


def test_an_operator_run_by_several_kernels_stays_one_node() -> None:
    original = parsed("g (float[2] x) => (float[2] y) { a = Exp(x) b = Celu(a) y = Neg(b) }")
    new = optimised(
        """g (float[2] x) => (float[2] y) { a = Exp(x) _inlfunc_Celu_p = Elu(a)
        _inlfunc_Celu_s = Shape(a) b = Mul(_inlfunc_Celu_p, a) y = Neg(b) }""",
        tags={"a": 0, "y": 2},
    )
    found = joined(original, new)
    assert nodes(found) == [(0,), (1,), (1,), (1,), (2,)]
    assert {origin.kind for origin in found.origins} == {OriginKind.NODE}


def test_the_lead_of_a_region_is_its_costliest_operator() -> None:
    original = parsed("""g (float[2,2] x) => (float[2,2] y) {
        t = Transpose<perm=[1,0]>(x) m = MatMul(t, x) y = Relu(m) }""")
    new = optimised("g (float[2,2] x) => (float[2,2] y) { y = com.microsoft.F(x) }", tags={})
    (origin,) = joined(original, new).origins
    assert (origin.kind, origin.nodes, origin.lead) == (OriginKind.REGION, (0, 1, 2), 1)


def test_a_node_of_which_nothing_is_known_is_unattributed() -> None:
    new = optimised(
        """g (float[2] x) => (float[2] y) { a = Exp(x) b = Neg(a) y = Abs(b)
        k = com.acme.Mystery(unheard) }""",
        tags={"a": 0, "b": 1, "y": 2},
    )
    assert [o.kind for o in joined(parsed(CHAIN), new).origins][3] is OriginKind.UNATTRIBUTED


def test_functions_that_nothing_calls_are_dead() -> None:
    original = parsed(
        f"{CHAIN} <domain: 'l', opset_import: ['': 17]>".replace("'", '"')
        + """
        F (p) => (q) { q = Exp(p) }"""
    )
    new = optimised(CHAIN, tags={"a": 0, "b": 1, "y": 2})
    assert joined(original, new).fates[3] is Fate.DEAD


def test_tags_of_another_model_are_no_evidence() -> None:
    new = optimised(CHAIN, tags={"a": 700, "b": 1, "y": 2})
    found = joined(parsed(CHAIN), new)
    assert nodes(found) == [(0,), (1,), (2,)]
    assert found.origins[0].evidence == "slice"


def test_a_cycle_is_no_endless_loop() -> None:
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("Neg", ["b"], ["a"]),
                helper.make_node("Exp", ["a"], ["b"]),
                helper.make_node("Neg", ["b"], ["y"]),
            ],
            "g",
            [],
            [helper.make_tensor_value_info("y", 1, [2])],
        )
    )
    assert len(joined(model, model).fates) == 3
