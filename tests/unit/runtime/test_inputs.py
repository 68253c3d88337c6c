from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxlab.errors import ModelError
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.runtime.inputs import make_feeds
from onnxlab.runtime.session import Runnable, Runner, SessionSpec

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "models").glob("*.onnx"))


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, tuple[int, Any]],
    weights: dict[str, np.ndarray[Any, Any]] | None = None,
    functions: tuple[onnx.FunctionProto, ...] = (),
) -> Model:
    """A model with typed inputs; a shape of None leaves the rank open."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, *kind) for name, kind in inputs.items()],
        [onnx.ValueInfoProto(name=nodes[-1].output[0])],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    return load(
        helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))
    )


def identity(elem_type: int, shape: Any) -> Model:
    return model([helper.make_node("Identity", ["x"], ["y"])], {"x": (elem_type, shape)})


FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_models_run_with_generated_inputs(runner: Runner, path: Path) -> None:
    feeds = make_feeds(load(path))
    assert runner.outputs(Runnable(path=path), SessionSpec(), feeds.values)


def test_a_seed_gives_the_same_numbers_and_another_others() -> None:
    opened = identity(FLOAT, [2, 3])
    first, same, other = (make_feeds(opened, seed=seed).values["x"] for seed in (0, 0, 1))
    assert (first == same).all()
    assert (first != other).any()
    assert first.dtype == np.float32
    assert ((first >= 0) & (first < 1)).all()


def test_symbols_are_bound_by_name_everywhere() -> None:
    add = helper.make_node("Add", ["x", "z"], ["y"])
    opened = model([add], {"x": (FLOAT, ["batch", "seq"]), "z": (FLOAT, ["seq"])})
    feeds = make_feeds(opened, dims={"batch": 2, "seq": 5})
    assert (feeds.values["x"].shape, feeds.values["z"].shape) == ((2, 5), (5,))
    assert feeds.dims == {"batch": 2, "seq": 5}
    assert feeds.notes == ()


def test_guesses_are_told() -> None:
    feeds = make_feeds(identity(FLOAT, ["N", 3, None, None]))
    assert feeds.values["x"].shape == (1, 3, 224, 224)
    assert feeds.dims == {"N": 1, "x:2": 224, "x:3": 224}
    assert feeds.notes == (
        "N = 1 (first axis, as of a batch)",
        "x:2 = 224 (side of an image)",
        "x:3 = 224 (side of an image)",
    )


def test_a_guess_without_a_reason_is_told_without_one() -> None:
    feeds = make_feeds(identity(FLOAT, ["batch", "n"]))
    assert feeds.notes == ("batch = 1 (a batch, by its name)", "n = 512")


def test_an_axis_without_symbol_is_set_by_its_number() -> None:
    feeds = make_feeds(identity(FLOAT, [None, 3, "?", "?"]), dims={"x:2": 48, "x:3": 192})
    assert feeds.values["x"].shape == (1, 3, 48, 192)


def test_a_negative_size_is_unknown() -> None:
    assert make_feeds(identity(FLOAT, [-1, 4])).values["x"].shape == (1, 4)


def test_expressions_follow_their_symbols() -> None:
    opened = identity(FLOAT, ["batch", "past + seq", "Min(64, seq)"])
    feeds = make_feeds(opened, dims={"seq": 100, "past": 7})
    assert feeds.values["x"].shape == (1, 107, 64)


def test_an_expression_is_never_run_as_code() -> None:
    symbol = "__import__('os').abort()"
    assert len(make_feeds(identity(FLOAT, [1, symbol])).values["x"].shape) == 2


def test_indices_stay_within_the_table_they_look_up() -> None:
    nodes = [
        helper.make_node("Cast", ["ids"], ["cast"], to=TensorProto.INT32),
        helper.make_node("Unsqueeze", ["cast", "0"], ["more"]),
        helper.make_node("Gather", ["table", "more"], ["y"]),
    ]
    weights = {"table": np.zeros((7, 2), np.float32), "0": np.array([0])}
    feeds = make_feeds(model(nodes, {"ids": (INT64, [1, 500])}, weights))
    ids = feeds.values["ids"]
    assert (ids.min(), ids.max()) == (0, 6)
    assert feeds.notes == ("ids: integers 0 to 6 (indices into 7 rows)",)


def test_indices_are_followed_into_a_function() -> None:
    function = helper.make_function(
        "local",
        "Look",
        ["t", "i"],
        ["o"],
        [helper.make_node("Gather", ["t", "i"], ["o"])],
        [helper.make_opsetid("", 17)],
    )
    call = helper.make_node("Look", ["table", "ids"], ["y"], domain="local")
    weights = {"table": np.zeros((3, 2), np.float32)}
    opened = model([call], {"ids": (INT64, [400])}, weights, functions=(function,))
    assert make_feeds(opened).values["ids"].max() == 2


def test_a_flag_takes_the_value_it_is_compared_with() -> None:
    nodes = [
        helper.make_node("Equal", ["rate", "16k"], ["is"]),
        helper.make_node("Where", ["is", "x", "x"], ["y"]),
    ]
    inputs = {"rate": (INT64, []), "x": (FLOAT, [2])}
    feeds = make_feeds(model(nodes, inputs, {"16k": np.array(16000)}))
    assert feeds.values["rate"] == 16000


def test_token_ids_compared_with_padding_are_not_all_padding() -> None:
    nodes = [
        helper.make_node("Equal", ["ids", "pad"], ["is_pad"]),
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("Cast", ["is_pad"], ["y"], to=FLOAT),
    ]
    weights = {"pad": np.array(0), "table": np.zeros((9, 2), np.float32)}
    ids = make_feeds(model(nodes, {"ids": (INT64, [1, 64])}, weights)).values["ids"]
    assert len(np.unique(ids)) > 1


def test_masks_are_ones_and_lone_flags_off() -> None:
    nodes = [
        helper.make_node("Cast", ["attention_mask"], ["m"], to=FLOAT),
        helper.make_node("Where", ["flag", "m", "m"], ["y"]),
    ]
    inputs = {"attention_mask": (INT64, [1, 4]), "flag": (TensorProto.BOOL, [])}
    values = make_feeds(model(nodes, inputs)).values
    assert values["attention_mask"].tolist() == [[1, 1, 1, 1]]
    assert not values["flag"]


def test_open_sizes_come_from_the_weights_an_input_meets() -> None:
    nodes = [
        helper.make_node("Conv", ["image", "kernel"], ["c"]),
        helper.make_node("MatMul", ["rows", "matrix"], ["y"]),
    ]
    weights = {
        "kernel": np.zeros((2, 5, 3, 3), np.float32),
        "matrix": np.zeros((11, 2), np.float32),
    }
    inputs = {"image": (FLOAT, None), "rows": (FLOAT, ["n", None])}
    values = make_feeds(model(nodes, inputs, weights)).values
    assert values["image"].shape[1] == 5
    assert values["rows"].shape == (1, 11)


def test_a_table_of_positions_tells_the_length() -> None:
    add = helper.make_node("Add", ["x", "positions"], ["y"])
    weights = {"positions": np.zeros((1, 50, 8), np.float32)}
    feeds = make_feeds(model([add], {"x": (FLOAT, ["batch", "time", 8])}, weights))
    assert feeds.values["x"].shape == (1, 50, 8)
    assert "time = 50 (its weights ask for that)" in feeds.notes


@pytest.mark.parametrize(
    ("elem_type", "dtype"),
    [
        (TensorProto.FLOAT16, np.float16),
        (TensorProto.DOUBLE, np.float64),
        (TensorProto.BFLOAT16, ml_dtypes.bfloat16),
        (TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2),
        (TensorProto.UINT8, np.uint8),
        (TensorProto.UINT64, np.uint64),
        (TensorProto.BOOL, np.bool_),
        (TensorProto.STRING, np.object_),
    ],
)
def test_every_type_that_can_be_fed_is_made(elem_type: int, dtype: type) -> None:
    array = make_feeds(identity(elem_type, [4])).values["x"]
    assert (array.dtype, array.shape) == (np.dtype(dtype), (4,))


def test_a_type_that_cannot_be_fed_says_so() -> None:
    with pytest.raises(ModelError, match="inputs of type i4 cannot be fed"):
        make_feeds(identity(TensorProto.INT4, [4]))


def test_sequences_and_optionals_hold_tensors() -> None:
    tensor = helper.make_tensor_type_proto(FLOAT, ["n", 2])
    graph = helper.make_graph(
        [helper.make_node("Identity", ["s"], ["y"])],
        "g",
        [
            helper.make_value_info("s", helper.make_sequence_type_proto(tensor)),
            helper.make_value_info("o", helper.make_optional_type_proto(tensor)),
        ],
        [onnx.ValueInfoProto(name="y")],
    )
    opsets = [helper.make_opsetid("", 17)]
    values = make_feeds(load(helper.make_model(graph, opset_imports=opsets, ir_version=8))).values
    assert [item.shape for item in values["s"]] == [(1, 2), (1, 2)]
    assert values["o"].shape == (1, 2)


def test_an_input_with_a_default_is_not_fed() -> None:
    add = helper.make_node("Add", ["x", "w"], ["y"])
    inputs = {"x": (FLOAT, [2]), "w": (FLOAT, [2])}
    assert list(make_feeds(model([add], inputs, {"w": np.ones(2, np.float32)})).values) == ["x"]


def test_arrays_given_win_and_tell_the_sizes_of_the_rest() -> None:
    add = helper.make_node("Add", ["x", "z"], ["y"])
    opened = model([add], {"x": (FLOAT, ["batch", "seq"]), "z": (FLOAT, ["batch", "seq"])})
    given = np.full((3, 4), 5, np.float32)
    feeds = make_feeds(opened, inputs={"x": given})
    assert feeds.values["x"] is given
    assert feeds.values["z"].shape == (3, 4)
    assert list(feeds.values) == ["x", "z"]


def test_a_list_takes_the_type_of_the_input() -> None:
    assert make_feeds(identity(FLOAT, [2]), inputs={"x": [1, 2]}).values["x"].dtype == np.float32


def test_an_npz_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    np.savez(path, x=np.ones(2, np.float32))
    assert make_feeds(identity(FLOAT, [2]), inputs=path).values["x"].tolist() == [1, 1]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"\x80\x04 pickled", b"text"])
def test_a_file_that_is_no_npz_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "inputs.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"cannot use .*inputs\.npz"):
        make_feeds(identity(FLOAT, [2]), inputs=path)


def test_a_lone_array_has_no_name(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(2, np.float32))
    with pytest.raises(ValueError, match=r"without a name; save it with np\.savez"):
        make_feeds(identity(FLOAT, [2]), inputs=tmp_path / "x.npy")


def test_sizes_may_be_numpy_integers() -> None:
    feeds = make_feeds(identity(FLOAT, ["n"]), dims={"n": np.int64(3)})  # type: ignore[dict-item]
    assert feeds.dims == {"n": 3}


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"X": np.ones(2)}, "the model has no input 'X'; it has x"),
        ({"x": np.ones(2)}, "input 'x' takes float32, the array given is float64"),
        ({"x": np.ones((1, 2), np.float32)}, "input 'x' is of rank 1, the array given 2"),
        ({"x": [[1, 2], [3]]}, "input 'x' takes float32: setting an array"),
        ({"x": "abc"}, "input 'x' takes float32: could not convert"),
        ({"x": np.ones(3, np.float32)}, "axis 0 of input 'x' is 2, the array given has 3"),
        ("nowhere.npz", "no file nowhere.npz"),
    ],
)
def test_inputs_that_do_not_fit_say_how(inputs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_feeds(identity(FLOAT, [2]), inputs=inputs)


def test_dims_against_an_array_given_are_refused() -> None:
    with pytest.raises(ValueError, match=r"axis 0 of input 'x' \(n\) is 3, the array given has 2"):
        make_feeds(identity(FLOAT, ["n"]), dims={"n": 3}, inputs={"x": np.ones(2, np.float32)})


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ({"bacth": 1}, "no input of the model has a size named 'bacth'; did you mean 'batch'"),
        ({"zzz": 1}, "it has batch, seq"),
        ({"batch": -1}, "'batch' must be a whole number"),
        ({"batch": 1.5}, "'batch' must be a whole number"),
    ],
)
def test_dims_that_do_not_fit_say_how(dims: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_feeds(identity(FLOAT, ["batch", "seq"]), dims=dims)


def test_sizes_without_a_name_are_offered_by_their_axis() -> None:
    with pytest.raises(ValueError, match=r"it has x:0, x:1$"):
        make_feeds(identity(FLOAT, ["?", "?"]), dims={"zzz": 1})


def test_dims_of_a_fixed_model_say_that_nothing_is_open() -> None:
    with pytest.raises(ValueError, match="every size of the model's inputs is fixed"):
        make_feeds(identity(FLOAT, [2]), dims={"batch": 1})


def test_an_absurd_size_is_refused_before_it_is_made() -> None:
    with pytest.raises(ModelError, match=r"input 'x' would take .* fixed in the model"):
        make_feeds(identity(FLOAT, [1 << 40]))
    with pytest.raises(ModelError, match=r"input 'x' would take .* set smaller dims"):
        make_feeds(identity(FLOAT, ["n"]), dims={"n": 1 << 40})


def test_inputs_leave_memory_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onnxlab.runtime.inputs.available_bytes", lambda: 1600)
    assert make_feeds(identity(FLOAT, [100])).values["x"].nbytes == 400
    with pytest.raises(ModelError, match="more than 25% of the memory left; its sizes are fixed"):
        make_feeds(identity(FLOAT, [101]))
