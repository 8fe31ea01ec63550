"""Smooth relatives of relu: softplus, log_sigmoid, selu, celu, hard_swish.

All compute in float32. ln(1 + e^-|x|) is summed as a series of artanh, so that it keeps
its digits where e^-|x| is far below 1.
"""

from __future__ import annotations

import math
from typing import Any

from npusim import asc
from npusim.ops.checks import bad_value, number
from npusim.ops.kernels import one_source
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.maths import MATHS, log1p_exp
from npusim.ops.operator import operator

KEEPS_X = Chain(in_place=False)
LOG = Chain(scratch=2, in_place=False)
SELU_ALPHA, SELU_SCALE = MATHS["selu"]["alpha"], MATHS["selu"]["scale"]


@asc.jit
def softplus_chain(z, x, scratch, count, values):
    """max(x, 0) + ln(1 + exp(-|x|))"""
    log1p_exp(z, x, scratch, count)
    asc.relu(scratch[0], x, count)
    asc.add(z, z, scratch[0], count)


@asc.jit
def softplus_beta_chain(z, x, scratch, count, values):
    """softplus(beta x) / beta; values: beta and 1 / beta"""
    asc.muls(scratch[0], x, values[0], count)
    log1p_exp(z, scratch[0], (scratch[1], scratch[2]), count)
    asc.relu(scratch[0], scratch[0], count)
    asc.add(z, z, scratch[0], count)
    asc.muls(z, z, values[1], count)


@asc.jit
def log_sigmoid_chain(z, x, scratch, count, values):
    """min(x, 0) - ln(1 + exp(-|x|))"""
    log1p_exp(z, x, scratch, count)
    asc.mins(scratch[0], x, 0.0, count)
    asc.sub(z, scratch[0], z, count)


@asc.jit
def elu_parts(z, x, inner, outer, count):
    """z = outer * (exp(inner * min(x, 0)) - 1)"""
    asc.mins(z, x, 0.0, count)
    asc.muls(z, z, inner, count)
    asc.exp(z, z, count)
    asc.adds(z, z, -1.0, count)
    asc.muls(z, z, outer, count)


@asc.jit
def selu_chain(z, x, scratch, count, values):
    """scale * (max(x, 0) + alpha * (exp(min(x, 0)) - 1))"""
    elu_parts(z, x, 1.0, SELU_SCALE * SELU_ALPHA, count)
    asc.relu(scratch[0], x, count)
    asc.muls(scratch[0], scratch[0], SELU_SCALE, count)
    asc.add(z, z, scratch[0], count)


@asc.jit
def celu_chain(z, x, scratch, count, values):
    """max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1); values: 1 / alpha, alpha"""
    elu_parts(z, x, values[0], values[1], count)
    asc.relu(scratch[0], x, count)
    asc.add(z, z, scratch[0], count)


@asc.jit
def hard_swish_chain(z, x, scratch, count, values):
    """x * min(max(x + 3, 0), 6) / 6"""
    asc.adds(z, x, 3.0, count)
    asc.maxs(z, z, 0.0, count)
    asc.mins(z, z, 6.0, count)
    asc.mul(z, z, x, count)
    asc.muls(z, z, 1.0 / 6.0, count)


softplus_kernel = one_source("softplus", softplus_chain)
softplus_beta_kernel = one_source("softplus_beta", softplus_beta_chain)
log_sigmoid_kernel = one_source("log_sigmoid", log_sigmoid_chain)
selu_kernel = one_source("selu", selu_chain)
celu_kernel = one_source("celu", celu_chain)
hard_swish_kernel = one_source("hard_swish", hard_swish_chain)


@operator("softplus", plain=softplus_kernel, scaled=softplus_beta_kernel)
def softplus(x: Any, beta: float = 1.0) -> Result:
    """ln(1 + e^(beta x)) / beta; half, bfloat16, float32."""
    beta = _positive("softplus", "beta", beta)
    if beta == 1.0:
        return run_map("softplus", softplus_kernel, LOG, {"x": x})
    chain = Chain(scratch=3, in_place=False)
    return run_map("softplus", softplus_beta_kernel, chain, {"x": x}, beta, 1.0 / beta)


@operator("log_sigmoid", plain=log_sigmoid_kernel)
def log_sigmoid(x: Any) -> Result:
    """ln(1 / (1 + e^-x)); half, bfloat16, float32."""
    return run_map("log_sigmoid", log_sigmoid_kernel, LOG, {"x": x})


@operator("selu", plain=selu_kernel)
def selu(x: Any) -> Result:
    """scale * (x where x > 0, else alpha * (e^x - 1)); half, bfloat16, float32."""
    return run_map("selu", selu_kernel, Chain(scratch=1, in_place=False), {"x": x})


@operator("celu", plain=celu_kernel)
def celu(x: Any, alpha: float = 1.0) -> Result:
    """x where x > 0, else alpha * (e^(x / alpha) - 1); half, bfloat16, float32."""
    alpha = _positive("celu", "alpha", alpha)
    chain = Chain(scratch=1, in_place=False)
    return run_map("celu", celu_kernel, chain, {"x": x}, 1.0 / alpha, alpha)


@operator("hard_swish", plain=hard_swish_kernel)
def hard_swish(x: Any) -> Result:
    """x * min(max(x + 3, 0), 6) / 6; half, bfloat16, float32."""
    return run_map("hard_swish", hard_swish_kernel, KEEPS_X, {"x": x})


def _positive(operator_name: str, name: str, value: Any) -> float:
    found = number(operator_name, name, value)
    if not 0.0 < found < math.inf:
        raise bad_value(operator_name, name, value, "> 0")
    return found
