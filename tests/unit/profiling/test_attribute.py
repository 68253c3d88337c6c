from __future__ import annotations

import numpy as np
from onnx import ModelProto, parser

from onnxlab.mapping.origin import Fate, KernelOrigin, OriginKind, Provenance
from onnxlab.model.load import load
from onnxlab.profiling.attribute import attribute
from onnxlab.profiling.trace import Trace, TracedKernel

NODE, EXECUTED = OriginKind.NODE, Fate.EXECUTED


def parsed(text: str) -> ModelProto:
    return parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> {text}')


def kernel(
    name: str, op: str, index: int = 0, inside: str = "", siblings: str = ""
) -> TracedKernel:
    return TracedKernel(
        name=name,
        op_type=op,
        provider="CPUExecutionProvider",
        node_index=index,
        inside=tuple(inside.split()),
        siblings=tuple(siblings.split()),
    )


def traced(*kernels: TracedKernel, calls: int = 1) -> Trace:
    self_us = np.arange(1, 2 * len(kernels) + 1, dtype=np.int64).reshape(2, -1)
    return Trace(
        kernels=kernels,
        self_us=self_us,
        calls=np.full_like(self_us, calls),
        run_us=self_us.sum(axis=1),
        is_truncated=False,
    )


def identity_join(model: ModelProto) -> Provenance:
    rows = range(load(model).table.node_count)
    return Provenance(
        origins=tuple(KernelOrigin(kind=NODE, nodes=(row,), lead=row) for row in rows),
        fates=(EXECUTED,) * len(rows),
    )


def test_kernels_join_by_name_whatever_their_order() -> None:
    proto = parsed("g (float x) => (float y) { a = Exp(x) y = Neg(a) }")
    proto.graph.node[0].name, proto.graph.node[1].name = "first", "second"
    trace = traced(kernel("second", "Neg", 0), kernel("first", "Exp", 1), calls=3)
    found = attribute(load(proto), load(proto), trace, identity_join(proto))
    assert [k.name for k in found.kernels] == ["first", "second"]
    assert [k.optimised_row for k in found.kernels] == [0, 1]
    assert found.self_us.tolist() == [[2, 1], [4, 3]]
    assert [k.calls for k in found.kernels] == [3, 3]


def test_a_kernel_that_is_nowhere_keeps_its_time() -> None:
    proto = parsed("g (float x) => (float y) { y = Exp(x) }")
    trace = traced(kernel("Exp_0", "Exp"), kernel("stranger", "Foo"))
    found = attribute(load(proto), load(proto), trace, identity_join(proto))
    assert [k.origin.kind for k in found.kernels] == [NODE, OriginKind.UNATTRIBUTED]
    assert found.kernels[1].optimised_row == -1
    assert found.self_us.sum(axis=1).tolist() == trace.total_us.tolist()


def test_nameless_nodes_are_found_by_operator() -> None:
    proto = parsed("g (float x) => (float y) { a = Exp(x) b = Neg(a) y = Neg(b) }")
    trace = traced(kernel("Neg_9", "Neg", 9), kernel("Neg_4", "Neg", 4), kernel("Exp_2", "Exp", 2))
    found = attribute(load(proto), load(proto), trace, identity_join(proto))
    assert [(k.optimised_row, k.name) for k in found.kernels] == [
        (0, "Exp_2"),
        (1, "Neg_4"),
        (2, "Neg_9"),
    ]


def test_bodies_are_told_apart_by_their_owner_and_siblings() -> None:
    proto = parsed("""g (float x, bool c) => (float y) { n = Neg(x) y = If(c)
        <then_branch = t () => (float u) { a = Neg(n) u = Exp(a) },
         else_branch = e () => (float u) { a = Neg(n) u = Abs(a) }> }""")
    nodes = proto.graph.node
    nodes[0].name, nodes[1].name = "n", "if"
    branches = {a.name: a.g.node for a in nodes[1].attribute}
    for nodes_ in branches.values():
        nodes_[0].name = "n"
    branches["then_branch"][1].name, branches["else_branch"][1].name = "e", "b"
    original = load(proto)
    trace = traced(
        kernel("n", "Neg"),
        kernel("n", "Neg", inside="if", siblings="b n"),
        kernel("b", "Abs", 1, inside="if", siblings="b n"),
        kernel("if", "If", 1),
    )
    found = attribute(original, load(proto), trace, identity_join(proto))
    addresses = {k.name: original.address(k.optimised_row) for k in found.kernels[1:]}
    assert addresses == {"if": "1", "n": "1/else_branch/0", "b": "1/else_branch/1"}
    assert list(found.fates) == [
        EXECUTED, EXECUTED, Fate.NOT_EXECUTED, Fate.NOT_EXECUTED, EXECUTED, EXECUTED
    ]  # fmt: skip


def test_series_of_one_node_are_added_up() -> None:
    proto = parsed("""g (float x, bool c) => (float y) { y = If(c)
        <then_branch = t () => (float u) { u = Exp(x) },
         else_branch = e () => (float u) { u = Abs(x) }> }""")
    proto.graph.node[0].name = "if"
    proto.graph.node[0].attribute[0].g.node[0].name = "e"
    trace = traced(
        kernel("if", "If"),
        kernel("e", "Exp", inside="if", siblings="e"),
        kernel("e", "Exp", inside="if", siblings="e other"),
    )
    found = attribute(load(proto), load(proto), trace, identity_join(proto))
    assert [k.name for k in found.kernels] == ["if", "e"]
    assert found.self_us.tolist() == [[1, 5], [4, 11]]


def test_names_are_shown_as_the_original_has_them() -> None:
    proto = parsed("g (float x) => (float y) { a = Exp(x) b = Neg(a) y = Neg(b) }")
    for node in proto.graph.node:
        node.name = "same"
    optimised = parsed("g (float x) => (float y) { a = Exp(x) b = Neg(a) y = Neg(b) }")
    for row, node in enumerate(optimised.graph.node):
        node.name = f"same#{row}"
    trace = traced(
        *(kernel(f"same#{row}", n.op_type, row) for row, n in enumerate(optimised.graph.node))
    )
    found = attribute(load(proto), load(optimised), trace, identity_join(proto))
    assert [k.name for k in found.kernels] == ["same"] * 3


def test_without_a_run_nothing_is_executed() -> None:
    proto = parsed("g (float x) => (float y) { y = Exp(x) }")
    empty = Trace(
        kernels=(),
        self_us=np.zeros((0, 0), np.int64),
        calls=np.zeros((0, 0), np.int64),
        run_us=np.zeros(0, np.int64),
        is_truncated=False,
    )
    found = attribute(load(proto), load(proto), empty, identity_join(proto))
    assert found.kernels == ()
    assert found.self_us.shape == (0, 0)
    assert found.fates == (Fate.NOT_EXECUTED,)
