"""Comparisons, isnan and where against numpy, exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import (
    BF16,
    CHIPS,
    F32,
    FLOATS,
    equal,
    numbers,
    quiet,
    shapes,
    with_special,
)

from npusim import asc, ops

TESTS = {
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater,
    "greater_equal": np.greater_equal, "equal": np.equal, "not_equal": np.not_equal,
}  # fmt: skip
DTYPES = (*FLOATS, *map(np.dtype, ("i4", "i2", "i1", "u1")))


def pair(shape: tuple[int, ...], dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays that agree in about half of their elements."""
    x = numbers(shape, dtype, 3.0)
    other = np.asarray(numbers((*shape, 3), dtype, 3.0)[..., 1])
    same = np.asarray(numbers((*shape, 5), np.dtype("u1"))[..., 0] < 128)
    return x, np.where(same, x, other).astype(dtype)


@pytest.mark.parametrize("name", list(TESTS))
@settings(max_examples=14)
@given(shape=shapes(), dtype=st.sampled_from(DTYPES))
def test_any_shape_and_dtype(name, shape, dtype):
    x, y = pair(shape, dtype)
    op = getattr(ops, name)
    equal(op(x, y), np.asarray(TESTS[name](x, y)).astype(np.uint8))
    quiet(op)


@pytest.mark.parametrize("name", list(TESTS))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_infinity_and_zeros(name, dtype):
    x = with_special(dtype)
    y = np.concatenate([x[1:], x[:1]])
    for left, right in ((x, y), (x, x)):
        with np.errstate(invalid="ignore"):
            golden = TESTS[name](left, right).astype(np.uint8)
        equal(getattr(ops, name)(left, right), golden)


@pytest.mark.parametrize("name", list(TESTS))
def test_the_ends_of_int32(name):
    ends = np.array([-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 2, 2**31 - 1], np.int32)
    x, y = (a.reshape(-1).copy() for a in np.meshgrid(ends, ends))
    equal(getattr(ops, name)(x, y), TESTS[name](x, y).astype(np.uint8))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_isnan(dtype):
    x = with_special(dtype)
    equal(ops.isnan(x), np.isnan(x).astype(np.uint8))
    quiet(ops.isnan)


@settings(max_examples=30)
@given(shape=shapes(), dtype=st.sampled_from((*DTYPES, np.dtype("u4"), np.dtype("u2"))))
def test_where(shape, dtype):
    x, y = pair(shape, dtype)
    condition = numbers(shape, np.dtype("u1")) // np.uint8(100)
    condition = np.asarray(condition)
    equal(ops.where(condition, x, y), np.where(condition, x, y).astype(dtype))
    quiet(ops.where)


def test_a_mask_of_bool():
    x = numbers((7, 99), F32)
    mask = np.asarray(x > 0)
    equal(ops.where(mask, x, np.zeros_like(x)), np.where(mask, x, F32.type(0)))
    equal(ops.cast(mask, np.float16), mask.astype(np.float16))


def test_where_keeps_the_bits_of_a_nan():
    bits = np.array([0x7FC12345, 0xFFC00001, 0x3F800000] * 7, np.uint32)
    x = bits.view(np.float32)
    mask = np.ones(x.shape, np.uint8)
    equal(ops.where(mask, x, np.zeros_like(x)).view(np.uint32), bits)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_many_tiles_on_every_chip(chip, dtype):
    x, y = pair((300_007,), dtype)
    with asc.settings(chip=chip):
        equal(ops.less_equal(x, y), (x <= y).astype(np.uint8))
        equal(ops.where(ops.less(x, y), x, y), np.minimum(x, y))
    quiet(ops.where)


@pytest.mark.parametrize(
    ("name", "arrays", "code"),
    [
        ("isnan", [np.zeros(3, np.int32)], "ASC-OPS-01"),
        ("less", [np.zeros(3, np.int64)] * 2, "ASC-OPS-01"),
        ("less", [np.zeros(3, np.int8), np.zeros(4, np.int8)], "ASC-OPS-02"),
        ("where", [np.zeros(3, np.int8)] * 3, "ASC-OPS-01"),
        ("where", [np.zeros(3, np.uint8)] * 2 + [np.zeros(2, np.uint8)], "ASC-OPS-02"),
    ],
)
def test_what_is_refused(name, arrays, code):
    with pytest.raises(asc.KernelError) as caught:
        getattr(ops, name)(*arrays)
    assert [d.code for d in caught.value.diagnostics] == [code]
