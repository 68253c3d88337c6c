"""Statistics in chunks equal those in one piece."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from onnxlab.model.statistics import statistics


@settings(max_examples=100, deadline=None)
@given(
    arrays(np.float32, st.integers(1, 200), elements=st.floats(width=32, allow_subnormal=True)),
    st.integers(1, 50),
)
def test_chunks_do_not_matter(array: np.ndarray, size: int) -> None:
    found = statistics(array[i : i + size] for i in range(0, len(array), size))
    finite = array[np.isfinite(array)].astype(np.float64)
    assert found.count == len(array)
    assert found.nan_count == np.isnan(array).sum()
    assert found.inf_count == np.isinf(array).sum()
    assert found.zero_count == (array == 0).sum()
    if len(finite):
        assert (found.minimum, found.maximum) == (finite.min(), finite.max())
        scale = np.abs(finite).max()
        assert math.isclose(found.mean, finite.mean(), rel_tol=1e-9, abs_tol=1e-9 * scale)
        assert math.isclose(found.std, finite.std(), rel_tol=1e-6, abs_tol=1e-6 * scale)
    else:
        assert math.isnan(found.mean)


def test_counts_denormals_by_the_type() -> None:
    assert statistics([np.array([1e-40, 1.0, 0.0], np.float32)]).denormal_count == 1
    assert statistics([np.array([1e-6, 1.0], np.float16)]).denormal_count == 1
    assert statistics([np.array([1e-40, 1.0], ml_dtypes.bfloat16)]).denormal_count == 1
    assert statistics([np.array([1, 2], np.int8)]).denormal_count == 0
    assert statistics([np.array([1, -8], ml_dtypes.int4)]).minimum == -8


def test_a_signalling_nan_is_a_nan_without_a_warning() -> None:
    assert statistics([np.array([0x7F800001], np.uint32).view(np.float32)]).nan_count == 1


def test_nothing_is_no_error() -> None:
    found = statistics([])
    assert found.count == 0
    assert math.isnan(found.std)
