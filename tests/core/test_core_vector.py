"""Vector instructions against a numpy oracle, over dtypes, lengths, special values."""

import ml_dtypes
import numpy as np
import pytest
from core_builder import Builder, buffers, gm, run
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim.lang.types import bfloat16, float32, half, int16, int32

ROOM = 512  # elements of each tensor
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 6e4, -6e4, 1e-7, 3e38, 1e-40]


def kernel(name, dtype, count, scalar=None):
    """x, y → UB; one instruction; its destination → z. The rest of z stays poison."""
    b = Builder()
    x, y, z = (b.param(n, "buffer", dtype) for n in "xyz")
    nbytes = ROOM * dtype.itemsize
    a, c, d = (b.tensor(dtype, i * nbytes, ROOM, n) for i, n in enumerate("acd"))
    b.issue("data_copy", dst=a, src=gm(dtype, x, 0, ROOM, "x"), count=ROOM)
    b.issue("data_copy", dst=c, src=gm(dtype, y, 0, ROOM, "y"), count=ROOM)
    sources = {"src0": a, "src1": c} if name in TWO else {"src": a}
    sources = {} if name == "duplicate" else sources
    more = {} if scalar is None else {"scalar": scalar}
    b.issue(name, dst=d, **sources, **more, count=count)
    b.issue("data_copy", dst=gm(dtype, z, 0, ROOM, "z"), src=d, count=ROOM)
    return b.program()


def outcome(name, dtype, x, y, count, scalar=None, **options):
    values = buffers(x=x, y=y, z=np.zeros_like(x))
    done = run(kernel(name, dtype, count, scalar), values, **options)
    assert not done.faults
    result = values["z"].data
    assert (result[count:].view(np.uint8) == 0xFF).all()  # beyond count: untouched
    return result[:count]


def wide(array):
    return array.astype(np.float64 if array.dtype.kind not in "iu" else np.int64)


def maximum(x, y):
    """IEEE maximum with NaN passed on and +0 above -0."""
    if x.dtype.kind in "iu":
        return np.maximum(x, y)
    both_zero = (x == 0) & (y == 0)
    return np.where(both_zero, x + y, np.where((x > y) | np.isnan(x), x, y))


TWO = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "max": maximum,
}
NUMBER = {"adds": lambda x, s: x + s, "muls": lambda x, s: x * s}
DTYPES = {"half": half, "float32": float32, "int16": int16, "int32": int32}


def numbers(dtype, seed):
    rng = np.random.default_rng(seed)
    if dtype.is_float:
        values = rng.normal(scale=10.0 ** rng.integers(-6, 6), size=ROOM)
        values[rng.integers(0, ROOM, 60)] = rng.choice(SPECIAL, 60)
        with np.errstate(over="ignore"):
            return values.astype(np.float32).astype(dtype.numpy)
    info = np.iinfo(dtype.numpy)
    return rng.integers(info.min, info.max, ROOM, endpoint=True).astype(dtype.numpy)


def same(result, expected, dtype):
    expected = np.asarray(expected).astype(dtype.numpy)
    np.testing.assert_array_equal(result, expected)
    if dtype.is_float:
        finite = ~np.isnan(expected)
        left, right = np.signbit(result[finite]), np.signbit(expected[finite])
        np.testing.assert_array_equal(left, right)


lengths = st.sampled_from([0, 1, 7, 8, 63, 64, 65, 127, 200, 511, 512])
seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("name", TWO)
@settings(max_examples=12, deadline=None)
@given(count=lengths, seed=seeds)
def test_binary(name, dtype, count, seed):
    x, y = numbers(dtype, seed), numbers(dtype, seed + 1)
    result = outcome(name, dtype, x, y, count)
    with np.errstate(all="ignore"):
        same(result, TWO[name](wide(x), wide(y))[:count], dtype)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("name", NUMBER)
@settings(max_examples=12, deadline=None)
@given(count=lengths, seed=seeds, scalar=st.sampled_from([0, 1, -3, 7]))
def test_with_scalar(name, dtype, count, seed, scalar):
    x = numbers(dtype, seed)
    scalar = scalar * 0.3 if dtype.is_float else scalar
    result = outcome(name, dtype, x, x, count, scalar)
    with np.errstate(all="ignore"):
        rounded = wide(np.asarray(scalar).astype(dtype.numpy))
        same(result, NUMBER[name](wide(x), rounded)[:count], dtype)


@pytest.mark.parametrize("dtype", [half, float32, int32])
@settings(max_examples=12, deadline=None)
@given(count=lengths, seed=seeds)
def test_relu(dtype, count, seed):
    x = numbers(dtype, seed)
    expected = np.where(x > 0, x, np.where(x == x, x.dtype.type(0), x))[:count]
    same(outcome("relu", dtype, x, x, count), expected, dtype)


@pytest.mark.parametrize("dtype", [half, float32])
@settings(max_examples=12, deadline=None)
@given(count=lengths, seed=seeds)
def test_exp_is_rounded_once(dtype, count, seed):
    x = numbers(dtype, seed)
    with np.errstate(all="ignore"):
        expected = np.exp(wide(x)).astype(dtype.numpy)[:count]
    same(outcome("exp", dtype, x, x, count), expected, dtype)


@pytest.mark.parametrize("dtype", [half, float32, int32, int16, bfloat16])
def test_duplicate(dtype):
    x = np.zeros(ROOM, dtype.numpy)
    scalar = 1.7 if dtype.is_float else -5
    result = outcome("duplicate", dtype, x, x, 100, scalar)
    assert (result == np.asarray(scalar).astype(dtype.numpy)).all()


def test_half_overflow_is_inf_or_saturates():
    x = np.full(ROOM, 60000, np.float16)
    x[1] = -60000
    assert (np.abs(outcome("add", half, x, x, 9)) == np.inf).all()
    clamped = outcome("add", half, x, x, 9, overflow="saturate")
    assert clamped[0] == 65504 and clamped[1] == -65504


def test_bfloat16_saturates():
    x = np.zeros(ROOM, ml_dtypes.bfloat16)
    b = outcome("duplicate", bfloat16, x, x, 8, float("inf"), overflow="saturate")
    assert (b == ml_dtypes.finfo(ml_dtypes.bfloat16).max).all()


def test_saturation_leaves_float32_alone():
    x = np.full(ROOM, 3e38, np.float32)
    assert np.isinf(outcome("add", float32, x, x, 4, overflow="saturate")).all()


def test_nan_passes_max_and_relu():
    x, y = np.full(ROOM, np.nan, np.float32), np.ones(ROOM, np.float32)
    assert np.isnan(outcome("max", float32, x, y, 3)).all()
    assert np.isnan(outcome("max", float32, y, x, 3)).all()
    assert np.isnan(outcome("relu", float32, x, x, 3)).all()
