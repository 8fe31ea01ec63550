"""Static and dynamic quantisation against numpy: integers exact."""

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
    HALF,
    close,
    equal,
    numbers,
    quiet,
    shapes,
)

from npusim import asc, ops
from npusim.chip import load_chip
from npusim.ops.dynamic_quantisation import plan_tokens
from npusim.ops.tiling import NUMBERS, SLOTS

F = np.float32


def static(x: np.ndarray, scale: float, offset: float) -> np.ndarray:
    whole = np.rint(x.astype(F) * F(scale) + F(offset))
    return np.clip(whole, -128, 127).astype(np.int8)


def dynamic(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wide = x.astype(F)
    most = np.abs(wide).max(-1, initial=0.0)
    factor = F(127.0) / np.maximum(most, F(1e-30))
    return np.rint(wide * factor[..., None]).astype(np.int8), most / F(127.0)


@settings(max_examples=20)
@given(shapes(), st.sampled_from(FLOATS), st.sampled_from([(20.0, 0.0), (-3.0, 5.5)]))
def test_static(shape, dtype, values):
    x = numbers(shape, dtype, 3.0)
    equal(ops.quantize(x, *values), static(x, *values))
    quiet(ops.quantize)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ties_go_to_even_and_the_ends_are_clamped_in_silence(dtype):
    x = np.array([0.5, 1.5, -0.5, -2.5, 126.5, 127.5, -128.5, 1e4, -np.inf, np.inf])
    found = ops.quantize(x.astype(dtype), 1.0)
    equal(found, static(x.astype(dtype), 1.0, 0.0))
    quiet(ops.quantize)


def test_a_value_close_below_a_tie_is_not_rounded_twice():
    """101.49999 becomes 101.5 in half, and 102 by a second rounding."""
    x = np.array([np.nextafter(F(101.5), F(0)), 101.5, 100.5], F)
    equal(ops.quantize(x, 1.0), np.array([101, 102, 100], np.int8))


@settings(max_examples=20)
@given(
    shapes(), st.sampled_from(FLOATS), st.sampled_from([np.dtype("i1"), np.dtype("i4")])
)
def test_back(shape, dtype, source):
    x = numbers(shape, source)
    x = np.asarray(x // 70_000) if source.itemsize == 4 else x
    close(ops.dequantize(x, 0.05, 3.0, dtype), (x.astype(float) - 3.0) * 0.05)
    quiet(ops.dequantize, overflow=dtype == HALF)


@settings(max_examples=25)
@given(
    shapes().filter(len)
    | st.sampled_from([(9, 64), (300, 8), (2, 3, 1000), (1, 5000), (97, 33)]),
    st.sampled_from(FLOATS),
)
def test_dynamic(shape, dtype):
    x = numbers(shape, dtype, 3.0)
    (y, scale), (golden, golden_scale) = ops.dynamic_quantize(x), dynamic(x)
    np.testing.assert_allclose(scale, golden_scale, rtol=2e-7)
    if x.size:
        equal(y, golden)
    quiet(ops.dynamic_quantize)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_a_row_too_long_for_ub_goes_strip_by_strip(chip, dtype):
    x = numbers((3, 40_009), dtype, 5.0)
    with asc.settings(chip=chip):
        y, scale = ops.dynamic_quantize(x)
    assert ops.dynamic_quantize.run.kernel == "dynamic_quantize_strips_kernel"
    golden, golden_scale = dynamic(x)
    equal(y, golden)
    np.testing.assert_allclose(scale, golden_scale, rtol=2e-7)
    quiet(ops.dynamic_quantize)


def test_rows_of_zeros_and_of_one_large_element():
    x = np.zeros((4, 77), np.float16)
    x[1, 5], x[2, 76] = 65504.0, -6e-8
    y, scale = ops.dynamic_quantize(x)
    assert (y[0] == 0).all()
    assert scale[0] == 0.0
    assert y[1, 5] == 127
    assert y[2, 76] == -127
    quiet(ops.dynamic_quantize)


@given(
    st.integers(1, 1 << 20),
    st.integers(1, 1 << 16),
    st.sampled_from([2, 4]),
    st.sampled_from(CHIPS),
)
def test_the_plan_covers_the_rows_and_fits(rows, columns, itemsize, name):
    chip = load_chip(name)
    plan = plan_tokens(rows, columns, itemsize, chip)
    t = plan.tiles
    assert (plan.blocks - 1) * t.row_share < rows <= plan.blocks * t.row_share
    assert plan.blocks <= chip.vector_cores
    elements = t.tile_rows * t.pitch if plan.whole_rows else t.strip
    room = t.pitch if plan.whole_rows else t.strip
    nbytes = elements * (SLOTS * (itemsize + 1) + 4) + room * 8 + 512
    nbytes += t.tile_rows * (SLOTS * 32 + 64) + 64
    assert elements > 0
    assert nbytes <= chip.ub_nbytes - NUMBERS["reserved"]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("quantize", (np.zeros(3, np.int8), 1.0), "ASC-OPS-01"),
        ("quantize", (np.zeros(3, F), np.inf), "ASC-OPS-03"),
        ("dequantize", (np.zeros(3, F), 1.0), "ASC-OPS-01"),
        ("dequantize", (np.zeros(3, np.int8), 1.0, 0.0, "int16"), "ASC-OPS-03"),
        ("dynamic_quantize", (np.array(1.0, F),), "ASC-OPS-02"),
    ],
)
def test_what_is_refused(name, arguments, code):
    with pytest.raises(asc.KernelError) as caught:
        getattr(ops, name)(*arguments)
    assert [d.code for d in caught.value.diagnostics] == [code]
