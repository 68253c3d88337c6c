"""Reading stored tensors of every type, within bounds."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from onnxlab.errors import ModelError
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.model.tensors import TensorReader
from onnxlab.testing import build

TYPES = [
    *(np.dtype(name) for name in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4")),
    *(np.dtype(name) for name in ("u8", "?", "c8", "c16")),
    *(
        np.dtype(getattr(ml_dtypes, name))
        for name in (
            "bfloat16",
            "float8_e4m3fn",
            "float8_e4m3fnuz",
            "float8_e5m2",
            "float8_e5m2fnuz",
            "float8_e8m0fnu",
            "int4",
            "uint4",
            "int2",
            "uint2",
            "float4_e2m1fn",
        )
    ),
]


def model_with(*tensors: TensorProto) -> Model:
    graph = helper.make_graph([], "g", [], [], list(tensors))
    return load(helper.make_model(graph, ir_version=10))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("count", [5, 5000])
def test_reads_what_onnx_wrote(dtype: np.dtype[np.generic], count: int) -> None:
    array = np.arange(count).astype(np.int8).astype(dtype).reshape(1, count)
    tensor = numpy_helper.from_array(array, "w")
    model = model_with(tensor)
    read = model.read_tensor("w")
    assert read.dtype == dtype
    np.testing.assert_array_equal(read.view(np.uint8), array.view(np.uint8))


@pytest.mark.parametrize(
    "data_type",
    [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 21, 22],
)
@pytest.mark.parametrize("count", [5, 3001])
def test_reads_typed_fields(data_type: int, count: int) -> None:
    tensor = helper.make_tensor("w", data_type, [count], [i % 2 for i in range(count)])
    assert not tensor.HasField("raw_data")
    read = model_with(tensor).read_tensor("w")
    np.testing.assert_array_equal(read, numpy_helper.to_array(tensor))


@pytest.mark.parametrize("count", [3, 2000])
def test_reads_strings_that_are_not_utf8(count: int) -> None:
    tensor = TensorProto(name="w", data_type=8, dims=[count])
    tensor.string_data.extend([b"a\xff", "日".encode(), b""][i % 3] for i in range(count))
    assert model_with(tensor).read_tensor("w").tolist()[:3] == ["a\\xff", "日", ""]


def test_five_int4_take_three_bytes() -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.INT4, dims=[5], raw_data=b"\x21\x43\xf5")
    model = model_with(tensor)
    assert model.read_tensor("w").tolist() == [1, 2, 3, 4, 5]
    assert model.initializers.size_bytes.tolist() == [3]


def test_reads_sparse_tensors_dense() -> None:
    for dims, indices in (([3], [0, 4, 8]), ([3, 2], [[0, 0], [1, 1], [2, 2]])):
        graph = helper.make_graph([], "g", [], [])
        sparse = graph.sparse_initializer.add(dims=[3, 3])
        sparse.values.CopyFrom(numpy_helper.from_array(np.array([1, 2, 3], np.float32), "s"))
        array = np.array(indices, np.int64).reshape(dims)
        sparse.indices.CopyFrom(numpy_helper.from_array(array, "i"))
        model = load(helper.make_model(graph, ir_version=8))
        np.testing.assert_array_equal(model.read_tensor("s"), np.diag([1, 2, 3]))
        sparse.dims[:] = [2, 2]
        with pytest.raises(ModelError, match="indices outside of its shape"):
            load(helper.make_model(graph, ir_version=8)).read_tensor("s")
        sparse.dims[:] = [2**40, 2**40]
        with pytest.raises(ModelError, match="too large to be made dense"):
            load(helper.make_model(graph, ir_version=8)).read_tensor("s")


def test_reads_constant_nodes_and_tensors_in_bodies() -> None:
    constants = {
        "value": numpy_helper.from_array(np.ones(2000, np.float32)),
        "value_float": 0.5,
        "value_ints": [1, 2],
        "value_string": "s",
    }
    nodes = [
        helper.make_node("Constant", [], [f"c{i}"], **{key: value})
        for i, (key, value) in enumerate(constants.items())
    ]
    body = helper.make_graph(nodes, "b", [], [helper.make_tensor_value_info("c0", 1, None)])
    node = helper.make_node("If", ["x"], ["y"], then_branch=body, else_branch=body)
    model = load(build([*nodes, node], inputs={"x": [1]}, outputs=["y"]))
    for prefix in ("", ":", "4/then_branch:"):
        assert model.read_tensor(f"{prefix}c0").sum() == 2000
        assert model.read_tensor(f"{prefix}c1") == 0.5
        assert model.read_tensor(f"{prefix}c2").tolist() == [1, 2]
        assert model.read_tensor(f"{prefix}c3") == "s"
    assert model.parameter_count == 3 * 2004
    assert set(model.initializers.storage) == {"constant node"}


def test_attribute_names_that_are_not_utf8_are_passed_over() -> None:
    node = helper.make_node("Constant", [], ["y"], value_float=1.0)
    data = build([node], inputs={}, outputs=["y"]).SerializeToString()
    model = load(data.replace(b"value_float", b"value_flo\xff\xfe"))
    assert model.parameter_count == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dims": [3], "raw_data": b"\0" * 8}, "needs 12 bytes as f32 but holds 8"),
        ({"dims": [3], "float_data": [1.0]}, "needs 3 entries of float_data but holds 1"),
        ({"dims": [2**40, 2**40]}, "needs 1,208,925,819,614,629,174,706,176 entries"),
        ({"dims": [-1], "raw_data": b""}, "has a negative dimension"),
        ({"dims": [1] * 40, "raw_data": b"\0" * 4}, "has 40 dimensions"),
        ({"dims": [2], "data_type": 77, "raw_data": b"\0"}, r"no known element type \(77\)"),
        ({"dims": [2], "data_type": 8, "string_data": [b"a"]}, "needs 2 strings but holds 1"),
    ],
)
def test_refuses_contradictions(fields: dict[str, object], message: str) -> None:
    tensor = TensorProto(**{"name": "w", "data_type": 1, **fields})
    with pytest.raises(ModelError, match=message):
        model_with(tensor).read_tensor("w")


def test_an_unknown_name_is_wrong_use() -> None:
    with pytest.raises(ValueError, match="no stored tensor has the name or address 'nope'"):
        model_with().read_tensor("nope")


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(TYPES), st.integers(0, 3000))
def test_chunks_make_up_the_tensor(dtype: np.dtype[np.generic], count: int) -> None:
    array = np.arange(count).astype(np.int8).astype(dtype)
    tensor = numpy_helper.from_array(array, "w")
    model = model_with(tensor)
    (stored,) = model.proto.graph.initializer
    chunks = list(TensorReader(model).chunks(stored, elements=512))
    assert all(len(chunk) <= 512 for chunk in chunks)
    joined = np.concatenate(chunks) if chunks else array
    np.testing.assert_array_equal(joined.view(np.uint8), array.view(np.uint8))


def test_payload_says_where_a_large_tensor_lies(tmp_path: Path) -> None:
    array = np.arange(5000, dtype=np.float32)
    path = tmp_path / "m.onnx"
    graph = helper.make_graph([], "g", [], [], [numpy_helper.from_array(array, "w")])
    onnx.save(helper.make_model(graph, ir_version=8), path)
    model = load(path)
    payload = model.payload(model.proto.graph.initializer[0])
    assert payload is not None
    assert (payload.field, payload.framed) == ("raw_data", False)
    data = path.read_bytes()[payload.offset : payload.offset + payload.length]
    np.testing.assert_array_equal(np.frombuffer(data, np.float32), array)
