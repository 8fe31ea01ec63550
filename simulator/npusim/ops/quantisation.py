"""Quantisation with one scale for all elements, and back.

Elements are scaled in float32, clamped, rounded to nearest even as int16 and carried to
int8 through half, which is exact; a direct step from float32 to half would round twice.
A NaN becomes 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npusim import asc
from npusim.lang.types import DTYPES
from npusim.ops.checks import FLOATS, array_dtype, device_dtype, number, refuse
from npusim.ops.frames import load, narrow, store, widen
from npusim.ops.mapping import WIDE_NBYTES, Result
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.tiling import Layout, Tiles, split

QUANTISED = ("int8", "int32")
LOWEST, HIGHEST = -128.0, 127.0


@asc.jit
def to_bytes(z, x, count):
    """Round float32 within -128 … 127 to int8; x is overwritten."""
    whole = x.reinterpret_cast(asc.int16)
    short = x.reinterpret_cast(asc.half)
    asc.cast(whole, x, asc.RoundMode.CAST_RINT, count)
    asc.cast(short, whole, asc.RoundMode.CAST_NONE, count)
    asc.cast(z, short, asc.RoundMode.CAST_NONE, count)


@asc.jit
def as_float32(room, x, count):
    """x in float32, in `room`; a copy where it is float32 already."""
    if x.dtype == asc.float32:
        asc.adds(room, x, 0.0, count)
    else:
        widen(room, x, count)


@asc.jit
def quantise_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: Tiles, scale: float, offset: float
):
    """z = int8(x * scale + offset), tile by tile."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile)
    pipe.init_buffer(work, t.work)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gz.set_global_buffer(z, t.n)
    w = work.get(asc.float32)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive, gx, at, count)
        a = arrive.deque(x.dtype)
        c = leave.alloc_tensor(asc.int8)
        if x.dtype == asc.float32:
            asc.muls(w, a, scale, count)
        else:
            widen(w, a, count)
            asc.muls(w, w, scale, count)
        arrive.free_tensor(a)
        asc.adds(w, w, offset, count)
        asc.maxs(w, w, LOWEST, count)
        asc.mins(w, w, HIGHEST, count)
        to_bytes(c, w, count)
        leave.enque(c)
        store(leave, gz, at, count)


@asc.jit
def dequantise_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: Tiles, scale: float, offset: float
):
    """z = (x - offset) * scale, tile by tile."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile * z.dtype.sizeof())
    pipe.init_buffer(work, t.work)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gz.set_global_buffer(z, t.n)
    w = work.get(asc.float32)
    short = w[t.tile :].reinterpret_cast(asc.half)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive, gx, at, count)
        a = arrive.deque(x.dtype)
        c = leave.alloc_tensor(z.dtype)
        if x.dtype == asc.int8:
            asc.cast(short, a, asc.RoundMode.CAST_NONE, count)
            widen(w, short, count)
        else:
            asc.cast(w, a, asc.RoundMode.CAST_RINT, count)
        arrive.free_tensor(a)
        asc.adds(w, w, -offset, count)
        if z.dtype == asc.float32:
            asc.muls(c, w, scale, count)
        else:
            asc.muls(w, w, scale, count)
            narrow(c, w, count)
        leave.enque(c)
        store(leave, gz, at, count)


def _scale(operator: str, value: Any) -> float:
    found = number(operator, "scale", value)
    if not math.isfinite(found):
        facts = {"name": "scale", "value": repr(value), "reason": "finite"}
        raise refuse("ASC-OPS-03", operator=operator, **facts)
    return found


@operator("quantize", per_tensor=quantise_kernel)
def quantize(x: Any, scale: float, offset: float = 0.0) -> Result:
    """round(x * scale + offset) as int8, clamped; half, bfloat16, float32."""
    source = array_dtype("quantize", "x", x, FLOATS)
    values = _scale("quantize", scale), number("quantize", "offset", offset)
    result = np.empty(x.shape, np.int8)
    if not x.size:
        return result, ()
    layout = Layout((source.itemsize, 1), WIDE_NBYTES, widest=WIDE_NBYTES)
    plan = split(x.size, layout, chip_in_force())
    return result, (quantise_kernel[plan.blocks](x, result, plan.tiles, *values),)


@operator("dequantize", per_tensor=dequantise_kernel)
def dequantize(
    x: Any, scale: float, offset: float = 0.0, dtype: Any = "float32"
) -> Result:
    """(x - offset) * scale of int8 or int32 as half, bfloat16 or float32."""
    source = array_dtype("dequantize", "x", x, QUANTISED)
    target = device_dtype("dequantize", "dtype", dtype, FLOATS)
    values = _scale("dequantize", scale), number("dequantize", "offset", offset)
    result = np.empty(x.shape, DTYPES[target.name].numpy)
    if not x.size:
        return result, ()
    sizes = source.itemsize, target.itemsize
    layout = Layout(sizes, WIDE_NBYTES + 2, widest=WIDE_NBYTES)
    plan = split(x.size, layout, chip_in_force())
    return result, (dequantise_kernel[plan.blocks](x, result, plan.tiles, *values),)
