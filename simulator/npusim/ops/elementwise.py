"""Arithmetic of two arrays: add, sub, mul, div, maximum, minimum.

float32, half, int32 and int16 as the vector unit has them; bfloat16 is cast to float32
and back. Integers wrap around as on the device; maximum and minimum pass NaN on. One
operand may be a row of the other (its shape is the end of the other's), a column (the
beginning, then ones) or one element.
"""

from __future__ import annotations

from typing import Any

from npusim import asc
from npusim.launch.kernel import Kernel
from npusim.ops.binary import BinaryKernels, run_binary
from npusim.ops.broadcast import over_element, over_rows
from npusim.ops.broadcast_columns import over_columns
from npusim.ops.kernels import two_sources
from npusim.ops.mapping import Chain, Result
from npusim.ops.operator import operator
from npusim.ops.wide_integers import add_int64_kernel, sub_int64_kernel

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


def kernels(name: str, chain: Kernel) -> BinaryKernels:
    """The kernels of one operator, by the shapes that they take."""
    return {
        "same_shape": two_sources(name, chain),
        "row": over_rows(f"{name}_row", chain),
        "row_first": over_rows(f"{name}_row_first", chain, row_first=True),
        "column": over_columns(f"{name}_column", chain),
        "column_first": over_columns(f"{name}_column_first", chain, True),
        "element": over_element(f"{name}_element", chain),
        "element_first": over_element(f"{name}_element_first", chain, True),
    }


ADD = kernels("add", add_chain) | {"int64": add_int64_kernel}
SUB = kernels("sub", sub_chain) | {"int64": sub_int64_kernel}
MUL, DIV = kernels("mul", mul_chain), kernels("div", div_chain)
MAXIMUM = kernels("maximum", maximum_chain)
MINIMUM = kernels("minimum", minimum_chain)


@operator("add", **ADD)
def add(x: Any, y: Any) -> Result:
    """x + y; half, bfloat16, float32, int32, int16.

    One may be a row, a column or one element of the other. int64 of one shape too.
    """
    return run_binary("add", ADD, ARITHMETIC, x, y)


@operator("sub", **SUB)
def sub(x: Any, y: Any) -> Result:
    """x - y; half, bfloat16, float32, int32, int16.

    One may be a row, a column or one element of the other. int64 of one shape too.
    """
    return run_binary("sub", SUB, ARITHMETIC, x, y)


@operator("mul", **MUL)
def mul(x: Any, y: Any) -> Result:
    """x * y; dtypes and shapes as in add, without int64."""
    return run_binary("mul", MUL, ARITHMETIC, x, y)


@operator("div", **DIV)
def div(x: Any, y: Any) -> Result:
    """x / y; half, bfloat16, float32; shapes as in add."""
    return run_binary("div", DIV, DIVISION, x, y)


@operator("maximum", **MAXIMUM)
def maximum(x: Any, y: Any) -> Result:
    """The larger of x and y, NaN if one is; as mul."""
    return run_binary("maximum", MAXIMUM, ARITHMETIC, x, y)


@operator("minimum", **MINIMUM)
def minimum(x: Any, y: Any) -> Result:
    """The smaller of x and y, NaN if one is; as mul."""
    return run_binary("minimum", MINIMUM, ARITHMETIC, x, y)
