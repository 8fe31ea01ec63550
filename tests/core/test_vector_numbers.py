"""Elementwise instructions, count form: numbers against wider types, rounded once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_oracle import (
    AREA,
    launch,
    maximum,
    minimum,
    numbers,
    result_of,
    rounded,
    same,
    wide,
)

from npusim.lang import SIGNATURES
from npusim.lang.types import DTYPES

ARITHMETIC, FLOATS = ("int16", "half", "int32", "float32"), ("half", "float32")
SHORTS, INTEGERS = ("int16", "uint16"), ("int16", "uint16", "int32", "uint32")


def relu(x):
    return np.where(x > 0, x, np.where(x == x, 0, x))


BINARY = {
    "add": (ARITHMETIC, lambda x, y: x + y),
    "sub": (ARITHMETIC, lambda x, y: x - y),
    "mul": (ARITHMETIC, lambda x, y: x * y),
    "div": (FLOATS, lambda x, y: x / y),
    "max": (ARITHMETIC, maximum),
    "min": (ARITHMETIC, minimum),
    "bitwise_and": (SHORTS, lambda x, y: x & y),
    "bitwise_or": (SHORTS, lambda x, y: x | y),
}
SCALAR = {
    "adds": (ARITHMETIC, lambda x, s: x + s),
    "muls": (ARITHMETIC, lambda x, s: x * s),
    "maxs": (ARITHMETIC, maximum),
    "mins": (ARITHMETIC, minimum),
    "leaky_relu": (FLOATS, lambda x, s: np.where(x >= 0, x, x * s)),
}
UNARY = {
    "abs": (FLOATS, np.abs),
    "sqrt": (FLOATS, np.sqrt),
    "relu": (("half", "int32", "float32"), relu),
    "bitwise_not": (SHORTS, np.invert),
}
counts = st.one_of(
    st.sampled_from([0, 1, 7, 63, 64, 65, 128, 2048]), st.integers(0, 2048)
)
seeds = st.integers(0, 10**6)
few = settings(max_examples=6, deadline=None)


def pairs(table):
    return [(n, d) for n, (dtypes, _) in table.items() for d in dtypes]


def check(body, count, a, b, expected, d=None):
    d = numbers_like(a) if d is None else d
    result = result_of(body, a, b, d)
    same(result[count:], d[count:])
    with np.errstate(all="ignore"):
        same(result[:count], expected.astype(d.dtype))


def numbers_like(a):
    return np.full_like(a, 77)


@pytest.mark.parametrize("name, dtype", pairs(BINARY))
@few
@given(count=counts, seed=seeds)
def test_binary(name, dtype, count, seed):
    a, b = numbers(dtype, seed), numbers(dtype, seed + 1)
    with np.errstate(all="ignore"):
        expected = BINARY[name][1](wide(a), wide(b))[:count]
    check(f"asc.{name}(d, a, b, {count})", count, a, b, expected)


@pytest.mark.parametrize("name, dtype", pairs(SCALAR))
@few
@given(count=counts, seed=seeds, number=st.sampled_from([0, 1, -3, 7]))
def test_with_scalar(name, dtype, count, seed, number):
    a = numbers(dtype, seed)
    number = number * 0.3 if DTYPES[dtype].is_float else number
    with np.errstate(all="ignore"):
        scalar = wide(np.asarray(number).astype(a.dtype))
        expected = SCALAR[name][1](wide(a), scalar)[:count]
        if name == "leaky_relu":  # the product is rounded, the source is not
            expected = expected.astype(a.dtype)
    check(f"asc.{name}(d, a, {number}, {count})", count, a, a, expected)


@pytest.mark.parametrize("name, dtype", pairs(UNARY))
@few
@given(count=counts, seed=seeds)
def test_unary(name, dtype, count, seed):
    a = numbers(dtype, seed)
    with np.errstate(all="ignore"):
        expected = UNARY[name][1](wide(a))[:count]
    check(f"asc.{name}(d, a, {count})", count, a, a, expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name, function", [("exp", np.exp), ("ln", np.log)])
@few
@given(count=counts, seed=seeds)
def test_exp_and_ln_are_rounded_once(name, function, dtype, count, seed):
    a = numbers(dtype, seed)
    with np.errstate(all="ignore"):
        expected = function(a.astype(np.float64))[:count].astype(a.dtype)
    check(f"asc.{name}(d, a, {count})", count, a, a, expected)


@pytest.mark.parametrize("dtype", INTEGERS)
@few
@given(seed=seeds, bits=st.integers(0, 40))
def test_shifts(dtype, seed, bits):
    a = numbers(dtype, seed)
    width = 8 * a.itemsize
    exact = [int(v) for v in a]
    left = [v << bits & (1 << width) - 1 for v in exact]
    unsigned = np.array(left, np.uint64).astype(f"u{a.itemsize}").view(a.dtype)
    check(f"asc.shift_left(d, a, {bits}, 300)", 300, a, a, unsigned[:300])
    right = np.array([v >> bits for v in exact], a.dtype)
    check(f"asc.shift_right(d, a, {bits}, 300)", 300, a, a, right[:300])


def fused(x, y, z, dtype):
    """x * y + z, exact and rounded once; IEEE where an operand is not finite."""
    if not np.isfinite([x, y, z]).all():
        return dtype.type(np.float64(x) * np.float64(y) + np.float64(z))
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    if exact == 0:
        return dtype.type(np.float64(x) * np.float64(y) + np.float64(z))
    return rounded(exact, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name", ["mul_add_dst", "fused_mul_add", "fused_mul_add_relu", "axpy"]
)
@few
@given(seed=seeds)
def test_fused_instructions_round_once(name, dtype, seed):
    a, b, d = (numbers(dtype, seed + i, scale=1.0) for i in range(3))
    b[40:60] = 1.0  # sums that fall near the middle of two numbers
    d[40:60] = a[40:60] * a.dtype.type(2.0 ** -(12 if dtype == "half" else 25))
    count, scalar = 100, a.dtype.type(1.7)
    operands = {
        "mul_add_dst": (a, b, d), "fused_mul_add": (a, d, b),
        "fused_mul_add_relu": (a, d, b), "axpy": (a, np.full_like(a, scalar), d),
    }[name]  # fmt: skip
    with np.errstate(all="ignore"):
        expected = np.array(
            [
                fused(*row, a.dtype)
                for row in zip(*(v[:count] for v in operands), strict=True)
            ],
            a.dtype,
        )
    if name.endswith("relu"):
        expected = relu(expected).astype(a.dtype)
    call = (
        f"asc.axpy(d, a, 1.7, {count})"
        if name == "axpy"
        else f"asc.{name}(d, a, b, {count})"
    )
    check(call, count, a, b, expected, d)


def test_mul_add_dst_and_axpy_take_half_sources_into_float():
    a, b, d = (
        numbers("half", 1, scale=1),
        numbers("half", 2, scale=1),
        numbers("float32", 3),
    )
    with np.errstate(all="ignore"):
        expected = np.array(
            [
                fused(*row, np.dtype("float32"))
                for row in zip(a[:90], b[:90], d[:90], strict=True)
            ],
            np.float32,
        )
        check("asc.mul_add_dst(d, a, b, 90)", 90, a, b, expected, d)
        half = np.float16(1.7)
        expected = np.array(
            [
                fused(x, half, z, np.dtype("float32"))
                for x, z in zip(a[:90], d[:90], strict=True)
            ],
            np.float32,
        )
    check("asc.axpy(d, a, 1.7, 90)", 90, a, b, expected, d)


@pytest.mark.parametrize("dtype", ("int16", "half", "float32"))
@pytest.mark.parametrize("name", ["add_relu", "sub_relu"])
@few
@given(count=counts, seed=seeds)
def test_add_and_sub_with_relu(name, dtype, count, seed):
    a, b = numbers(dtype, seed), numbers(dtype, seed + 1)
    with np.errstate(all="ignore"):
        first = wide(a) + wide(b) if name == "add_relu" else wide(a) - wide(b)
        expected = relu(first.astype(a.dtype))[:count].astype(a.dtype)
    check(f"asc.{name}(d, a, b, {count})", count, a, b, expected)


# --------------------------------------------------------------------- low precision
EXACT = {"reciprocal": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x)}


@pytest.mark.parametrize("dtype, tolerance", [("half", 1e-3), ("float32", 1e-4)])
@pytest.mark.parametrize("name", EXACT)
def test_low_precision_is_bounded_deterministic_and_felt(name, dtype, tolerance):
    rng = np.random.default_rng(3)
    a = rng.uniform(0.1, 100.0, AREA // DTYPES[dtype].itemsize).astype(
        DTYPES[dtype].numpy
    )
    found = result_of(f"asc.{name}(d, a, {len(a)})", a, a, np.zeros_like(a))
    error = np.abs(found.astype(np.float64) / EXACT[name](a.astype(np.float64)) - 1)
    assert error.max() < 2.0**-6 + 2.0**-10
    assert error.max() > 5 * tolerance and np.median(error) > tolerance
    again = result_of(f"asc.{name}(d, a, {len(a)})", a, a, np.zeros_like(a))
    same(found, again)


@pytest.mark.parametrize("dtype", FLOATS)
def test_low_precision_of_special_values(dtype):
    a = np.zeros(AREA // DTYPES[dtype].itemsize, DTYPES[dtype].numpy)
    a[:7] = [0.0, -0.0, np.inf, -np.inf, np.nan, 4.0, -4.0]
    found = result_of("asc.reciprocal(d, a, 7)", a, a, a.copy())
    same(
        found[:7], np.array([np.inf, -np.inf, 0.0, -0.0, np.nan, 0.25, -0.25], a.dtype)
    )
    found = result_of("asc.rsqrt(d, a, 7)", a, a, a.copy())
    same(
        found[:7],
        np.array([np.inf, -np.inf, 0.0, np.nan, np.nan, 0.5, np.nan], a.dtype),
    )


# --------------------------------------------------------------------------- counting
def overflow_facts(body, a, b, **options):
    _, execution = launch(body, a, b, np.zeros_like(a), **options)
    return [(d.code, d.severity, d.facts["count"]) for d in execution.findings]


def test_overflow_is_counted_over_all_blocks():
    a = np.tile(np.float16([60000, 1, np.inf, -60000]), AREA // 8 * 3)
    expected = [("ASC-NUM-33", "W", 3 * 50)]
    for options in ({}, {"overflow": "saturate"}, {"lockstep": False}):
        assert (
            overflow_facts("asc.add(d, a, a, 100)", a, a, blocks=3, **options)
            == expected
        )
    assert overflow_facts("asc.add(a, a, a, 100)", a, a) == [("ASC-NUM-33", "W", 50)]


def test_a_pole_and_an_infinite_scalar_are_no_overflow():
    a = np.tile(np.float16([0, 1]), AREA // 4)
    for body in ("asc.div(d, a, a, 9)", "asc.ln(d, a, 9)", "asc.reciprocal(d, a, 9)",
                 'asc.adds(d, a, float("inf"), 9)', "asc.rsqrt(d, a, 9)"):  # fmt: skip
        assert overflow_facts(body, a, a) == []


def test_saturating_mode_clamps():
    a = np.full(AREA // 2, 60000, np.float16)
    found = result_of("asc.muls(d, a, -2.0, 8)", a, a, a * 0, overflow="saturate")
    assert (found[:8] == -65504).all()


def test_every_vector_instruction_has_a_cost_and_a_row():
    from npusim.chip import load_chip
    from npusim.core import INSTRUCTIONS
    from npusim.lang.calls import SYSTEM_VALUES

    chip = load_chip("910B1")
    for name, signature in SIGNATURES.items():
        assert name in INSTRUCTIONS or name in SYSTEM_VALUES
        if signature.vector and name != "cast":
            assert chip.vector_cost(name, "float32").free > 0
