"""Leaving payloads out and tying each to its tensor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from onnxlab.model.skeleton import PAYLOAD_FIELDS, Skeleton, TooDeepError, read_skeleton
from onnxlab.model.source import BytesSource
from onnxlab.model.wire_format import BYTES, MalformedError, varint


def restore(skeleton: Skeleton, data: bytes) -> onnx.ModelProto:
    """Put the left-out payloads back."""
    model = onnx.ModelProto.FromString(skeleton.data)
    found = 0
    for tensor in tensors_of(model):
        marks = [e for e in tensor.external_data if e.key == skeleton.marker]
        if not marks:
            continue
        (mark,) = marks
        payload = skeleton.payloads[int(mark.value)]
        tensor.external_data.remove(mark)
        piece = data[payload.offset : payload.offset + payload.length]
        if payload.framed:
            held = TensorProto.FromString(piece)
        else:
            number = {name: n for n, name in PAYLOAD_FIELDS.items()}[payload.field]
            held = TensorProto.FromString(varint(number << 3 | BYTES) + varint(len(piece)) + piece)
        for field, value in held.ListFields():
            if field.name in PAYLOAD_FIELDS.values():
                if field.name == "raw_data":
                    tensor.raw_data = value
                else:
                    getattr(tensor, field.name).extend(value)
        found += 1
    assert found == len(skeleton.payloads)
    return model


def tensors_of(model: onnx.ModelProto) -> Iterator[TensorProto]:
    graphs = [model.graph]
    nodes = [node for function in model.functions for node in function.node]
    for info in model.training_info:
        graphs += [info.initialization, info.algorithm]
    attributes = [a for function in model.functions for a in function.attribute_proto]
    while graphs or nodes or attributes:
        if graphs:
            graph = graphs.pop()
            yield from graph.initializer
            for sparse in graph.sparse_initializer:
                yield from (sparse.values, sparse.indices)
            nodes.extend(graph.node)
        elif nodes:
            attributes.extend(nodes.pop().attribute)
        else:
            attribute = attributes.pop()
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            sparse_tensors = list(attribute.sparse_tensors)
            if attribute.HasField("sparse_tensor"):
                sparse_tensors.append(attribute.sparse_tensor)
            for sparse in sparse_tensors:
                yield from (sparse.values, sparse.indices)
            graphs.extend(attribute.graphs)
            if attribute.HasField("g"):
                graphs.append(attribute.g)


names = st.text(st.characters(codec="utf-8"), max_size=6)


@st.composite
def tensors(draw: st.DrawFn) -> TensorProto:
    tensor = TensorProto(name=draw(names), dims=draw(st.lists(st.integers(0, 9), max_size=3)))
    kind = draw(st.sampled_from(["raw", "floats", "ints", "strings", "doubles", "both", "none"]))
    if kind in ("raw", "both"):
        tensor.raw_data = draw(st.binary(max_size=60))
    if kind in ("floats", "both"):
        tensor.float_data.extend(draw(st.lists(st.floats(width=32, allow_nan=False), max_size=9)))
    if kind == "ints":
        tensor.int64_data.extend(draw(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=9)))
        tensor.int32_data.extend(draw(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=3)))
    if kind == "strings":
        tensor.string_data.extend(draw(st.lists(st.binary(max_size=20), max_size=6)))
    if kind == "doubles":
        tensor.double_data.extend(draw(st.lists(st.floats(allow_nan=False), max_size=9)))
        tensor.uint64_data.extend(draw(st.lists(st.integers(0, 2**64 - 1), max_size=3)))
    if draw(st.booleans()):
        tensor.external_data.add(key=draw(names), value=draw(names))
    return tensor


@st.composite
def graphs(draw: st.DrawFn, depth: int = 2) -> onnx.GraphProto:
    graph = onnx.GraphProto(name=draw(names))
    graph.initializer.extend(draw(st.lists(tensors(), max_size=3)))
    for values in draw(st.lists(tensors(), max_size=1)):
        graph.sparse_initializer.add(dims=[3], values=values, indices=draw(tensors()))
    for _ in range(draw(st.integers(0, 2))):
        node = graph.node.add(op_type="Op", name=draw(names))
        node.attribute.add(name="t", type=4).t.CopyFrom(draw(tensors()))
        node.attribute.add(name="ts", type=9).tensors.extend(draw(st.lists(tensors(), max_size=2)))
        if depth:
            node.attribute.add(name="g", type=5).g.CopyFrom(draw(graphs(depth - 1)))
    return graph


@st.composite
def models(draw: st.DrawFn) -> onnx.ModelProto:
    model = onnx.ModelProto(ir_version=8, graph=draw(graphs()))
    if draw(st.booleans()):
        function = model.functions.add(name="F")
        function.node.add(op_type="Constant").attribute.add(name="value").t.CopyFrom(
            draw(tensors())
        )
        function.attribute_proto.add(name="a").t.CopyFrom(draw(tensors()))
    if draw(st.booleans()):
        model.training_info.add(algorithm=draw(graphs(0)), initialization=draw(graphs(0)))
    return model


@settings(max_examples=150, deadline=None)
@given(model=models(), large_bytes=st.sampled_from([0, 1, 8, 30]))
def test_skeleton_and_payloads_make_up_the_original(
    model: onnx.ModelProto, large_bytes: int
) -> None:
    data = model.SerializeToString(deterministic=True)
    skeleton = read_skeleton(BytesSource(data), large_bytes=large_bytes)
    assert restore(skeleton, data).SerializeToString(deterministic=True) == data
    assert all(payload.length > large_bytes for payload in skeleton.payloads)


def test_small_payloads_stay_and_large_ones_go() -> None:
    small, large = np.zeros(1024, np.float32), np.zeros(1025, np.float32)
    graph = helper.make_graph([], "g", [], [])
    graph.initializer.append(onnx.numpy_helper.from_array(small, "small"))
    graph.initializer.append(onnx.numpy_helper.from_array(large, "large"))
    data = onnx.ModelProto(graph=graph).SerializeToString()
    skeleton = read_skeleton(BytesSource(data))
    (payload,) = skeleton.payloads
    assert (payload.field, payload.length) == ("raw_data", 4100)
    assert len(skeleton.data) < 4500


def test_a_file_cannot_forge_the_marker() -> None:
    tensor = TensorProto(name="w")
    tensor.external_data.add(key="onnxlab:", value="0")
    data = onnx.ModelProto(graph=onnx.GraphProto(initializer=[tensor])).SerializeToString()
    first, second = (read_skeleton(BytesSource(data)).marker for _ in range(2))
    assert first != second
    assert len(first) > 32


def test_unpacked_numbers_are_left_out_as_records() -> None:
    record = varint(7 << 3) + b"\x05"  # int64_data, one number a record
    tensor = TensorProto(name="w", dims=[3000], data_type=7).SerializeToString() + record * 3000
    graph = varint(5 << 3 | BYTES) + varint(len(tensor)) + tensor
    data = b"\x08\x08" + varint(7 << 3 | BYTES) + varint(len(graph)) + graph
    skeleton = read_skeleton(BytesSource(data))
    assert skeleton.payloads[0].framed
    assert restore(skeleton, data) == onnx.ModelProto.FromString(data)


def test_stops_at_graphs_nested_deeper_than_protobuf_reads() -> None:
    graph = onnx.GraphProto(name="x" * 5000)
    data = graph.SerializeToString()
    for _ in range(40):
        for number in (6, 5, 1):  # attribute.g, node.attribute, graph.node
            data = varint(number << 3 | BYTES) + varint(len(data)) + data
    model = varint(7 << 3 | BYTES) + varint(len(data)) + data
    with pytest.raises(TooDeepError):
        read_skeleton(BytesSource(model))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x0b", "wire type 3"),
        (b"\x00\x00", "field number 0"),
        (b"\x08" + b"\xff" * 11 + b"\x01", "a number longer than 64 bits"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a number longer than 64 bits"),
        (b"\x3a\x05ab", "a record longer than its message"),
        (b"\x3a", "the data end inside a record"),
    ],
)
def test_says_what_is_malformed(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        read_skeleton(BytesSource(data))
