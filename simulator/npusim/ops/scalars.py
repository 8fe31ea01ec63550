"""An array and numbers: adds, muls, clip_by_value, relu, leaky_relu.

adds and muls compute half in float32, so that a number which half rounds keeps its
digits. Integer arrays take whole numbers of their range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.lang.types import dtype_of
from npusim.ops.checks import bad_value, number
from npusim.ops.kernels import one_source, one_source_whole
from npusim.ops.mapping import Chain, Result, run_map
from npusim.ops.operator import operator

INTEGERS = ("int32", "int16")
WIDE = Chain()
WHOLE = Chain(native=INTEGERS, widened=())
NATIVE = Chain(native=("float32", "half"), widened=("bfloat16",))


@asc.jit
def adds_chain(z, x, scratch, count, values):
    asc.adds(z, x, values[0], count)


@asc.jit
def muls_chain(z, x, scratch, count, values):
    asc.muls(z, x, values[0], count)


@asc.jit
def clip_chain(z, x, scratch, count, values):
    """min(max(x, values[0]), values[1])"""
    asc.maxs(z, x, values[0], count)
    asc.mins(z, z, values[1], count)


@asc.jit
def relu_chain(z, x, scratch, count, values):
    asc.relu(z, x, count)


@asc.jit
def relu_whole_chain(z, x, scratch, count, values):
    """max(x, 0): the instruction relu does not take int16"""
    asc.maxs(z, x, 0, count)


@asc.jit
def leaky_relu_chain(z, x, scratch, count, values):
    asc.leaky_relu(z, x, values[0], count)


adds_kernel = one_source("adds", adds_chain)
muls_kernel = one_source("muls", muls_chain)
clip_kernel = one_source("clip", clip_chain)
adds_whole_kernel = one_source_whole("adds_whole", adds_chain)
muls_whole_kernel = one_source_whole("muls_whole", muls_chain)
clip_whole_kernel = one_source_whole("clip_whole", clip_chain)
relu_kernel = one_source("relu", relu_chain)
relu_whole_kernel = one_source_whole("relu_whole", relu_whole_chain)
leaky_relu_kernel = one_source("leaky_relu", leaky_relu_chain)


def is_whole(x: Any) -> bool:
    """Whether x is an array of a dtype that the integer kernels take."""
    known = dtype_of(x.dtype) if isinstance(x, np.ndarray) else None
    return known is not None and known.name in INTEGERS


def whole(operator: str, name: str, value: Any, dtype: np.dtype) -> int:
    """A scalar for an integer array; ASC-OPS-03 unless whole and in its range."""
    found = number(operator, name, value)
    limits = np.iinfo(dtype)
    if not (found.is_integer() and limits.min <= found <= limits.max):
        allowed = f"{limits.min} … {limits.max}"
        raise bad_value(operator, name, value, allowed)
    return int(value)


@operator("adds", floats=adds_kernel, integers=adds_whole_kernel)
def adds(x: Any, value: float) -> Result:
    """x + value; half, bfloat16, float32, int32, int16."""
    if is_whole(x):
        value = whole("adds", "value", value, x.dtype)
        return run_map("adds", adds_whole_kernel, WHOLE, {"x": x}, value)
    value = number("adds", "value", value)
    return run_map("adds", adds_kernel, WIDE, {"x": x}, value, also=INTEGERS)


@operator("muls", floats=muls_kernel, integers=muls_whole_kernel)
def muls(x: Any, value: float) -> Result:
    """x * value; half, bfloat16, float32, int32, int16."""
    if is_whole(x):
        value = whole("muls", "value", value, x.dtype)
        return run_map("muls", muls_whole_kernel, WHOLE, {"x": x}, value)
    value = number("muls", "value", value)
    return run_map("muls", muls_kernel, WIDE, {"x": x}, value, also=INTEGERS)


@operator("clip_by_value", floats=clip_kernel, integers=clip_whole_kernel)
def clip_by_value(x: Any, low: float, high: float) -> Result:
    """min(max(x, low), high), so `high` where low > high; NaN stays NaN.

    half, bfloat16, float32, int32, int16.
    """
    name = "clip_by_value"
    if is_whole(x):
        ends = [whole(name, word, v, x.dtype) for word, v in _ends(low, high)]
        return run_map(name, clip_whole_kernel, WHOLE, {"x": x}, *ends)
    values = [number(name, word, v) for word, v in _ends(low, high)]
    return run_map(name, clip_kernel, NATIVE, {"x": x}, *values, also=INTEGERS)


def _ends(low: Any, high: Any) -> tuple[tuple[str, Any], ...]:
    return ("low", low), ("high", high)


@operator("relu", floats=relu_kernel, integers=relu_whole_kernel)
def relu(x: Any) -> Result:
    """max(x, 0); half, bfloat16, float32, int32, int16."""
    if is_whole(x):
        return run_map("relu", relu_whole_kernel, WHOLE, {"x": x})
    return run_map("relu", relu_kernel, NATIVE, {"x": x}, also=INTEGERS)


@operator("leaky_relu", plain=leaky_relu_kernel)
def leaky_relu(x: Any, negative_slope: float = 0.01) -> Result:
    """x where x ≥ 0, else negative_slope * x; half, bfloat16, float32."""
    slope = number("leaky_relu", "negative_slope", negative_slope)
    return run_map("leaky_relu", leaky_relu_kernel, WIDE, {"x": x}, slope)
