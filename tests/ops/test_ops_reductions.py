"""reduce_sum, reduce_max, reduce_min, mean, mse_loss against numpy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import BF16, CHIPS, F32, FLOATS, HALF, close, numbers, quiet

from npusim import asc, ops

GOLDEN = {
    "reduce_sum": np.sum,
    "reduce_max": np.max,
    "reduce_min": np.min,
    "mean": np.mean,
}
SHAPES = st.tuples(st.integers(1, 70), st.integers(1, 600)) | st.sampled_from(
    [(1, 1), (2, 9001), (3, 7, 11, 13), (1009, 3), (64, 2049), (5,), (1, 70_001)]
)


def check(name: str, x: np.ndarray, axis: int | None) -> None:
    """Within one rounding of the result and float32 sums of the terms."""
    op, wide = getattr(ops, name), x.astype(np.float64)
    found, golden = op(x, axis=axis), GOLDEN[name](wide, axis=axis)
    assert found.shape == np.shape(golden)
    assert found.dtype == x.dtype
    terms = np.sum(np.abs(wide), axis=axis) * (1 if name == "reduce_sum" else 0)
    terms = terms + np.mean(np.abs(wide), axis=axis) * (name == "mean")
    unit = {HALF: 2.0**-11, BF16: 2.0**-8, F32: 2.0**-23}[x.dtype]
    error = np.abs(found.astype(np.float64) - golden)
    bound = unit * np.abs(golden) + 2.0**-20 * terms + 2.0**-24 * (x.dtype == HALF)
    assert (error <= bound).all(), (name, error.max())
    if name in ("reduce_max", "reduce_min"):
        np.testing.assert_array_equal(found.astype(np.float64), golden)
    quiet(op)


@settings(max_examples=12)
@given(
    SHAPES, st.sampled_from(FLOATS), st.sampled_from(CHIPS), st.sampled_from([-1, None])
)
@pytest.mark.parametrize("name", GOLDEN)
def test_shapes_and_dtypes(name, shape, dtype, chip, axis):
    with asc.settings(chip=chip):
        check(name, numbers(shape, dtype, 2.0), axis)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", GOLDEN)
def test_rows_that_do_not_fit_ub(name, dtype):
    check(name, numbers((48, 30_001), dtype, 2.0), -1)


@settings(max_examples=10)
@given(SHAPES, st.sampled_from(FLOATS), st.sampled_from(["mean", "sum"]))
def test_mse_loss(shape, dtype, reduction):
    x, target = numbers(shape, dtype), numbers(shape, dtype)[::-1].copy()
    squares = (x.astype(np.float64) - target.astype(np.float64)) ** 2
    with np.errstate(over="ignore"):
        close(ops.mse_loss(x, target, reduction), getattr(squares, reduction)())
    quiet(ops.mse_loss, overflow=True)


def test_sums_are_exact_where_float32_is():
    """Whole numbers up to 2**24: no element is left out, none is taken twice."""
    x = np.arange(4801, dtype=np.float32)
    assert ops.reduce_sum(x) == 4800 * 4801 // 2
    ones = np.ones((7, 100_003), np.float32)
    assert (ops.reduce_sum(ones, axis=-1) == 100_003).all()
    assert ops.reduce_sum(ones) == 700_021


def test_half_sums_are_taken_in_float32():
    x = np.full(4096, 16.0, HALF)
    x[1::2] = -16.0
    x[:2048] = 16.0
    assert ops.reduce_sum(x) == 2048 * 16.0
    assert ops.mean(np.full(60_000, 1.5, HALF)) == 1.5


def test_few_long_rows_use_all_cores():
    x = numbers((2, 480_000), F32)
    ops.reduce_sum(x, axis=-1)
    assert len(ops.reduce_sum.runs) == 2
    assert ops.reduce_sum.runs[0].counters["cores_used"] == 48
    ops.reduce_sum(numbers((4800, 200), F32), axis=-1)
    assert len(ops.reduce_sum.runs) == 1


@pytest.mark.parametrize("axis", [-1, None])
@pytest.mark.parametrize("columns", [9, 70, 20_000])
@pytest.mark.parametrize("name", GOLDEN)
def test_nan_and_infinity(name, columns, axis):
    x = numbers((3, columns), F32)
    x[1, 3], x[2, 0] = np.nan, -np.inf
    found = getattr(ops, name)(x, axis=axis)
    golden = GOLDEN[name](x.astype(np.float64), axis=axis)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(golden))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(golden))


def test_empty_arrays():
    assert ops.reduce_max(np.zeros((0, 5), F32), axis=-1).shape == (0,)
    np.testing.assert_array_equal(
        ops.reduce_sum(np.zeros((3, 0), F32), axis=-1), np.zeros(3)
    )
    assert ops.reduce_sum.runs == ()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda x: ops.mean(x, axis=2), "ASC-OPS-03", ("axis=2", "-2 … 1")),
        (lambda x: ops.mean(x, axis="last"), "ASC-OPS-03", ("axis='last'",)),
        (lambda x: ops.mean(x.astype(int)), "ASC-OPS-01", ("mean", "int64")),
        (lambda x: ops.reduce_max(x[:0]), "ASC-OPS-02", ("x[0, 4]",)),
        (lambda x: ops.mse_loss(x, x[0]), "ASC-OPS-02", ("target[4]", "x[3, 4]")),
        (lambda x: ops.mse_loss(x, x.astype("f2")), "ASC-OPS-01", ("target",)),
        (lambda x: ops.mse_loss(x, x, "none"), "ASC-OPS-03", ("mean, sum",)),
        (lambda x: ops.reduce_min([1.0]), "ASC-ARG-09", ("x",)),
    ],
)
def test_refusals(call, code, words, language):
    asc.language(language)
    with pytest.raises(asc.KernelError) as caught:
        call(np.zeros((3, 4), np.float32))
    text = str(caught.value)
    assert code in text
    assert all(word in text for word in words), text
