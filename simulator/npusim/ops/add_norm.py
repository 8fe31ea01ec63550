"""add_rms_norm: the residual sum and its RMS norm in one pass over the rows.

The sum is rounded once for its own result; the norm goes on from the float32 sum.
Variant "row" (default) is `add_norm_row.py`; "pipelined" has many rows a tile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.launch import Run
from npusim.ops.add_norm_row import add_rms_norm_row, as_float32, put
from npusim.ops.checks import FLOATS, array_dtype, bad_shapes, same_dtype
from npusim.ops.norms import scale_rows
from npusim.ops.operator import operator
from npusim.ops.row_checks import epsilon, float_rows
from npusim.ops.row_frame import RowTiles, work_tensors
from npusim.ops.row_plan import MAX_ROWS, Needs, rows_that_fit, variant_of
from npusim.ops.rows import load_rows, load_weights, multiply, store_rows, with_row

Outputs = tuple[np.ndarray, np.ndarray, np.ndarray]


@asc.jit
def store_numbers(queue, target, first, rows):
    """One float32 a row."""
    c = queue.deque(asc.float32)
    asc.data_copy_pad(target[first:], c, asc.DataCopyExtParams(1, rows * 4, 0, 0))
    queue.free_tensor(c)


@asc.jit
def sum_of(arrive, w, room, gx, gr, i, rows, t):
    """w = x + residual in float32, from two loads of one queue."""
    load_rows(arrive, gx, i, rows, t.columns)
    a = arrive.deque(gx.dtype)
    as_float32(w, a, rows * t.pitch)
    arrive.free_tensor(a)
    load_rows(arrive, gr, i, rows, t.columns)
    b = arrive.deque(gx.dtype)
    as_float32(room, b, rows * t.pitch)
    arrive.free_tensor(b)
    asc.add(w, w, room, rows * t.pitch)


@asc.jit
def add_rms_norm_rows(
    x: asc.GlobalAddress, residual: asc.GlobalAddress, gamma: asc.GlobalAddress,
    y: asc.GlobalAddress, scale: asc.GlobalAddress, total: asc.GlobalAddress,
    t: RowTiles, eps: float, slots: asc.constexpr,
):  # fmt: skip
    """Whole rows in UB; the queues of loads and stores have `slots` buffers."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, slots)
    leave = asc.TQue(asc.TPosition.VECOUT, slots)
    numbers = asc.TQue(asc.TPosition.VECOUT, 1)
    room, stats = asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC)
    tile, small = t.tile_rows * t.pitch, (t.tile_rows + 7) // 8 * 8
    pipe.init_buffer(arrive, slots, tile * x.dtype.sizeof())
    pipe.init_buffer(leave, slots, tile * y.dtype.sizeof())
    pipe.init_buffer(numbers, 1, small * 4)
    pipe.init_buffer(room, (tile + t.room + 2 * t.weight) * 4 + 32)
    pipe.init_buffer(stats, (10 * small + t.part) * 4)
    gx, gr, gg = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gy, gs, gt = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gr.set_global_buffer(residual, t.rows * t.columns)
    gy.set_global_buffer(y, t.rows * t.columns)
    gt.set_global_buffer(total, t.rows * t.columns)
    gg.set_global_buffer(gamma, t.columns)
    gs.set_global_buffer(scale, t.rows)
    all_room, all_stats = room.get(asc.float32), stats.get(asc.float32)
    w, u = work_tensors(all_room, all_stats, t, tile)  # type: ignore[attr-defined]
    load_weights(u[5], arrive, gg, t.columns)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    for i in range(first, last, t.tile_rows):
        rows = min(t.tile_rows, last - i)
        sum_of(arrive, w, u[0], gx, gr, i, rows, t)
        put(leave, w, y.dtype, rows * t.pitch)
        store_rows(leave, gt, i, rows, t.columns)
        scale_rows(w, u, rows, t, eps)
        put(numbers, u[1], asc.float32, rows)
        store_numbers(numbers, gs, i, rows)
        with_row(multiply, w, w, u[5], rows, t.columns, t.pitch)
        put(leave, w, y.dtype, rows * t.pitch)
        store_rows(leave, gy, i, rows, t.columns)


@operator("add_rms_norm", row=add_rms_norm_row, pipelined=add_rms_norm_rows)
def add_rms_norm(
    x: Any, residual: Any, gamma: Any, eps: float = 1e-6, variant: str = "row"
) -> tuple[Outputs, tuple[Run, ...]]:
    """(y, scale, total): total = x + residual, scale = 1 / sqrt(mean total² + eps).

    y = total * scale * gamma over the last axis; x and residual of one shape; half,
    bfloat16, float32. scale is float32 with the shape x.shape[:-1] + (1,). `variant`:
    "row" or "pipelined".
    """
    itemsize = float_rows("add_rms_norm", x, gamma=gamma)
    array_dtype("add_rms_norm", "residual", residual, FLOATS)
    if residual.shape != x.shape:
        both = {"x": x, "residual": residual}
        raise bad_shapes("add_rms_norm", "residual.shape == x.shape", **both)
    same_dtype("add_rms_norm", {"x": x, "residual": residual})
    least, kind = epsilon("add_rms_norm", eps), variant_of("add_rms_norm", variant)
    y, total = np.empty(x.shape, x.dtype), np.empty(x.shape, x.dtype)
    scale = np.zeros((*x.shape[:-1], 1), np.float32)
    if x.size:
        arrays = x, residual, gamma, y, scale, total
        return (y, scale, total), (_launch(kind, itemsize, arrays, least),)
    return (y, scale, total), ()


def _launch(kind: str, itemsize: int, arrays: tuple, eps: float) -> Run:
    needs = Needs(itemsize, 2 if itemsize == 4 else 1, 2, 3 if kind == "row" else 2)
    most = 1 if kind == "row" else MAX_ROWS
    plan = rows_that_fit("add_rms_norm", arrays[0], needs, kind, most)
    if kind == "row":
        return add_rms_norm_row[plan.blocks](*arrays, plan.tiles, eps)
    return add_rms_norm_rows[plan.blocks](*arrays, plan.tiles, eps, plan.slots)
