"""Approximations that chains share, as helpers of vector instructions in float32.

Each helper works on one tile and may overwrite its source only where it says so.
Coefficients and their sources: `maths.toml`.
"""

from __future__ import annotations

import tomllib
from importlib import resources

from npusim import asc

_TEXT = (resources.files(__package__) / "maths.toml").read_text("utf-8")
MATHS = tomllib.loads(_TEXT)

ERF_P, ERF_Q = tuple(MATHS["erf"]["numerator"]), tuple(MATHS["erf"]["denominator"])
TANH_P, TANH_Q = tuple(MATHS["tanh"]["numerator"]), tuple(MATHS["tanh"]["denominator"])
ERF_CLAMP, TANH_CLAMP = MATHS["erf"]["clamp"], MATHS["tanh"]["clamp"]
ERFC_P = tuple(MATHS["erfc"]["exponent"])
LOG1P_TERMS = tuple(MATHS["log1p"]["terms"])
SINH_TERMS = tuple(MATHS["sinh"]["terms"])
INV_SQRT2 = 0.5**0.5


@asc.jit
def ones(scratch, tile, values):
    """Setup: the first scratch tile holds 1."""
    asc.duplicate(scratch[0], 1.0, tile)


@asc.jit
def polynomial(z, x, terms, count):
    """z = terms[0] + terms[1] * x + …, by Horner's rule; z is not x."""
    last = len(terms) - 1
    asc.muls(z, x, terms[last], count)
    for i in asc.static_range(last - 1, 0, -1):
        asc.adds(z, z, terms[i], count)
        asc.mul(z, z, x, count)
    asc.adds(z, z, terms[0], count)


@asc.jit
def rational(z, x, p, q, clamp, scratch, count):
    """z = x * p(x²) / q(x²) for x within ±clamp; z may be x. Three scratch tiles."""
    square, over = scratch[0], scratch[1]
    asc.mins(z, x, clamp, count)
    asc.maxs(z, z, -clamp, count)
    asc.mul(square, z, z, count)
    polynomial(over, square, p, count)
    asc.mul(z, z, over, count)
    polynomial(over, square, q, count)
    asc.div(z, z, over, count)


@asc.jit
def log1p_exp(z, x, scratch, count):
    """z = ln(1 + exp(-|x|)) to full relative accuracy; z is not x. Two scratch tiles.

    With u = exp(-|x|) and s = u / (2 + u) it is 2 artanh(s), a short series.
    """
    s, square = scratch[0], scratch[1]
    asc.abs(s, x, count)
    asc.muls(s, s, -1.0, count)
    asc.exp(s, s, count)
    asc.adds(z, s, 2.0, count)
    asc.div(s, s, z, count)
    asc.mul(square, s, s, count)
    polynomial(z, square, LOG1P_TERMS, count)
    asc.mul(z, z, s, count)


@asc.jit
def half_erfc(z, x, scratch, count):
    """z = erfc(x / √2) / 2 for x ≥ 0, relative error 1e-6; z is not x.

    The first scratch tile holds 1, the second is free.
    """
    t = scratch[1]
    asc.muls(t, x, 0.5 * INV_SQRT2, count)
    asc.adds(t, t, 1.0, count)
    asc.div(t, scratch[0], t, count)
    polynomial(z, t, ERFC_P, count)
    asc.muls(t, t, 0.5, count)
    asc.exp(z, z, count)
    asc.mul(z, z, t, count)
    asc.mul(t, x, x, count)
    asc.muls(t, t, -0.5, count)
    asc.exp(t, t, count)
    asc.mul(z, z, t, count)
