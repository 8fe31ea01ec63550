"""swiglu: silu(gate) * up, of two arrays or of the two halves of the last axis.

The halves of a row lie next to each other in GM; strided copies bring a strip of each
to UB, so nothing is split beforehand. Computed in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.ops.broadcast import DATA_BLOCK_NBYTES, load_rows, store_rows
from npusim.ops.checks import array_dtype, bad_shapes
from npusim.ops.frames import narrow, widen
from npusim.ops.kernels import two_sources
from npusim.ops.mapping import WIDE_NBYTES, Chain, Result, run_map
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.row_tiling import RowTiles, split_rows
from npusim.ops.tiling import SLOTS

SWIGLU = Chain(in_place=False)
WIDE_TILES = 3  # gate, up and result in float32


@asc.jit
def swiglu_chain(z, x, y, scratch, count, values):
    """x / (1 + exp(-x)) * y"""
    asc.muls(z, x, -1.0, count)
    asc.exp(z, z, count)
    asc.adds(z, z, 1.0, count)
    asc.div(z, x, z, count)
    asc.mul(z, z, y, count)


@asc.jit
def swiglu_halves_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles, wide: asc.constexpr = False
):
    """z[r, j] = silu(x[r, j]) * x[r, columns + j]."""
    pipe = asc.TPipe()
    arrive_gate = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_up = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    size = x.dtype.sizeof()
    pipe.init_buffer(arrive_gate, 2, t.tile * size)
    pipe.init_buffer(arrive_up, 2, t.tile * size)
    pipe.init_buffer(leave, 2, t.tile * size)
    pipe.init_buffer(work, t.tile * WIDE_TILES * WIDE_NBYTES if wide else 32)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, 2 * t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    w = work.get(asc.float32)
    first = asc.get_block_idx() // t.column_parts * t.row_share
    last = min(first + t.row_share, t.rows)
    left = asc.get_block_idx() % t.column_parts * t.column_share
    right = min(left + t.column_share, t.columns)
    for at in range(left, right, t.tile_columns):
        width = min(t.tile_columns, right - at)
        pitch = width + -width % (DATA_BLOCK_NBYTES // size)
        for i in range(first, last, t.tile_rows):
            height = min(t.tile_rows, last - i)
            place = 2 * i * t.columns + at
            load_rows(arrive_gate, gx, place, height, width, 2 * t.columns)
            load_rows(arrive_up, gx, place + t.columns, height, width, 2 * t.columns)
            one_tile(arrive_gate, arrive_up, leave, x, w, height * pitch, t.tile, wide)
            store_rows(leave, gz, i * t.columns + at, height, width, t.columns)


@asc.jit
def one_tile(arrive_gate, arrive_up, leave, x, w, count, tile, wide):
    """Take a tile from each queue, compute, give the result to the third."""
    a, b = arrive_gate.deque(x.dtype), arrive_up.deque(x.dtype)
    c = leave.alloc_tensor(x.dtype)
    if wide:
        gate, up, result = w, w[tile:], w[2 * tile :]
        widen(gate, a, count)
        widen(up, b, count)
        swiglu_chain(result, gate, up, (), count, ())
        narrow(c, result, count)
    else:
        swiglu_chain(c, a, b, (), count, ())
    arrive_gate.free_tensor(a)
    arrive_up.free_tensor(b)
    leave.enque(c)


swiglu_kernel = two_sources("swiglu", swiglu_chain)


@operator("swiglu", two_arrays=swiglu_kernel, halves=swiglu_halves_kernel)
def swiglu(gate: Any, up: Any = None) -> Result:
    """silu(gate) * up; half, bfloat16, float32.

    Without `up` the last axis of `gate` holds both: its first half, then its second.
    """
    if up is not None:
        return run_map("swiglu", swiglu_kernel, SWIGLU, {"gate": gate, "up": up})
    dtype = array_dtype("swiglu", "gate", gate, SWIGLU.dtypes)
    if not gate.ndim or gate.shape[-1] % 2:
        raise bad_shapes("swiglu", "gate.shape[-1] % 2 == 0", gate=gate)
    columns = gate.shape[-1] // 2
    result = np.empty((*gate.shape[:-1], columns), gate.dtype)
    if not result.size:
        return result, ()
    wide = dtype.name in SWIGLU.widened
    work = WIDE_TILES * WIDE_NBYTES * wide
    size, chip = dtype.itemsize, chip_in_force()
    queue = SLOTS * size  # of the second input
    plan = split_rows(result.size // columns, columns, size, work + queue, chip)
    return result, (swiglu_halves_kernel[plan.blocks](gate, result, plan.tiles, wide),)
