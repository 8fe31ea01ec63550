"""add_rms_norm, one row a tile and one slot: a chain of copies and arithmetic a row.

Instructions of a row: cast, cast, add, cast and store the sum; mul, muls, reduce, 1 /
sqrt, a round trip through the scalar unit; muls, mul gamma, cast. bfloat16 is rounded
once more before gamma. The numbers of 64 rows leave together.
"""

from __future__ import annotations

from npusim import asc
from npusim.ops.norms import inverse_root
from npusim.ops.row_frame import RowTiles, work_tensors
from npusim.ops.rows import load_rows, load_weights, store_rows

GROUP = 64  # rows whose numbers are stored by one copy


@asc.jit
def as_float32(w, x, count):
    """w = x in float32."""
    if x.dtype == asc.float32:
        asc.adds(w, x, 0.0, count)
    else:
        asc.cast(w, x, asc.RoundMode.CAST_NONE, count)


@asc.jit
def put(queue, w, dtype, count):
    """The next tile of a queue = w in its type."""
    c = queue.alloc_tensor(dtype)
    if dtype == asc.float32:
        asc.adds(c, w, 0.0, count)
    else:
        asc.cast(c, w, asc.RoundMode.CAST_RINT, count)
    queue.enque(c)


@asc.jit
def sum_of_row(arrive, other, w, room, gx, gr, i, t):
    """w = x + residual in float32; both loads start together."""
    load_rows(arrive, gx, i, 1, t.columns)
    load_rows(other, gr, i, 1, t.columns)
    a, b = arrive.deque(gx.dtype), other.deque(gx.dtype)
    if gx.dtype == asc.float32:
        asc.add(w, a, b, t.columns)
    else:
        as_float32(w, a, t.columns)
        as_float32(room, b, t.columns)
        asc.add(w, w, room, t.columns)
    arrive.free_tensor(a)
    other.free_tensor(b)


@asc.jit
def times_gamma(leave, w, gamma, dtype, count):
    """The next tile of a queue = w * gamma; bfloat16 multiplies a rounded w."""
    c = leave.alloc_tensor(dtype)
    if dtype == asc.float32:
        asc.mul(c, w, gamma, count)
    else:
        if dtype == asc.bfloat16:
            asc.cast(c, w, asc.RoundMode.CAST_RINT, count)
            asc.cast(w, c, asc.RoundMode.CAST_NONE, count)
        asc.mul(w, w, gamma, count)
        asc.cast(c, w, asc.RoundMode.CAST_RINT, count)
    leave.enque(c)


@asc.jit
def store_group(numbers, gs, first, rows):
    """Numbers that the scalar unit wrote: to GM, and wait until they have left."""
    asc.set_flag(asc.HardEvent.S_MTE3, 0)
    asc.wait_flag(asc.HardEvent.S_MTE3, 0)
    asc.data_copy_pad(gs[first:], numbers, asc.DataCopyExtParams(1, rows * 4, 0, 0))
    asc.set_flag(asc.HardEvent.MTE3_S, 0)
    asc.wait_flag(asc.HardEvent.MTE3_S, 0)


@asc.jit
def add_rms_norm_row(
    x: asc.GlobalAddress, residual: asc.GlobalAddress, gamma: asc.GlobalAddress,
    y: asc.GlobalAddress, scale: asc.GlobalAddress, total: asc.GlobalAddress,
    t: RowTiles, eps: float,
):  # fmt: skip
    """One row a tile; a queue of one buffer for x, the residual and the results."""
    pipe = asc.TPipe()
    arrive, other = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECIN, 1)
    leave = asc.TQue(asc.TPosition.VECOUT, 1)
    room, stats = asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 1, t.pitch * x.dtype.sizeof())
    pipe.init_buffer(other, 1, t.pitch * x.dtype.sizeof())
    pipe.init_buffer(leave, 1, t.pitch * y.dtype.sizeof())
    pipe.init_buffer(room, (t.pitch + t.room + 2 * t.weight) * 4 + 32)
    pipe.init_buffer(stats, (80 + GROUP + t.part) * 4)
    gx, gr, gg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gy, gs, gt = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gr.set_global_buffer(residual, t.rows * t.columns)
    gy.set_global_buffer(y, t.rows * t.columns)
    gt.set_global_buffer(total, t.rows * t.columns)
    gg.set_global_buffer(gamma, t.columns)
    gs.set_global_buffer(scale, t.rows)
    all_room, all_stats = room.get(asc.float32), stats.get(asc.float32)
    w, u = work_tensors(all_room, all_stats, t, t.pitch)  # type: ignore[attr-defined]
    numbers = u[4][t.part :]
    load_weights(u[5], arrive, gg, t.columns)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    for i in range(first, last):
        sum_of_row(arrive, other, w, u[0], gx, gr, i, t)
        put(leave, w, y.dtype, t.columns)
        store_rows(leave, gt, i, 1, t.columns)
        factor = inverse_root(w, u, t, eps)
        numbers.set_value((i - first) % GROUP, factor)
        asc.muls(w, w, factor, t.columns)
        times_gamma(leave, w, u[5], y.dtype, t.columns)
        store_rows(leave, gy, i, 1, t.columns)
        if (i - first) % GROUP == GROUP - 1 or i == last - 1:
            store_group(numbers, gs, i - (i - first) % GROUP, (i - first) % GROUP + 1)
