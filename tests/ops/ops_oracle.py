"""How the results of operators are judged, and inputs that are worth a try.

The rule is the public precision rule of cann-bench (benchmark specification): relative
error |a - g| / (|g| + 1e-7) against a float64 reference, its mean and maximum bounded
by dtype; below a small-value limit the absolute error counts; NaN and Inf positions
match. Integers are exact.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

HALF, BF16, F32 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype("f4")
FLOATS = (HALF, BF16, F32)
CHIPS = ("910B1", "910B4-1")
# dtype -> mean, maximum, small-value limit, unit below it
RULE = {
    HALF: (2.0**-10, 2.0**-7, 2.0**-11, 2.0**-16),
    BF16: (2.0**-7, 2.0**-4, 2.0**-8, 2.0**-16),
    F32: (2.0**-13, 2.0**-10, 2.0**-14, 2.0**-30),
}
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 65504.0, -65504.0, 1e-7, -6e-8, 1e-40)


def close(actual: np.ndarray, golden: np.ndarray) -> None:
    """Assert that `actual` is `golden` (float64) within the rule of its dtype."""
    mean, most, small, unit = RULE[actual.dtype]
    found, golden = actual.astype(np.float64), np.asarray(golden, np.float64)
    with np.errstate(over="ignore"):
        rounded = golden.astype(actual.dtype).astype(np.float64)
    assert found.shape == golden.shape
    np.testing.assert_array_equal(np.isnan(found), np.isnan(rounded))
    infinite = np.isinf(rounded)
    np.testing.assert_array_equal(found[infinite], rounded[infinite])
    finite = np.isfinite(rounded)
    found, golden = found[finite], golden[finite]
    error, size = np.abs(found - golden), np.abs(golden)
    assert (error[size < small] <= unit).all()
    relative = (error / (size + 1e-7))[size >= small]
    if relative.size:
        assert relative.max() < most
        assert relative.mean() < mean


def equal(actual: np.ndarray, golden: np.ndarray) -> None:
    """Assert that two arrays have one dtype and equal elements; NaN equals NaN."""
    assert actual.dtype == golden.dtype
    if actual.dtype == BF16:
        actual, golden = actual.astype(np.float32), golden.astype(np.float32)
    np.testing.assert_array_equal(actual, golden)


def numbers(shape: tuple[int, ...], dtype: np.dtype, scale: float = 1.0) -> np.ndarray:
    """Random numbers around 0 (integers: of the whole range), always the same."""
    rng = np.random.default_rng(int(np.prod(shape, dtype=np.int64)))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        whole = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        return np.asarray(whole)
    return np.asarray(rng.standard_normal(shape) * scale).astype(dtype)


def with_special(dtype: np.dtype, scale: float = 3.0) -> np.ndarray:
    """Random numbers, then every special value."""
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL).astype(dtype)
    return np.concatenate([numbers((67,), dtype, scale), special])


def shapes() -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of 0 to 4 dimensions, some empty, some with a prime."""
    small = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9)
    return small | st.sampled_from([(1009,), (3, 683), (4099,), (17, 1, 257)])


def quiet(op, overflow: bool = False) -> None:
    """Assert that the last call left no diagnostics but that a result overflowed."""
    codes = {d.code for run in op.runs for d in run.found}
    assert codes <= ({"ASC-NUM-33"} if overflow else set())
