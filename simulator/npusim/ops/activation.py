"""Activations: sigmoid, silu, gelu (both forms) and fast_gelu.

All compute in float32. A quotient is a division: the reciprocal instruction is too
coarse. The schedules follow the formulas term by term.
"""

from __future__ import annotations

from typing import Any

from npusim import asc
from npusim.ops.checks import choice
from npusim.ops.kernels import one_source
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.maths import MATHS, half_erfc, ones
from npusim.ops.operator import operator

WITH_ONES = Chain(scratch=1)
KEEPS_X = Chain(in_place=False)
GELU = Chain(scratch=3, in_place=False)
CUBIC, SLOPE = MATHS["gelu"]["cubic"], MATHS["gelu"]["slope"]
FAST_SLOPE, FAR = MATHS["gelu"]["fast_slope"], MATHS["gelu"]["far"]


@asc.jit
def sigmoid_chain(z, x, scratch, count, values):
    """1 / (1 + exp(-x)); the first scratch tile holds 1"""
    asc.muls(z, x, -1.0, count)
    asc.exp(z, z, count)
    asc.adds(z, z, 1.0, count)
    asc.div(z, scratch[0], z, count)


@asc.jit
def silu_chain(z, x, scratch, count, values):
    """x / (1 + exp(-slope * x)), slope = values[0]"""
    asc.muls(z, x, -values[0], count)
    asc.exp(z, z, count)
    asc.adds(z, z, 1.0, count)
    asc.div(z, x, z, count)


@asc.jit
def gelu_tanh_chain(z, x, scratch, count, values):
    """x / (1 + exp(-SLOPE * (x + CUBIC * x³)))"""
    asc.mul(z, x, x, count)
    asc.mul(z, z, x, count)
    asc.muls(z, z, CUBIC, count)
    asc.add(z, z, x, count)
    asc.muls(z, z, -SLOPE, count)
    asc.exp(z, z, count)
    asc.adds(z, z, 1.0, count)
    asc.div(z, x, z, count)


@asc.jit
def gelu_chain(z, x, scratch, count, values):
    """max(x, 0) - |x| * erfc(|x| / √2) / 2: no cancellation on either side of 0.

    Beyond FAR the second term is 0, also for Inf.
    """
    size = scratch[2]
    asc.abs(size, x, count)
    asc.mins(size, size, FAR, count)
    half_erfc(z, size, scratch, count)
    asc.mul(z, z, size, count)
    asc.relu(size, x, count)
    asc.sub(z, size, z, count)


sigmoid_kernel = one_source("sigmoid", sigmoid_chain, ones)
silu_kernel = one_source("silu", silu_chain)
gelu_kernel = one_source("gelu", gelu_chain, ones)
gelu_tanh_kernel = one_source("gelu_tanh", gelu_tanh_chain)


@operator("sigmoid", plain=sigmoid_kernel)
def sigmoid(x: Any) -> Result:
    """1 / (1 + e^-x); half, bfloat16, float32."""
    return run_map("sigmoid", sigmoid_kernel, WITH_ONES, {"x": x})


@operator("silu", plain=silu_kernel)
def silu(x: Any) -> Result:
    """x * sigmoid(x); half, bfloat16, float32."""
    return run_map("silu", silu_kernel, KEEPS_X, {"x": x}, 1.0)


@operator("gelu", none=gelu_kernel, tanh=gelu_tanh_kernel)
def gelu(x: Any, approximate: str = "none") -> Result:
    """x * Φ(x), or its approximation by tanh; half, bfloat16, float32."""
    if choice("gelu", "approximate", approximate, ("none", "tanh")) == "tanh":
        return run_map("gelu", gelu_tanh_kernel, KEEPS_X, {"x": x})
    return run_map("gelu", gelu_kernel, GELU, {"x": x})


@operator("fast_gelu", plain=silu_kernel)
def fast_gelu(x: Any) -> Result:
    """x * sigmoid(1.702 x); half, bfloat16, float32."""
    return run_map("fast_gelu", silu_kernel, KEEPS_X, {"x": x}, FAST_SLOPE)
