"""Functions of one array against float64 references, by the precision rule."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import CHIPS, FLOATS, close, numbers, quiet, shapes, with_special

from npusim import asc, ops

ERFC = np.vectorize(math.erfc, otypes=[float])
CUBIC = 0.044715


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.exp(-np.logaddexp(0.0, -x))


def gelu(x: np.ndarray) -> np.ndarray:
    """x Φ(x), with its limit 0 at -Inf."""
    return np.where(x == -np.inf, 0.0, x * 0.5 * ERFC(-x / math.sqrt(2.0)))


def hard_swish(x: np.ndarray) -> np.ndarray:
    return x * np.clip(x + 3.0, 0.0, 6.0) / 6.0


def clip(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.minimum(np.maximum(x, low), high)


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return x * sigmoid(2.0 * math.sqrt(2.0 / math.pi) * (x + CUBIC * x**3))


# name of a case -> operator, attributes, float64 reference
CASES = {
    "exp": ("exp", {}, np.exp),
    "exp-2": ("exp", {"base": 2.0, "scale": 0.5}, lambda x: 2.0 ** (0.5 * x)),
    "exp-shift": ("exp", {"scale": 1.5, "shift": 0.5}, lambda x: np.exp(1.5 * x + 0.5)),
    "ln": ("ln", {}, np.log),
    "sigmoid": ("sigmoid", {}, sigmoid),
    "silu": ("silu", {}, lambda x: x * sigmoid(x)),
    "gelu": ("gelu", {}, gelu),
    "gelu-tanh": ("gelu", {"approximate": "tanh"}, gelu_tanh),
    "fast_gelu": ("fast_gelu", {}, lambda x: x * sigmoid(1.702 * x)),
    "tanh": ("tanh", {}, np.tanh),
    "erf": ("erf", {}, np.vectorize(math.erf, otypes=[float])),
    "sinh": ("sinh", {}, np.sinh),
    "cosh": ("cosh", {}, np.cosh),
    "softplus": ("softplus", {}, lambda x: np.logaddexp(0.0, x)),
    "softplus-3": ("softplus", {"beta": 3.0}, lambda x: np.logaddexp(0.0, 3 * x) / 3),
    "log_sigmoid": ("log_sigmoid", {}, lambda x: -np.logaddexp(0.0, -x)),
    "hard_swish": ("hard_swish", {}, hard_swish),
    "abs": ("abs", {}, np.abs),
    "neg": ("neg", {}, np.negative),
    "square": ("square", {}, np.square),
    "sqrt": ("sqrt", {}, np.sqrt),
    "rsqrt": ("rsqrt", {}, lambda x: 1.0 / np.sqrt(x)),
    "reciprocal": ("reciprocal", {}, np.reciprocal),
    "relu": ("relu", {}, lambda x: np.maximum(x, 0.0)),
    "leaky_relu": ("leaky_relu", {}, lambda x: np.where(x >= 0, x, 0.01 * x)),
    "adds": ("adds", {"value": 0.625}, lambda x: x + 0.625),
    "muls": ("muls", {"value": -0.3}, lambda x: x * -0.3),
    "clip": ("clip_by_value", {"low": -0.5, "high": 1.5}, lambda x: clip(x, -0.5, 1.5)),
    "clip-empty": ("clip_by_value", {"low": 2, "high": 1}, lambda x: clip(x, 2, 1)),
}
POSITIVE = ("ln", "sqrt", "rsqrt")
cases = pytest.mark.parametrize("case", list(CASES))


def golden(case: str, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return CASES[case][2](x.astype(np.float64))


@cases
@settings(max_examples=10)
@given(shape=shapes(), dtype=st.sampled_from(FLOATS))
def test_any_shape_and_dtype(case, shape, dtype):
    name, attributes, _ = CASES[case]
    x = numbers(shape, dtype)
    x = np.asarray(np.abs(x)) if name in POSITIVE else x
    op = getattr(ops, name)
    result = op(x, **attributes)
    assert result.dtype == dtype
    close(result, golden(case, x))
    quiet(op, overflow=bool(np.isinf(result.astype(float)).any()))


@cases
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_values(case, dtype):
    name, attributes, _ = CASES[case]
    x = with_special(dtype)
    close(getattr(ops, name)(x, **attributes), golden(case, x))


@cases
@pytest.mark.parametrize("chip", CHIPS)
def test_every_chip(case, chip):
    name, attributes, _ = CASES[case]
    x = np.abs(numbers((5, 1009), np.dtype("f4")))
    with asc.settings(chip=chip):
        close(getattr(ops, name)(x, **attributes), golden(case, x))


def test_the_ranges_of_published_tasks():
    """sinh at the edge of half, sigmoid and log_sigmoid far out."""
    x = np.array([11.7, -11.7, 11.09, 12.0, -12.0, 10.0, 0.0], np.float16)
    close(ops.sinh(x), np.sinh(x.astype(np.float64)))
    wide = np.linspace(-20, 20, 4097).astype(np.float16)
    close(ops.sigmoid(wide), sigmoid(wide.astype(np.float64)))
    far = np.linspace(-100, 100, 4099).astype(np.float32)
    close(ops.log_sigmoid(far), -np.logaddexp(0.0, -far.astype(np.float64)))


def test_two_buffers_let_copies_and_vectors_overlap():
    """The pipes are busy for longer, together, than the cores work."""
    x = numbers((2_000_003,), np.dtype(np.float16))
    ops.sigmoid(x)
    run = ops.sigmoid.run
    busy = sum(run.pipe_cycles[pipe] for pipe in ("MTE2", "V", "MTE3"))
    assert busy > 1.25 * max(run.core_cycles)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("gelu", {"approximate": "fast"}),
        ("exp", {"base": 0.0}),
        ("exp", {"scale": "1"}),
    ],
)
def test_bad_attributes_are_refused(name, attributes):
    with pytest.raises(asc.KernelError) as caught:
        getattr(ops, name)(np.zeros(3, np.float32), **attributes)
    assert [d.code for d in caught.value.diagnostics] == ["ASC-OPS-03"]
