from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser

from onnxlab.errors import FileChanged
from onnxlab.mapping.instrument import instrument
from onnxlab.mapping.tags import parse_tag
from onnxlab.model.load import load
from onnxlab.testing import build

LARGE = np.arange(512 * 1024, dtype=np.float32).reshape(512, 1024)  # 2 MiB
SMALL = np.arange(4096, dtype=np.float32)  # 16 kiB: left out of the skeleton
FUNCTIONS = """<ir_version: 8, opset_import: ["": 17, "d": 1]>
    g (float x, bool c) => (float y) { a = d.F(x) y = If(c)
    <then_branch = t () => (float u) { u = d.F(a) }, else_branch = e () => (float u) {
    u = Neg(a) }> }
    <domain: "d", opset_import: ["": 17, "d": 1]> F (p) => (q) { s = d.G(p) q = Relu(s) }
    <domain: "d", opset_import: ["": 17]> G (p) => (q) { q = Exp(p) }"""


def weighted() -> ModelProto:
    return build(
        [helper.make_node("MatMul", ["x", "large"], ["m"], name="mm"),
         helper.make_node("Add", ["m", "small"], ["y"])],
        inputs={"x": [1, 512]},
        outputs={"y": [1, 1024]},
        initializers={"large": LARGE, "small": SMALL[:1024]},
    )  # fmt: skip


def copy_of(path_or_proto: Path | ModelProto) -> tuple[ModelProto, Path | None]:
    runnable = instrument(load(path_or_proto)).runnable
    assert runnable.data is not None
    return ModelProto.FromString(runnable.data), runnable.folder


def location(tensor: TensorProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in tensor.external_data}


def test_every_node_bears_its_row() -> None:
    model = load(parser.parse_model(FUNCTIONS))
    copy, _ = copy_of(model.proto)
    functions = {f.name: f for f in copy.functions}
    pending, rows = [copy.graph], []
    while pending:
        graph = pending.pop()
        for node in graph.node:
            rows.append(parse_tag(node.doc_string))
            assert model.table.op(rows[-1]) == node.op_type.partition("__")[0]
            pending.extend(a.g for a in node.attribute if a.HasField("g"))
            if node.op_type in functions:
                pending.append(functions[node.op_type])
    assert sorted(rows) == list(range(model.table.node_count))


def test_the_original_is_left_alone() -> None:
    model = load(parser.parse_model(FUNCTIONS))
    before = model.proto.SerializeToString()
    instrument(model)
    assert model.proto.SerializeToString() == before


def test_value_info_is_kept() -> None:
    proto = onnx.shape_inference.infer_shapes(weighted())
    copy, _ = copy_of(proto)
    assert [info.name for info in copy.graph.value_info] == ["m"]


def test_large_weights_point_into_the_models_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(weighted(), path)
    copy, folder = copy_of(path)
    large, small = copy.graph.initializer
    assert folder == tmp_path.resolve()
    place = location(large)
    assert place["location"] == "m.onnx"
    offset, length = int(place["offset"]), int(place["length"])
    assert path.read_bytes()[offset : offset + length] == LARGE.tobytes()
    assert not large.raw_data
    assert numpy_helper.to_array(small).tolist() == SMALL[:1024].tolist()
    assert not small.external_data


def test_a_model_in_memory_keeps_its_weights_inline() -> None:
    copy, folder = copy_of(weighted())
    assert folder is None
    assert numpy_helper.to_array(copy.graph.initializer[0]).tobytes() == LARGE.tobytes()


def test_payloads_in_other_fields_and_places_are_read_in(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    strings = [f"{i:04}".encode() for i in range(2000)]
    constant = helper.make_tensor("c", TensorProto.FLOAT16, [4096], list(range(4096)))
    nodes = [
        helper.make_node("Constant", [], ["k"], value=numpy_helper.from_array(SMALL)),
        helper.make_node("Constant", [], ["h"], value=constant),
        helper.make_node("Add", ["x", "k"], ["y"]),
    ]
    proto = build(nodes, inputs={"x": [4096]}, outputs={"y": [4096]})
    proto.graph.initializer.append(helper.make_tensor("f", TensorProto.FLOAT, [4096], SMALL))
    proto.graph.initializer.append(helper.make_tensor("s", TensorProto.STRING, [2000], strings))
    onnx.save(proto, path)
    copy, _ = copy_of(path)
    floats, texts = copy.graph.initializer
    assert list(floats.float_data) == SMALL.tolist()
    assert list(texts.string_data) == strings
    assert numpy_helper.to_array(copy.graph.node[0].attribute[0].t).tolist() == SMALL.tolist()
    assert copy.graph.node[1].attribute[0].t == proto.graph.node[1].attribute[0].t


def test_external_data_keeps_its_entries(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(weighted(), path, save_as_external_data=True, location="m.data", size_threshold=0)
    copy, folder = copy_of(path)
    assert {location(t)["location"] for t in copy.graph.initializer} == {"m.data"}
    assert folder == tmp_path.resolve()


def linked_cache(tmp_path: Path, names: dict[str, str]) -> Path:
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "blobs").mkdir()
    for name, blob in names.items():
        (tmp_path / name).rename(tmp_path / "blobs" / blob)
        (tmp_path / "snapshot" / name).symlink_to(f"../blobs/{blob}")
    return tmp_path / "snapshot" / "m.onnx"


def test_a_linked_model_points_to_where_it_really_lies(tmp_path: Path) -> None:
    onnx.save(weighted(), tmp_path / "m.onnx")
    copy, folder = copy_of(linked_cache(tmp_path, {"m.onnx": "1234"}))
    assert folder == (tmp_path / "blobs").resolve()
    assert location(copy.graph.initializer[0])["location"] == "1234"


def test_a_linked_model_finds_its_linked_data(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(weighted(), path, save_as_external_data=True, location="m.data", size_threshold=0)
    copy, folder = copy_of(linked_cache(tmp_path, {"m.onnx": "1234", "m.data": "5678"}))
    assert folder == (tmp_path / "blobs").resolve()
    assert {location(t)["location"] for t in copy.graph.initializer} == {"5678"}


def test_a_linked_model_never_follows_its_data_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(LARGE.tobytes())
    path = tmp_path / "m.onnx"
    proto = weighted()
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../secret")
    onnx.save(proto, path)
    copy, folder = copy_of(linked_cache(tmp_path, {"m.onnx": "1234"}))
    assert folder == (tmp_path / "snapshot").resolve()
    assert location(copy.graph.initializer[0])["location"] == "../secret"  # the runtime refuses


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(weighted(), path)
    model = load(path)
    path.write_bytes(b"other")
    with pytest.raises(FileChanged):
        instrument(model)


def test_a_function_that_a_kernel_may_stand_for_keeps_its_name() -> None:
    proto = parser.parse_model("""<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
        g (float[2] x) => (float[2] y) { y = com.microsoft.Gelu(x) }
        <domain: "com.microsoft", opset_import: ["": 17]> Gelu (p) => (q) { q = Erf(p) }""")
    copy, _ = copy_of(proto)
    assert copy.graph.node[0].op_type == "Gelu"
    assert parse_tag(copy.functions[0].node[0].doc_string) == 1
