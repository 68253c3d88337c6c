from __future__ import annotations

from pathlib import Path

from onnx import TensorProto, helper, save

from onnxlab.server.cache import ModelCache


def save_model(path: Path, name: str = "graph") -> Path:
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], name, value[:1], value[1:])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_a_file_is_loaded_once_while_it_stays_the_same(tmp_path: Path) -> None:
    cache = ModelCache()
    path = save_model(tmp_path / "a.onnx")
    model, stamp = cache.get(path)
    assert cache.get(path) == (model, stamp)

    save_model(path, "another, longer name")
    changed, new_stamp = cache.get(path)
    assert changed is not model
    assert new_stamp != stamp


def test_the_least_recently_used_model_is_dropped(tmp_path: Path) -> None:
    cache = ModelCache(capacity=2)
    paths = [save_model(tmp_path / f"{name}.onnx") for name in "abc"]
    first = [cache.get(path)[0] for path in paths[:2]]
    assert cache.get(paths[0])[0] is first[0]
    cache.get(paths[2])
    assert cache.get(paths[0])[0] is first[0]
    assert cache.get(paths[1])[0] is not first[1]
