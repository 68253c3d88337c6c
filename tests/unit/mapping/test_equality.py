from __future__ import annotations

from onnx import parser

from onnxlab.mapping.dataflow import Dataflow
from onnxlab.model.load import load


def classes(text: str) -> dict[str, str]:
    """Name for each value of the main graph the first value that equals it."""
    header = '<ir_version: 8, opset_import: ["": 17, "l": 1]>'
    flow = Dataflow(load(parser.parse_model(f"{header} {text}")))
    first: dict[int, str] = {}
    return {
        flow.value_name(value): first.setdefault(equal, flow.value_name(value))
        for value, equal in enumerate(flow.canonical)
        if flow.value_graph[value] == 0
    }


def test_equal_nodes_of_equal_inputs_are_equal() -> None:
    same = classes("""g (float x) => (float y) { a = Exp(x) b = Exp(x) c = Neg(a) d = Neg(b)
        e = Neg(x) i = Identity(d) y = Sum(c, e, i) }""")
    assert same["b"] == "a"
    assert same["d"] == same["i"] == "c"
    assert same["e"] == "e"


def test_attributes_and_number_of_outputs_count() -> None:
    same = classes("""g (float[2,4] x) => (float y) { a = Elu<alpha=1.0>(x) b = Elu<alpha=2.0>(x)
        y = Add(a, b) }""")
    assert same["b"] == "b"


def test_random_numbers_are_never_equal() -> None:
    same = classes("""g (float x) => (float y) { a = RandomNormalLike(x)
        b = RandomNormalLike(x) y = Add(a, b) }""")
    assert same["b"] == "b"


def test_constants_and_initializers_of_one_value_are_equal() -> None:
    same = classes("""g (float x) => (float y) <float[2] k = {1.0, 2.0}, float[2] l = {1.0, 2.0},
        float[2] m = {1.0, 3.0}> { a = Add(x, k) b = Add(x, l) c = Add(x, m)
        p = Constant<value = float[2] {5.0, 6.0}>() q = Constant<value = float[2] {5.0, 6.0}>()
        y = Sum(a, b, c, p, q) }""")
    assert same["b"] == "a"
    assert same["c"] == "c"
    assert same["q"] == "p"


def test_calls_of_one_function_on_one_value_are_equal() -> None:
    same = classes("""g (float x) => (float y) { a = l.F(x) b = l.F(x) c = l.F(a) y = Sum(a, b, c) }
        <domain: "l", opset_import: ["": 17]> F (p) => (q) { q = Exp(p) }""")
    assert same["b"] == same["a"] != same["c"]


def test_attributes_that_a_call_sets_keep_calls_apart() -> None:
    same = classes("""g (float x) => (float y) { a = l.F<k=1.0>(x) b = l.F<k=2.0>(x) y = Add(a, b) }
        <domain: "l", opset_import: ["": 17]> F <k> (p) => (q) { q = Elu<alpha: float=@k>(p) }""")
    assert same["b"] != same["a"]
