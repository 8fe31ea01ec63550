"""Functions of one array that are one or two instructions: abs, neg, square, roots.

rsqrt and reciprocal divide: the instructions of these names are fast seeds whose error
fails 1e-3. Integers wrap around, so the absolute value of the smallest is itself.
"""

from __future__ import annotations

from typing import Any

from npusim import asc
from npusim.ops.kernels import one_source
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.maths import ones
from npusim.ops.operator import operator

INTEGERS = ("int32", "int16")
NATIVE = Chain(native=("float32", "half"), widened=("bfloat16",))
WITH_INTEGERS = Chain(native=(*NATIVE.native, *INTEGERS), widened=("bfloat16",))
WHOLE = Chain(native=INTEGERS, widened=(), in_place=False)
DIVIDES = Chain(native=("float32", "half"), widened=("bfloat16",), scratch=1)
WIDE_DIVIDES = Chain(scratch=1)


@asc.jit
def abs_chain(z, x, scratch, count, values):
    asc.abs(z, x, count)


@asc.jit
def abs_whole_chain(z, x, scratch, count, values):
    """max(x, -x): the instruction abs takes floats only; z is not x"""
    asc.muls(z, x, -1, count)
    asc.max(z, z, x, count)


@asc.jit
def neg_chain(z, x, scratch, count, values):
    asc.muls(z, x, -1, count)


@asc.jit
def square_chain(z, x, scratch, count, values):
    asc.mul(z, x, x, count)


@asc.jit
def sqrt_chain(z, x, scratch, count, values):
    asc.sqrt(z, x, count)


@asc.jit
def rsqrt_chain(z, x, scratch, count, values):
    """1 / √x; the first scratch tile holds 1"""
    asc.sqrt(z, x, count)
    asc.div(z, scratch[0], z, count)


@asc.jit
def reciprocal_chain(z, x, scratch, count, values):
    """1 / x; the first scratch tile holds 1"""
    asc.div(z, scratch[0], x, count)


abs_kernel = one_source("abs", abs_chain)
abs_whole_kernel = one_source("abs_whole", abs_whole_chain)
neg_kernel = one_source("neg", neg_chain)
square_kernel = one_source("square", square_chain)
sqrt_kernel = one_source("sqrt", sqrt_chain)
rsqrt_kernel = one_source("rsqrt", rsqrt_chain, ones)
reciprocal_kernel = one_source("reciprocal", reciprocal_chain, ones)


@operator("abs", floats=abs_kernel, integers=abs_whole_kernel)
def abs(x: Any) -> Result:  # noqa: A001
    """|x|; half, bfloat16, float32, int32, int16."""
    if str(getattr(x, "dtype", "")) in INTEGERS:
        return run_map("abs", abs_whole_kernel, WHOLE, {"x": x})
    return run_map("abs", abs_kernel, NATIVE, {"x": x}, also=INTEGERS)


@operator("neg", plain=neg_kernel)
def neg(x: Any) -> Result:
    """-x; half, bfloat16, float32, int32, int16."""
    return run_map("neg", neg_kernel, WITH_INTEGERS, {"x": x})


@operator("square", plain=square_kernel)
def square(x: Any) -> Result:
    """x * x; half, bfloat16, float32, int32, int16."""
    return run_map("square", square_kernel, WITH_INTEGERS, {"x": x})


@operator("sqrt", plain=sqrt_kernel)
def sqrt(x: Any) -> Result:
    """√x, NaN below 0; half, bfloat16, float32."""
    return run_map("sqrt", sqrt_kernel, NATIVE, {"x": x})


@operator("rsqrt", plain=rsqrt_kernel)
def rsqrt(x: Any) -> Result:
    """1 / √x, Inf at 0, NaN below; half, bfloat16, float32."""
    return run_map("rsqrt", rsqrt_kernel, WIDE_DIVIDES, {"x": x})


@operator("reciprocal", plain=reciprocal_kernel)
def reciprocal(x: Any) -> Result:
    """1 / x, ±Inf at ±0; half, bfloat16, float32."""
    return run_map("reciprocal", reciprocal_kernel, DIVIDES, {"x": x})
