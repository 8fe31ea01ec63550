"""softmax, log_softmax, layernorm and rms_norm against numpy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import BF16, CHIPS, F32, FLOATS, HALF, close, numbers, quiet

from npusim import asc, ops
from npusim.chip import load_chip
from npusim.ops.row_plan import Needs, tile_height

NAMES = ("softmax", "log_softmax", "layernorm", "rms_norm")


def golden(name: str, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    x, gamma, beta = (a.astype(np.float64) for a in (x, gamma, beta))
    with np.errstate(all="ignore"):
        if name in ("softmax", "log_softmax"):
            less = x - x.max(-1, keepdims=True, initial=-np.inf)
            total = np.exp(less).sum(-1, keepdims=True)
            return np.exp(less) / total if name == "softmax" else less - np.log(total)
        if name == "rms_norm":
            square = np.mean(x * x, -1, keepdims=True)
            return x / np.sqrt(square + 1e-6) * gamma
        less = x - x.mean(-1, keepdims=True)
        return (
            less / np.sqrt(np.mean(less * less, -1, keepdims=True) + 1e-5) * gamma
            + beta
        )


def arguments(name: str, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> tuple:
    return {"layernorm": (x, gamma, beta), "rms_norm": (x, gamma)}.get(name, (x,))


def near(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    """The precision rule; below its small-value limit, a rounding of the terms.

    A row's numbers that cancel (x - mean, + beta) keep the error of the terms.
    """
    assert found.shape == expected.shape
    unit = {HALF: 2.0**-11, BF16: 2.0**-8, F32: 2.0**-22}[found.dtype]
    wide = found.astype(np.float64)
    with np.errstate(over="ignore"):
        rounded = expected.astype(found.dtype).astype(np.float64)
    np.testing.assert_array_equal(np.isnan(wide), np.isnan(rounded))
    finite = np.isfinite(rounded)
    error = np.abs(wide - expected)[finite]
    bound = 2 * unit * (np.abs(expected[finite]) + (8 if found.dtype == F32 else 0))
    assert (error <= bound + 2.0**-24).all(), (name, error.max())


def check(name: str, x: np.ndarray, **variant: str) -> None:
    gamma, beta = numbers(x.shape[-1:], x.dtype), numbers(x.shape[-1:], x.dtype, 0.5)
    op = getattr(ops, name)
    found = op(*arguments(name, x, gamma, beta), **variant)
    assert found.dtype == x.dtype
    near(name, found, golden(name, x, gamma, beta))
    quiet(op)


SHAPES = st.tuples(st.integers(1, 70), st.integers(1, 600)) | st.sampled_from(
    [(1, 1), (1, 2049), (3, 7, 11, 13), (1009, 3), (129, 65), (5,), (2, 4099), (300, 1)]
)


def variants(name: str) -> list[dict[str, str]]:
    """The attributes that choose each schedule of an operator."""
    both = [{"variant": "row"}, {"variant": "pipelined"}]
    return [{}] if name == "layernorm" else both


@settings(max_examples=8)
@given(SHAPES, st.sampled_from(FLOATS), st.sampled_from(CHIPS))
@pytest.mark.parametrize("name", NAMES)
def test_shapes_and_dtypes(name, shape, dtype, chip):
    with asc.settings(chip=chip):
        for variant in variants(name):
            check(name, numbers(shape, dtype, 2.0), **variant)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "rms_norm"])
def test_the_row_schedule_is_the_default_and_the_slower(name):
    x = numbers((480, 2048), F32)
    op, args = getattr(ops, name), arguments(name, x, x[0], x[0])
    plain, times = op(*args), []
    for variant in ("row", "pipelined"):
        close(op(*args, variant=variant), golden(name, x, x[0], x[0]))
        times.append(op.time_us)
    np.testing.assert_array_equal(plain, op(*args, variant="row"))
    assert times[0] > 1.2 * times[1]


@pytest.mark.parametrize(("columns", "tiles"), [(1999, 4), (2000, 8)])
def test_rms_norm_takes_a_row_a_tile_from_2000_columns(columns, tiles):
    """8 rows a core. Its copies: gamma, and each tile in and out."""
    x = numbers((8 * 48, columns), F32)
    with asc.settings(chip="910B1"):
        ops.rms_norm(x, x[0])
    assert ops.rms_norm.run.counters["copy_instructions"] == 48 * (1 + 2 * tiles)


@pytest.mark.parametrize(("columns", "tiles"), [(500, 2), (1021, 4), (2000, 8)])
def test_softmax_takes_short_rows_together(columns, tiles):
    """8 rows a core; each tile in and out."""
    with asc.settings(chip="910B1"):
        ops.softmax(numbers((8 * 48, columns), F32))
    assert ops.softmax.run.counters["copy_instructions"] == 48 * 2 * tiles


@pytest.mark.parametrize("columns", [5, 64, 255, 300, 1021])
@pytest.mark.parametrize("name", NAMES)
def test_rows_that_are_hard_to_compute(name, columns):
    noise = numbers((8, columns), F32)
    rows = [1000 + noise[0] / 100, 88 * np.sign(noise[1]), 60000 * np.sign(noise[2])]
    rows += [np.full(columns, 3.0), np.zeros(columns), -1000 + noise[5] * 10]
    check_hard(name, np.stack(rows).astype(np.float32))


def check_hard(name: str, x: np.ndarray) -> None:
    """Within what a mean rounded to float32 leaves of a row, twice, and 1e-5."""
    gamma, beta = numbers(x.shape[-1:], F32), numbers(x.shape[-1:], F32)
    found = getattr(ops, name)(*arguments(name, x, gamma, beta))
    wide = x.astype(np.float64)
    size = np.abs(wide).max(-1, keepdims=True) * 2.0**-23
    bound = 2 * size / np.sqrt(wide.var(-1, keepdims=True) + 1e-5) * np.abs(gamma).max()
    expected = golden(name, x, gamma, beta)
    error = np.abs(found - expected)
    least = 2e-6 * np.abs(expected) + 1e-5
    assert (error <= least + (bound if name == "layernorm" else 0)).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("columns", [9, 70, 333])
@pytest.mark.parametrize("name", NAMES)
def test_nan_and_infinity_stay_in_their_row(name, columns, dtype):
    x = numbers((5, columns), dtype)
    x[1, 3], x[2, 0], x[3, 8] = np.nan, np.inf, -np.inf
    gamma = beta = np.ones(columns, dtype)
    found = getattr(ops, name)(*arguments(name, x, gamma, beta)).astype(np.float64)
    expected = golden(name, x, gamma, beta)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert np.isfinite(found[[0, 4]]).all()


def test_the_variance_takes_two_passes():
    """Sum of squares minus square of the sum would lose all digits here."""
    x = (4096 + numbers((4, 512), F32)).astype(np.float32)
    ones, zeros = np.ones(512, np.float32), np.zeros(512, np.float32)
    close(ops.layernorm(x, ones, zeros).std(-1), np.ones(4))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("shape", "axis"), [((33, 70), 0), ((3, 17, 40), 1), ((5, 1), 0)]
)
@pytest.mark.parametrize("name", NAMES[:2])
def test_another_axis(name, shape, axis, dtype):
    x = numbers(shape, dtype, 2.0)
    moved = np.moveaxis(x.astype(np.float64), axis, -1)
    expected = np.moveaxis(golden(name, moved, moved, moved), -1, axis)
    near(name, getattr(ops, name)(x, axis=axis), expected)
    quiet(getattr(ops, name))


def test_a_row_that_is_too_long_is_refused():
    x = np.zeros((1, 60_000), np.float32)
    with pytest.raises(asc.KernelError, match="UB"):
        ops.add_rms_norm(x, x, x[0])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("columns", [50_001, 151_936])
@pytest.mark.parametrize("name", NAMES)
def test_rows_that_do_not_fit_ub(name, columns, dtype):
    x = numbers((3, columns), dtype, 2.0)
    x[1] = x[1] * 8
    with asc.settings(chip="910B4-1"):
        check(name, x)
    assert "strips" in getattr(ops, name).run.kernel


def test_small_shares_of_a_long_row_keep_their_digits():
    x = numbers((2, 100_003), F32, 3.0)
    wide = np.exp(x.astype(np.float64))
    expected = wide / wide.sum(-1, keepdims=True)
    np.testing.assert_allclose(ops.softmax(x), expected, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_long_rows_that_are_hard_to_compute(name):
    noise = numbers((3, 60_000), F32)
    rows = [1000 + noise[0] / 100, 88 * np.sign(noise[1]), np.zeros(60_000)]
    check_hard(name, np.stack(rows).astype(np.float32))
    noise[1, 30_000], noise[2, 59_999] = np.nan, np.inf
    ones = np.ones(60_000, F32)
    found = getattr(ops, name)(*arguments(name, noise, ones, ones))
    expected = golden(name, noise, ones, ones)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (2, 0, 3)])
def test_empty_arrays(shape):
    x = np.zeros(shape, np.float32)
    weight = np.ones(shape[-1:], np.float32)
    for name in NAMES:
        op = getattr(ops, name)
        assert op(*arguments(name, x, weight, weight)).shape == shape
        assert op.runs == ()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda x: ops.softmax(x, axis=2), "ASC-OPS-03", ("axis=2", "-2 … 1")),
        (lambda x: ops.softmax(x.astype(int)), "ASC-OPS-01", ("softmax", "int64")),
        (lambda x: ops.rms_norm(x, x[0, :2]), "ASC-OPS-02", ("gamma[2]", "x[3, 4]")),
        (lambda x: ops.layernorm(x, x[0], x[0].astype("f2")), "ASC-OPS-01", ("beta",)),
        (lambda x: ops.rms_norm(x, x[0], -1.0), "ASC-OPS-03", ("eps=-1.0",)),
        (lambda x: ops.softmax(x, variant="fast"), "ASC-OPS-03", ("row, pipelined",)),
        (lambda x: ops.rms_norm(x, x[0], "1"), "ASC-OPS-03", ("eps='1'",)),
        (lambda x: ops.rms_norm(x[0, 0].copy(), x[0]), "ASC-ARG-09", ("x",)),
    ],
)
def test_refusals(call, code, words, language):
    asc.language(language)
    with pytest.raises(asc.KernelError) as caught:
        call(np.zeros((3, 4), np.float32))
    text = str(caught.value)
    assert code in text
    assert all(word in text for word in words), text


@settings(max_examples=8)
@given(SHAPES, st.sampled_from(FLOATS), st.sampled_from(CHIPS))
def test_add_rms_norm(shape, dtype, chip):
    x, other = numbers(shape, dtype, 2.0), numbers(shape, dtype)[::-1].copy()
    gamma = numbers(shape[-1:], dtype)
    with asc.settings(chip=chip):
        for variant in ops.add_rms_norm.kernels:
            found = ops.add_rms_norm(x, other, gamma, variant=variant)
            check_sum(found, x, other, gamma)
            quiet(ops.add_rms_norm)


def check_sum(found: tuple, x: np.ndarray, other: np.ndarray, gamma: np.ndarray):
    y, scale, total = found
    wide = x.astype(np.float64) + other.astype(np.float64)
    near("total", total, wide)
    near("y", y, golden("rms_norm", wide, gamma, gamma))
    root = np.sqrt(np.mean(wide * wide, -1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(scale, 1 / root, rtol=1e-5)


def longest(needs: Needs) -> int:
    """Columns of the longest row that UB holds with one slot, in steps of 32 B."""
    step = 32 // needs.itemsize
    fits = (n for n in range(step, 40_000, step) if tile_height(needs, n, 1, CHIP))
    return max(fits)


CHIP = load_chip("910B1")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("queued", [3, 2])
def test_the_longest_rows_of_add_rms_norm(queued, dtype):
    """With three buffers by row; with two only, the pipelined way; then refused."""
    columns = longest(Needs(dtype.itemsize, 1, 2, queued, 1))
    x = numbers((3, columns), dtype)
    with asc.settings(chip="910B1"):
        check_sum(ops.add_rms_norm(x, x, x[0]), x, x, x[0])
        kernel = {3: "add_rms_norm_row", 2: "add_rms_norm_rows"}[queued]
        assert ops.add_rms_norm.run.kernel == kernel
        longer = numbers((1, columns + 40), dtype)
        if queued == 2:
            with pytest.raises(asc.KernelError, match="ASC-OPS-02"):
                ops.add_rms_norm(longer, longer, longer[0])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_longest_rows_that_fit_ub(name, dtype):
    room, weights = int(name != "softmax"), 2 * (name in NAMES[2:])
    columns = longest(Needs(dtype.itemsize, room, weights))
    with asc.settings(chip="910B1"):
        for variant in variants(name):
            check(name, numbers((2, columns), dtype), **variant)
            assert "strips" not in getattr(ops, name).run.kernel
        check(name, numbers((2, columns + 40), dtype))
    assert "strips" in getattr(ops, name).run.kernel
