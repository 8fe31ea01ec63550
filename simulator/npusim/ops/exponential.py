"""exp with base, scale and shift; ln.

half and bfloat16 are cast to float32 and back: a product rounded to half in the
exponent would cost all digits of the result.
"""

from __future__ import annotations

import math
from typing import Any

from npusim import asc
from npusim.ops.checks import bad_value, number
from npusim.ops.kernels import one_source
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.operator import operator

WIDENED = Chain()


@asc.jit
def exp_chain(z, x, scratch, count, values):
    asc.exp(z, x, count)


@asc.jit
def power_chain(z, x, scratch, count, values):
    """exp(x * values[0] + values[1])"""
    asc.muls(z, x, values[0], count)
    asc.adds(z, z, values[1], count)
    asc.exp(z, z, count)


@asc.jit
def ln_chain(z, x, scratch, count, values):
    asc.ln(z, x, count)


exp_kernel = one_source("exp", exp_chain)
power_kernel = one_source("exp_affine", power_chain)
ln_kernel = one_source("ln", ln_chain)


@operator("exp", plain=exp_kernel, affine=power_kernel)
def exp(x: Any, base: float = -1.0, scale: float = 1.0, shift: float = 0.0) -> Result:
    """base ** (scale * x + shift), base -1 means e; half, bfloat16, float32."""
    base = number("exp", "base", base)
    if base != -1.0 and not 0.0 < base < math.inf:
        raise bad_value("exp", "base", base, "-1 (e), > 0")
    log = 1.0 if base == -1.0 else math.log(base)
    slope = number("exp", "scale", scale) * log
    offset = number("exp", "shift", shift) * log
    if (slope, offset) == (1.0, 0.0):
        return run_map("exp", exp_kernel, WIDENED, {"x": x})
    return run_map("exp", power_kernel, WIDENED, {"x": x}, slope, offset)


@operator("ln", plain=ln_kernel)
def ln(x: Any) -> Result:
    """The natural logarithm; -Inf at 0, NaN below. half, bfloat16, float32."""
    return run_map("ln", ln_kernel, WIDENED, {"x": x})
