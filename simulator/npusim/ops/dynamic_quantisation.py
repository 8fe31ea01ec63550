"""Dynamic quantisation: each row (token) of the last axis gets a scale of its own.

scale = max |row| / 127, y = round(row / scale) as int8. A tile holds several rows;
their largest elements are found one row an instruction, the scalar unit reads them in
one round trip a tile. A row too long for UB is read twice, strip by strip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim import asc
from npusim.chip import Chip
from npusim.ops.broadcast import load_rows, store_rows
from npusim.ops.checks import FLOATS, array_dtype, bad_shapes
from npusim.ops.frames import load, store
from npusim.ops.mapping import WIDE_NBYTES
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.quantisation import HIGHEST, LOWEST, as_float32, to_bytes
from npusim.ops.tiling import GRAIN, NUMBERS, SLOTS, round_up

PITCH_NBYTES = 32  # one int8 row ends on a data block, so every dtype's does
LEAST = 1e-30  # below any useful row: keeps 127 / max finite where a row is all 0
MAX_ROWS = 255  # repeats of one instruction
LANES = 8  # float32 of one data block
ROW_WORK = 4 * WIDE_NBYTES  # float32, |x|, work of the reduction; rounded up


@asc.tiling
class TokenTiles:
    """What the kernels are told; counts in elements.

    `pitch`: elements of a row in UB; `strip`: of a part of a row that is too long.
    """

    rows: int
    columns: int
    row_share: int
    tile_rows: int
    pitch: int
    strip: int


@asc.jit
def largest(into, x, room, count):
    """into[0] = max |x|; `room` holds |x| and the work of the reduction."""
    asc.abs(room, x, count)
    asc.reduce_max(into, room, room[(count + 63) // 64 * 64 :], count)


@asc.jit
def factors(scale, factor, most, rows):
    """scale = most / 127, factor = 127 / most: one element a data block, `rows`."""
    step = asc.UnaryRepeatParams(1, 1, 1, 1)
    asc.muls(scale, most, 1.0 / HIGHEST, 1, rows, step)
    asc.maxs(most, most, LEAST, 1, rows, step)
    asc.duplicate(factor, HIGHEST, 1, rows, 1, 1)
    asc.div(factor, factor, most, 1, rows, asc.BinaryRepeatParams(1, 1, 1, 1, 1, 1))


@asc.jit
def scaled_bytes(z, x, factor, count):
    """z = int8(x * factor); x is overwritten."""
    asc.muls(x, x, factor, count)
    asc.maxs(x, x, LOWEST, count)
    asc.mins(x, x, HIGHEST, count)
    to_bytes(z, x, count)


@asc.jit
def dynamic_quantize_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, s: asc.GlobalAddress, t: TokenTiles
):
    """Several rows a tile."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    scales = asc.TQue(asc.TPosition.VECOUT, 2)
    wide, room, stats = (
        asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC),
        asc.TBuf(asc.TPosition.VECCALC),
    )  # fmt: skip
    tile = t.tile_rows * t.pitch
    pipe.init_buffer(arrive, 2, tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, tile)
    pipe.init_buffer(scales, 2, t.tile_rows * 32)
    pipe.init_buffer(wide, tile * 4)
    pipe.init_buffer(room, t.pitch * 8 + 512)
    pipe.init_buffer(stats, t.tile_rows * 64)
    gx, gy, gs = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gy.set_global_buffer(y, t.rows * t.columns)
    gs.set_global_buffer(s, t.rows)
    w, v, most = wide.get(asc.float32), room.get(asc.float32), stats.get(asc.float32)
    factor = most[t.tile_rows * LANES :]
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    for i in range(first, last, t.tile_rows):
        rows = min(t.tile_rows, last - i)
        take_rows(arrive, gx, w, i, rows, t)
        scale = scales.alloc_tensor(asc.float32)
        for r in range(rows):
            largest(most[r * LANES :], w[r * t.pitch :], v, t.columns)
        factors(scale, factor, most, rows)
        scales.enque(scale)
        store_scales(scales, gs, i, rows)
        give_rows(leave, gy, w, factor, i, rows, t)


@asc.jit
def take_rows(arrive, gx, w, i, rows, t):
    """Load rows and spread them over w in float32, a pitch apart."""
    load_rows(arrive, gx, i * t.columns, rows, t.columns, t.columns)
    a = arrive.deque(gx.dtype)
    grain = 32 // gx.dtype.sizeof()
    pitch = (t.columns + grain - 1) // grain * grain
    if pitch == t.pitch:
        as_float32(w, a, rows * pitch)
    else:
        for r in range(rows):
            as_float32(w[r * t.pitch :], a[r * pitch :], t.columns)
    arrive.free_tensor(a)


@asc.jit
def give_rows(leave, gy, w, factor, i, rows, t):
    """Read the factors, quantise row by row, store."""
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)
    c = leave.alloc_tensor(asc.int8)
    for r in range(rows):
        number = factor.get_value(r * LANES)
        scaled_bytes(c[r * t.pitch :], w[r * t.pitch :], number, t.columns)
    leave.enque(c)
    store_rows(leave, gy, i * t.columns, rows, t.columns, t.columns)
    asc.set_flag(asc.HardEvent.S_V, 0)
    asc.wait_flag(asc.HardEvent.S_V, 0)


