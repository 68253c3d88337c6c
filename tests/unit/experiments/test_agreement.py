from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from onnxlab.experiments.agreement import NOT_DETERMINISTIC, agree

X = np.array([1.0, -2.0, 3.0], np.float32)


def compare(expected: object, actual: object):  # type: ignore[no-untyped-def]
    (output,) = agree({"y": expected}, {"y": expected}, {"y": actual}).outputs
    return output


def test_equal_outputs_have_no_noise() -> None:
    result = agree({"y": X}, {"y": X}, {"y": X.copy()})
    assert result.equal
    assert result.sqnr_db == inf
    assert result.max_abs == 0
    assert result.cosine == pytest.approx(1)
    assert str(result) == "equal"


def test_a_hundredth_of_noise_is_40_db() -> None:
    output = compare(X, X * np.float32(1.01))
    assert output.sqnr_db == pytest.approx(40, abs=0.01)
    assert output.max_abs == pytest.approx(0.03, rel=1e-3)
    assert output.cosine == pytest.approx(1)
    assert not output.equal


def test_a_baseline_that_differs_from_itself_gives_no_verdict() -> None:
    result = agree({"y": X}, {"y": X + 1}, {"y": X})
    assert result.refused.startswith(NOT_DETERMINISTIC)
    assert not result.equal
    assert result.outputs == ()


def test_nan_agrees_with_nan_and_with_nothing_else() -> None:
    holes = np.array([1, np.nan, np.inf], np.float32)
    assert compare(holes, holes.copy()).equal
    assert compare(holes, holes.copy()).sqnr_db == inf
    assert "1 of 3" in compare(holes, np.array([1, 0, np.inf], np.float32)).problem
    assert "1 of 3" in compare(holes, np.array([1, np.nan, -np.inf], np.float32)).problem


def test_whole_numbers_and_texts_must_be_equal() -> None:
    assert compare(np.array([1, 2]), np.array([1, 2])).equal
    assert compare(np.array([1, 2]), np.array([1, 3])).problem == "1 of 2 elements differ"
    texts = np.array(["a", "b"], object)
    assert compare(texts, texts.copy()).equal
    assert compare(texts, np.array(["a", "c"], object)).problem == "1 of 2 elements differ"


def test_sequences_and_maps_are_compared_inside() -> None:
    assert compare([{0: 0.5, 1: 0.5}], [{0: 0.5, 1: 0.5}]).equal
    assert compare([{0: 0.5}], [{0: 0.25}]).max_abs == 0.25
    assert compare([X, X], [X]).problem == "1 elements of a sequence instead of 2"
    assert compare({0: 1.0}, {1: 1.0}).problem == "the keys of a map differ"
    assert compare(None, None).equal
    assert compare(X, None).problem == "one of both has no value"


def test_another_shape_or_type_is_a_problem() -> None:
    assert compare(X, X.reshape(3, 1)).problem == "shape 3×1 instead of 3"
    assert compare(X, X.astype(np.float64)).problem == "type float64 instead of float32"


def test_an_output_of_zeros_and_an_empty_one() -> None:
    zeros = np.zeros(3, np.float32)
    assert compare(zeros, zeros).equal
    assert compare(zeros, X).sqnr_db == -inf
    assert compare(zeros, X).cosine is None
    assert compare(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)).equal


def test_numbers_beyond_the_range_of_their_square_still_compare() -> None:
    huge = np.array([1e300, -1e300])
    assert compare(huge, huge * 1.01).sqnr_db == pytest.approx(40, abs=0.01)
    tiny = np.array([1e-300, -1e-300])
    assert compare(tiny, tiny * 1.01).sqnr_db == pytest.approx(40, abs=0.01)


def test_the_worst_output_stands_for_all() -> None:
    base = {"a": X, "b": X}
    result = agree(base, base, {"a": X, "b": X * np.float32(1.01)})
    assert result.sqnr_db == pytest.approx(40, abs=0.01)
    assert str(result) == "SQNR 40 dB, largest difference 0.03"


@given(arrays(np.float32, st.integers(0, 20), elements=st.floats(width=32)))
def test_everything_agrees_with_itself(values: np.ndarray) -> None:
    assert compare(values, values.copy()).equal


@given(
    arrays(np.float64, 8, elements=st.floats(-100, 100)),
    arrays(np.float64, 8, elements=st.floats(-100, 100)),
)
def test_a_cosine_is_a_cosine_and_a_difference_is_none_less_than_zero(
    a: np.ndarray, b: np.ndarray
) -> None:
    output = compare(a, b)
    assert output.max_abs == np.abs(a - b).max()
    assert output.cosine is None or -1 <= output.cosine <= 1
