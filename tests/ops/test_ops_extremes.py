"""argmax and argmin, and reductions along any axis, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import CHIPS, F32, FLOATS, HALF, numbers, quiet

from npusim import asc, ops
from npusim.diagnostic import KernelError

GOLDEN = {"argmax": np.argmax, "argmin": np.argmin}
SHAPES = st.lists(st.integers(1, 13), min_size=1, max_size=4).map(tuple)
WIDE = st.sampled_from([(1, 1), (2, 4097), (3, 8192), (130, 65), (1, 20_011), (257, 3)])


def few(shape, dtype):
    """Small whole numbers, so that most extremes stand more than once."""
    return np.asarray(np.trunc(numbers(shape, F32, 3.0))).astype(dtype)


@settings(max_examples=15)
@given(st.data(), SHAPES | WIDE, st.sampled_from(FLOATS), st.sampled_from(CHIPS))
@pytest.mark.parametrize("name", GOLDEN)
def test_the_first_of_equal_elements(name, data, shape, dtype, chip):
    axis = data.draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
    x, op = few(shape, dtype), getattr(ops, name)
    with asc.settings(chip=chip):
        found = op(x, axis=axis)
    golden = GOLDEN[name](x.astype(np.float64), axis=axis)
    assert found.dtype == np.int32 and found.shape == np.shape(golden)
    np.testing.assert_array_equal(found, golden)
    quiet(op)


@pytest.mark.parametrize("value", [-np.inf, np.inf, 0.0, -65504.0])
@pytest.mark.parametrize("count", [1, 4096, 4097])
def test_rows_of_one_value(value, count):
    x = np.full(count, value, HALF)
    assert ops.argmax(x) == ops.argmin(x) == 0
    x[-1] = 1.0
    assert ops.argmax(x) == (count - 1 if value < 1.0 else 0)


def test_an_extreme_in_every_strip_and_at_its_edges():
    for place in (0, 4095, 4096, 8191, 8192, 9000):
        x = np.zeros(9001, np.float32)
        x[place] = 3.0
        assert ops.argmax(x) == place
        assert ops.argmin(-x) == place


@settings(max_examples=20)
@given(st.data(), SHAPES, st.sampled_from(FLOATS))
@pytest.mark.parametrize("name", ["reduce_sum", "reduce_max", "reduce_min", "mean"])
def test_reductions_along_any_axis(name, data, shape, dtype):
    """Small whole numbers: sums are exact, a mean is rounded once."""
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = few(shape, dtype)
    wide, op = x.astype(np.float64), getattr(ops, name)
    golden = {"reduce_sum": np.sum, "reduce_max": np.max, "reduce_min": np.min}
    expected = golden.get(name, np.mean)(wide, axis=axis)
    found = op(x, axis=axis)
    assert found.dtype == dtype and found.shape == expected.shape
    exact = name != "mean"
    error = np.abs(found.astype(np.float64) - expected)
    assert (error <= (0 if exact else 2.0**-7) * np.abs(expected)).all()
    quiet(op)


def test_another_axis_takes_one_launch_more():
    x = few((40, 70), F32)
    ops.reduce_max(x, axis=1)
    one = len(ops.reduce_max.runs)
    ops.reduce_max(x, axis=0)
    assert len(ops.reduce_max.runs) == one + 1


@pytest.mark.parametrize("name", GOLDEN)
def test_what_has_no_place(name):
    op = getattr(ops, name)
    empty = np.zeros((3, 0), np.float32)
    assert op(empty, axis=0).shape == (0,)
    for arguments, code in (
        ((empty, 1), "ASC-OPS-02"),
        ((empty, None), "ASC-OPS-02"),
        ((few((3, 4), F32), 2), "ASC-OPS-03"),
        ((few((3, 4), F32), 0.5), "ASC-OPS-03"),
        ((np.zeros(3, np.int32), None), "ASC-OPS-01"),
        ((np.float32(3.0), None), "ASC-ARG-09"),
        ((few((3, 4), F32).T, None), "ASC-ARG-01"),
    ):
        with pytest.raises(KernelError, match=code):
            op(arguments[0], axis=arguments[1])