@asc.jit
def store_scales(scales, gs, i, rows):
    """The first element of each data block goes to GM, one after another."""
    scale = scales.deque(asc.float32)
    asc.data_copy_pad(gs[i:], scale, asc.DataCopyExtParams(rows, 4, 0, 0))
    scales.free_tensor(scale)


@asc.jit
def dynamic_quantize_strips_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, s: asc.GlobalAddress, t: TokenTiles
):
    """One long row at a time: its largest element first, then its bytes."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    scales = asc.TQue(asc.TPosition.VECOUT, 1)
    wide, room, stats = (
        asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC),
        asc.TBuf(asc.TPosition.VECCALC),
    )  # fmt: skip
    pipe.init_buffer(arrive, 2, t.strip * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.strip)
    pipe.init_buffer(scales, 1, 32)
    pipe.init_buffer(wide, t.strip * 4)
    pipe.init_buffer(room, t.strip * 8 + 512)
    pipe.init_buffer(stats, 96)
    gx, gy, gs = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gy.set_global_buffer(y, t.rows * t.columns)
    gs.set_global_buffer(s, t.rows)
    w, v, most = wide.get(asc.float32), room.get(asc.float32), stats.get(asc.float32)
    first = asc.get_block_idx() * t.row_share
    for i in range(first, min(first + t.row_share, t.rows)):
        number = row_factor(arrive, scales, gx, gs, w, v, most, i, t)
        for at in range(0, t.columns, t.strip):
            count = min(t.strip, t.columns - at)
            take_strip(arrive, gx, w, i * t.columns + at, count)
            c = leave.alloc_tensor(asc.int8)
            scaled_bytes(c, w, number, count)
            leave.enque(c)
            store(leave, gy, i * t.columns + at, count)


@asc.jit
def row_factor(arrive, scales, gx, gs, w, v, most, i, t):
    """Store the scale of a long row; return 127 / max |row|."""
    asc.duplicate(most, 0.0, LANES)
    for at in range(0, t.columns, t.strip):
        count = min(t.strip, t.columns - at)
        take_strip(arrive, gx, w, i * t.columns + at, count)
        largest(most[LANES:], w, v, count)
        asc.max(most, most, most[LANES:], 1, 1, asc.BinaryRepeatParams())
    scale = scales.alloc_tensor(asc.float32)
    factors(scale, most[2 * LANES :], most, 1)
    scales.enque(scale)
    store_scales(scales, gs, i, 1)
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)
    number = most.get_value(2 * LANES)
    asc.set_flag(asc.HardEvent.S_V, 0)
    asc.wait_flag(asc.HardEvent.S_V, 0)
    return number


@asc.jit
def take_strip(arrive, gx, w, at, count):
    """Load a part of a row in float32."""
    load(arrive, gx, at, count)
    a = arrive.deque(gx.dtype)
    as_float32(w, a, count)
    arrive.free_tensor(a)


@dataclass(frozen=True)
class TokenPlan:
    """Blocks to launch, whether whole rows fit UB, and what a kernel is told."""

    blocks: int
    whole_rows: bool
    tiles: TokenTiles


def plan_tokens(rows: int, columns: int, itemsize: int, chip: Chip) -> TokenPlan:
    """Shares of rows, and as many rows a tile as UB holds (at most 255)."""
    least = max(NUMBERS["core_share"] // WIDE_NBYTES // columns, 1)
    row_share = max(-(-rows // chip.vector_cores), least)
    room = chip.ub_nbytes - NUMBERS["reserved"] - 1024
    pitch = round_up(columns, PITCH_NBYTES)
    row = pitch * (SLOTS * (itemsize + 1) + WIDE_NBYTES) + SLOTS * 32 + 64
    height = (room - 8 * pitch) // row if room > 8 * pitch else 0
    strip = room // (SLOTS * (itemsize + 1) + 3 * WIDE_NBYTES) // GRAIN * GRAIN
    height = min(height, MAX_ROWS, row_share)
    tiles = TokenTiles(rows, columns, row_share, max(height, 1), pitch, strip)  # type: ignore[call-arg]
    return TokenPlan(-(-rows // row_share), height > 0, tiles)


@operator(
    "dynamic_quantize",
    rows=dynamic_quantize_kernel,
    strips=dynamic_quantize_strips_kernel,
)
def dynamic_quantize(x: Any) -> tuple[tuple[np.ndarray, np.ndarray], tuple]:
    """(y, scale): int8 rows and a float32 scale for each; y * scale is about x.

    half, bfloat16, float32 of one or more dimensions; scale has the shape x.shape[:-1].
    """
    dtype = array_dtype("dynamic_quantize", "x", x, FLOATS)
    if not x.ndim:
        raise bad_shapes("dynamic_quantize", "x.ndim ≥ 1", x=x)
    y, scale = np.empty(x.shape, np.int8), np.zeros(x.shape[:-1], np.float32)
    if not x.size:
        return (y, scale), ()
    plan = plan_tokens(scale.size, x.shape[-1], dtype.itemsize, chip_in_force())
    kernel = (
        dynamic_quantize_kernel if plan.whole_rows else dynamic_quantize_strips_kernel
    )
    return (y, scale), (kernel[plan.blocks](x, y, scale, plan.tiles),)
