"""tanh, sinh, cosh, erf: computed in float32.

tanh and erf are quotients of polynomials, so small values keep their digits. sinh is
(e^x - e^-x) / 2 where |x| ≥ 1 and a Taylor series below, where that difference cancels.
e^x / 2 is taken as e^(x - ln 2), which overflows no sooner than the result.
"""

from __future__ import annotations

import math
from typing import Any

from npusim import asc
from npusim.ops.kernels import one_source
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.marks import mark_scalar, pick
from npusim.ops.maths import (
    ERF_CLAMP,
    ERF_P,
    ERF_Q,
    MATHS,
    SINH_TERMS,
    TANH_CLAMP,
    TANH_P,
    TANH_Q,
    polynomial,
    rational,
)  # fmt: skip
from npusim.ops.operator import operator

RATIONAL = Chain(scratch=2)
COSH = Chain(scratch=1)
SINH = Chain(scratch=3, in_place=False)
LN2 = math.log(2.0)
SERIES_LIMIT = MATHS["sinh"]["limit"]


@asc.jit
def tanh_chain(z, x, scratch, count, values):
    rational(z, x, TANH_P, TANH_Q, TANH_CLAMP, scratch, count)


@asc.jit
def erf_chain(z, x, scratch, count, values):
    rational(z, x, ERF_P, ERF_Q, ERF_CLAMP, scratch, count)


@asc.jit
def half_exponentials(up, down, x, count):
    """up = e^x / 2, down = e^-x / 2; up may be x."""
    asc.muls(down, x, -1.0, count)
    asc.adds(up, x, -LN2, count)
    asc.adds(down, down, -LN2, count)
    asc.exp(up, up, count)
    asc.exp(down, down, count)


@asc.jit
def cosh_chain(z, x, scratch, count, values):
    half_exponentials(z, scratch[0], x, count)
    asc.add(z, z, scratch[0], count)


@asc.jit
def sinh_chain(z, x, scratch, count, values):
    square, series, bits = scratch[0], scratch[1], scratch[2]
    half_exponentials(z, square, x, count)
    asc.sub(z, z, square, count)
    asc.mul(square, x, x, count)
    mask = bits.reinterpret_cast(asc.uint8)
    mark_scalar(mask, square, SERIES_LIMIT, asc.CMPMODE.LT, count)
    polynomial(series, square, SINH_TERMS, count)
    asc.mul(series, series, x, count)
    pick(z, mask, series, z, count)


tanh_kernel = one_source("tanh", tanh_chain)
erf_kernel = one_source("erf", erf_chain)
cosh_kernel = one_source("cosh", cosh_chain)
sinh_kernel = one_source("sinh", sinh_chain)


@operator("tanh", plain=tanh_kernel)
def tanh(x: Any) -> Result:
    """Hyperbolic tangent; half, bfloat16, float32."""
    return run_map("tanh", tanh_kernel, RATIONAL, {"x": x})


@operator("erf", plain=erf_kernel)
def erf(x: Any) -> Result:
    """Error function; half, bfloat16, float32."""
    return run_map("erf", erf_kernel, RATIONAL, {"x": x})


@operator("cosh", plain=cosh_kernel)
def cosh(x: Any) -> Result:
    """Hyperbolic cosine; half, bfloat16, float32."""
    return run_map("cosh", cosh_kernel, COSH, {"x": x})


@operator("sinh", plain=sinh_kernel)
def sinh(x: Any) -> Result:
    """Hyperbolic sine; half, bfloat16, float32."""
    return run_map("sinh", sinh_kernel, SINH, {"x": x})
