"""Functions of one array: integers, numbers as operands, selu and celu, precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import CHIPS, F32, FLOATS, HALF, close, equal, numbers, quiet, shapes

from npusim import asc, ops

INTEGERS = tuple(map(np.dtype, ("i4", "i2")))
OF_INTEGERS = {
    "abs": (np.abs, {}),
    "neg": (np.negative, {}),
    "square": (np.square, {}),
    "relu": (lambda x: np.maximum(x, x.dtype.type(0)), {}),
    "adds": (lambda x: x + x.dtype.type(-12345), {"value": -12345}),
    "muls": (lambda x: x * x.dtype.type(7), {"value": 7}),
    "clip_by_value": (lambda x: np.clip(x, -99, 32767), {"low": -99, "high": 32767}),
}


@pytest.mark.parametrize("name", list(OF_INTEGERS))
@settings(max_examples=10)
@given(shape=shapes(), dtype=st.sampled_from(INTEGERS))
def test_integers_are_exact_and_wrap(name, shape, dtype):
    golden, attributes = OF_INTEGERS[name]
    x = numbers(shape, dtype)
    op = getattr(ops, name)
    equal(op(x, **attributes), np.asarray(golden(x)))
    quiet(op)


def test_a_large_whole_number_keeps_its_last_digit():
    x = np.array([0, 5], np.int32)
    equal(ops.adds(x, 2**24 + 1), x + np.int32(2**24 + 1))


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("adds", {"value": 0.5}),
        ("muls", {"value": 2**31}),
        ("clip_by_value", {"low": 0, "high": 40000}),
    ],
)
def test_numbers_that_an_integer_array_cannot_take(name, attributes):
    with pytest.raises(asc.KernelError) as caught:
        getattr(ops, name)(np.zeros(3, np.int16), **attributes)
    assert [d.code for d in caught.value.diagnostics] == ["ASC-OPS-03"]


def elu(x: np.ndarray, alpha: float) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


SELU = (1.0507009873554805, 1.6732632423543772)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["selu", "celu"])
def test_selu_and_celu_keep_their_published_tolerance(name, dtype):
    """float32: relative 1e-5 or absolute 1e-6; the others by the rule of the dtype."""
    special = np.array([0.0, -0.0, 88.0, -88.0, np.inf, -np.inf, np.nan])
    x = np.concatenate([numbers((65_541,), dtype, 3.0), special.astype(dtype)])
    result = getattr(ops, name)(x, **({"alpha": 0.7} if name == "celu" else {}))
    wide = x.astype(np.float64)
    golden = elu(wide, 0.7)
    if name == "selu":
        with np.errstate(over="ignore"):
            exponential = SELU[1] * np.expm1(np.minimum(wide, 0))
        golden = SELU[0] * np.where(wide > 0, wide, exponential)
        golden[np.isnan(wide)] = np.nan
    if dtype == F32:
        np.testing.assert_allclose(result, golden, rtol=1e-5, atol=1e-6)
    else:
        close(result, golden)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_swiglu(dtype):
    gate, up = numbers((7, 683), dtype, 3.0), numbers((683, 7), dtype).reshape(7, 683)
    wide = gate.astype(np.float64)
    close(ops.swiglu(gate, up), wide / (1 + np.exp(-wide)) * up.astype(np.float64))
    quiet(ops.swiglu)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "shape", [(2,), (7, 66), (3, 5, 14), (0, 4), (4, 0), (2, 60_002), (300, 256)]
)
def test_swiglu_of_the_halves_of_a_row(shape, dtype, chip):
    x = numbers(shape, dtype, 3.0)
    gate, up = np.split(x.astype(np.float64), 2, axis=-1)
    with asc.settings(chip=chip):
        close(ops.swiglu(x), gate / (1 + np.exp(-gate)) * up)
    quiet(ops.swiglu)


def test_swiglu_refuses_an_odd_row():
    with pytest.raises(asc.KernelError) as caught:
        ops.swiglu(np.zeros((3, 5), np.float16))
    assert [d.code for d in caught.value.diagnostics] == ["ASC-OPS-02"]


@pytest.mark.parametrize("name", ["tanh", "erf", "sinh", "softplus", "log_sigmoid"])
def test_functions_keep_their_digits_where_a_plain_formula_cancels(name):
    """Relative error far below the rule, over 30 powers of two on both sides of 0."""
    from math import erf

    golden = {
        "tanh": np.tanh, "erf": np.vectorize(erf), "sinh": np.sinh,
        "softplus": lambda x: np.logaddexp(0, x),
        "log_sigmoid": lambda x: -np.logaddexp(0, -x),
    }[name]  # fmt: skip
    sizes = 2.0 ** np.linspace(-24, 6, 4001)
    x = np.concatenate([sizes, -sizes]).astype(np.float32)
    result, exact = getattr(ops, name)(x), golden(x.astype(np.float64))
    np.testing.assert_allclose(result, exact, rtol=6e-6, atol=1e-37)


def test_the_approximate_instruction_would_not_do():
    """The same quotient by `reciprocal` fails the rule that ops.reciprocal passes."""

    @asc.jit
    def coarse(x: asc.GlobalAddress, z: asc.GlobalAddress, n: asc.constexpr):
        a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, n)
        gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
        gx.set_global_buffer(x)
        gz.set_global_buffer(z)
        asc.data_copy(a, gx, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.reciprocal(a, a, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(gz, a, n)

    x = (numbers((1024,), HALF) + np.float16(4.0)).astype(HALF)
    z = np.zeros_like(x)
    coarse[1](x, z, x.size)
    close(ops.reciprocal(x), 1.0 / x.astype(np.float64))
    with pytest.raises(AssertionError):
        close(z, 1.0 / x.astype(np.float64))
