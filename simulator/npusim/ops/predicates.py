"""isnan: 1 where an element is unequal to itself, as uint8.

bfloat16 is compared in float32, which keeps a NaN a NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.ops.checks import FLOATS, array_dtype
from npusim.ops.comparison import (
    COMPARED,
    FLAG_NBYTES,
    as_compared,
    give_flags,
    make_buffers,
)
from npusim.ops.frames import load, store
from npusim.ops.mapping import Result
from npusim.ops.marks import mark_two
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.tiling import Layout, Tiles, split


@asc.jit
def isnan_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, t: Tiles):
    """z = 1 where x is NaN, else 0."""
    dtype = asc.half if x.dtype == asc.half else asc.float32
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work, flags, marks = make_buffers(pipe, t, dtype.sizeof())  # type: ignore[attr-defined]
    pipe.init_buffer(arrive, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gz.set_global_buffer(z, t.n)
    flag, w, bits = flags.get(asc.half), work.get(dtype), marks.get(asc.uint8)
    asc.duplicate(flag, 1.0, t.tile)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive, gx, at, count)
        a = arrive.deque(x.dtype)
        same = as_compared(a, w, dtype, count)
        mark_two(bits, same, same, asc.CMPMODE.NE, count)
        arrive.free_tensor(a)
        give_flags(leave, flag, bits, False, t.tile, count)
        store(leave, gz, at, count)


@operator("isnan", plain=isnan_kernel)
def isnan(x: Any) -> Result:
    """1 where x is NaN, else 0, as uint8; half, bfloat16, float32."""
    found = array_dtype("isnan", "x", x, FLOATS)
    result = np.empty(x.shape, np.uint8)
    if not x.size:
        return result, ()
    work = COMPARED[found.name].sizeof() + FLAG_NBYTES
    plan = split(x.size, Layout((found.itemsize, 1), work), chip_in_force())
    return result, (isnan_kernel[plan.blocks](x, result, plan.tiles),)
