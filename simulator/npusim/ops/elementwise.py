"""Arithmetic of two arrays of one shape: add, sub, mul, div, maximum, minimum.

float32, half, int32 and int16 as the vector unit has them; bfloat16 is cast to float32
and back. Integers wrap around as on the device; maximum and minimum pass NaN on.
"""

from __future__ import annotations

from typing import Any

from npusim import asc
from npusim.ops.kernels import two_sources
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.operator import operator

ARITHMETIC = Chain(native=("float32", "half", "int32", "int16"), widened=("bfloat16",))
DIVISION = Chain(native=("float32", "half"), widened=("bfloat16",))


@asc.jit
def add_chain(z, x, y, scratch, count, values):
    asc.add(z, x, y, count)


@asc.jit
def sub_chain(z, x, y, scratch, count, values):
    asc.sub(z, x, y, count)


@asc.jit
def mul_chain(z, x, y, scratch, count, values):
    asc.mul(z, x, y, count)


@asc.jit
def div_chain(z, x, y, scratch, count, values):
    asc.div(z, x, y, count)


@asc.jit
def maximum_chain(z, x, y, scratch, count, values):
    asc.max(z, x, y, count)


@asc.jit
def minimum_chain(z, x, y, scratch, count, values):
    asc.min(z, x, y, count)


add_kernel = two_sources("add", add_chain)
sub_kernel = two_sources("sub", sub_chain)
mul_kernel = two_sources("mul", mul_chain)
div_kernel = two_sources("div", div_chain)
maximum_kernel = two_sources("maximum", maximum_chain)
minimum_kernel = two_sources("minimum", minimum_chain)


@operator("add", same_shape=add_kernel)
def add(x: Any, y: Any) -> Result:
    """x + y; half, bfloat16, float32, int32, int16."""
    return run_map("add", add_kernel, ARITHMETIC, {"x": x, "y": y})


@operator("sub", same_shape=sub_kernel)
def sub(x: Any, y: Any) -> Result:
    """x - y; half, bfloat16, float32, int32, int16."""
    return run_map("sub", sub_kernel, ARITHMETIC, {"x": x, "y": y})


@operator("mul", same_shape=mul_kernel)
def mul(x: Any, y: Any) -> Result:
    """x * y; half, bfloat16, float32, int32, int16."""
    return run_map("mul", mul_kernel, ARITHMETIC, {"x": x, "y": y})


@operator("div", same_shape=div_kernel)
def div(x: Any, y: Any) -> Result:
    """x / y; half, bfloat16, float32."""
    return run_map("div", div_kernel, DIVISION, {"x": x, "y": y})


@operator("maximum", same_shape=maximum_kernel)
def maximum(x: Any, y: Any) -> Result:
    """The larger of x and y, NaN if one is; half, bfloat16, float32, int32, int16."""
    return run_map("maximum", maximum_kernel, ARITHMETIC, {"x": x, "y": y})


@operator("minimum", same_shape=minimum_kernel)
def minimum(x: Any, y: Any) -> Result:
    """The smaller of x and y, NaN if one is; half, bfloat16, float32, int32, int16."""
    return run_map("minimum", minimum_kernel, ARITHMETIC, {"x": x, "y": y})
