"""Every operator: a right result on odd shapes, or an error that names the argument."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import F32, close, numbers, quiet

from npusim import ops
from npusim.diagnostic import KernelError

ONE_ARRAY = (
    "abs", "neg", "square", "relu", "sqrt", "rsqrt", "reciprocal", "leaky_relu", "exp",
    "ln", "sigmoid", "silu", "gelu", "fast_gelu", "tanh", "erf", "sinh", "cosh",
    "softplus", "log_sigmoid", "selu", "celu", "hard_swish", "softmax", "log_softmax",
    "reduce_sum", "reduce_max", "reduce_min", "mean", "argmax", "argmin", "isnan",
    "transpose", "dynamic_quantize",
)  # fmt: skip
TWO_ARRAYS = (
    "add", "sub", "mul", "div", "maximum", "minimum", "swiglu", "mse_loss", "less",
    "equal", "rms_norm",
)  # fmt: skip
WRONG = (
    np.ones((4, 6), np.float32).T,
    np.ones((4, 6), np.float32)[:, ::2],
    np.ones((2, 2)),
    np.ones((2, 2), np.complex64),
    np.ones((2, 3), ">f4"),
    np.array(["a"]),
    [1.0],
    None,
    3.5,
)
RIGHT_CODES = ("ASC-ARG", "ASC-OPS")


def refused(name, *arguments):
    with pytest.raises(KernelError) as caught:
        getattr(ops, name)(*arguments)
    assert all(d.code.startswith(RIGHT_CODES) for d in caught.value.diagnostics)


@pytest.mark.parametrize("name", ONE_ARRAY)
def test_what_is_no_array_of_the_device_is_refused(name):
    for value in WRONG:
        refused(name, value)


@pytest.mark.parametrize("name", TWO_ARRAYS)
def test_a_wrong_second_argument_is_refused(name):
    for value in (*WRONG[:5], None):
        refused(name, np.ones((3, 5), np.float32), value)
    refused(name, np.ones((3, 5), np.float32), np.ones((3, 5), np.float16))
    refused(name, np.ones((3, 5), np.float32), np.ones((7, 4), np.float32))


@pytest.mark.parametrize("name", ONE_ARRAY)
def test_arrays_without_elements_launch_nothing_or_are_refused(name):
    for shape in ((0,), (0, 5), (5, 0), (3, 0, 2)):
        x = np.ones(shape, np.float32)
        try:
            getattr(ops, name)(x)
        except KernelError as error:
            assert {d.code for d in error.diagnostics} <= {"ASC-OPS-02"}
        else:
            assert getattr(ops, name).runs == ()


EXACT = {"abs": np.abs, "neg": np.negative, "square": np.square}
ROWS = {
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
    "reduce_sum": lambda x: x.sum(),
    "reduce_max": lambda x: x.max(),
    "mean": lambda x: x.mean(),
}
ODD = st.sampled_from(
    [(1,), (1, 1), (2503, 1), (1, 2503), (3, 5, 7), (1, 70_000), (2, 69_997), (61, 61)]
) | st.tuples(st.integers(1, 97), st.integers(1, 97))


@settings(max_examples=12)
@given(ODD, st.sampled_from([F32, np.dtype(ml_dtypes.bfloat16)]))
@pytest.mark.parametrize("name", [*EXACT, *ROWS])
def test_odd_shapes(name, shape, dtype):
    x, op = np.abs(numbers(shape, dtype)) + np.asarray(0.5, dtype), getattr(ops, name)
    close(op(x), {**EXACT, **ROWS}[name](x.astype(np.float64)))
    quiet(op)
