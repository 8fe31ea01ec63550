"""Arithmetic of a matrix with a column: one element of the operand for each row.

`brcb` spreads the elements of a column to data blocks. A copy that reads one block
again and again fills a row of UB with each. The tile is then one instruction.
"""

from __future__ import annotations

from npusim import asc
from npusim.launch.kernel import Kernel
from npusim.ops.broadcast import DATA_BLOCK_NBYTES, in_order, load_rows, store_rows
from npusim.ops.frames import narrow, widen
from npusim.ops.kernels import named
from npusim.ops.row_tiling import RowTiles

LANES = 8  # elements that `brcb` spreads in a repeat


@asc.jit
def spread_column(full, spread, queue, gy, at, height, pitch, room, wide):
    """Fill row r of `full` with element `at + r` of the column."""
    load_rows(queue, gy, at, 1, height, height)
    column = queue.deque(gy.dtype)
    repeats = (height + LANES - 1) // LANES
    if wide:
        widen(room, column, repeats * LANES)
        asc.brcb(spread, room, repeats, asc.BrcbRepeatParams(1, 8))
    else:
        asc.brcb(spread, column, repeats, asc.BrcbRepeatParams(1, 8))
    queue.free_tensor(column)
    in_block = DATA_BLOCK_NBYTES // spread.dtype.sizeof()
    asc.set_mask_count()
    for r in range(height):
        again = asc.CopyRepeatParams(1, 0, 8, 0)
        asc.copy(full[r * pitch :], spread[r * in_block :], pitch, 1, again)
    asc.set_mask_norm()
    asc.reset_mask()


@asc.jit
def map_columns(x, y, z, t, wide, chain, column_first):
    """z = chain(x, y) where y is one column; chain(y, x) if `column_first`."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_column = asc.TQue(asc.TPosition.VECIN, 1)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work, blocks = asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC)
    size = x.dtype.sizeof()
    pipe.init_buffer(arrive, 2, t.tile * size)
    pipe.init_buffer(arrive_column, 1, t.tile_rows * size)
    pipe.init_buffer(leave, 2, t.tile * size)
    pipe.init_buffer(work, t.work)
    pipe.init_buffer(blocks, (t.tile_rows + LANES - 1) // LANES * 9 * 32)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gy.set_global_buffer(y, t.rows)
    gz.set_global_buffer(z, t.rows * t.columns)
    full = work.get(asc.float32 if wide else x.dtype)
    spread = blocks.get(asc.float32 if wide else x.dtype)
    room = spread[(t.tile_rows + LANES - 1) // LANES * 8 * LANES :]
    first = asc.get_block_idx() // t.column_parts * t.row_share
    last = min(first + t.row_share, t.rows)
    left = asc.get_block_idx() % t.column_parts * t.column_share
    right = min(left + t.column_share, t.columns)
    for at in range(left, right, t.tile_columns):
        width = min(t.tile_columns, right - at)
        pitch = width + -width % (DATA_BLOCK_NBYTES // size)
        for i in range(first, last, t.tile_rows):
            height = min(t.tile_rows, last - i)
            place = i * t.columns + at
            load_rows(arrive, gx, place, height, width, t.columns)
            spread_column(full, spread, arrive_column, gy, i, height, pitch, room, wide)
            one_tile(
                arrive,
                leave,
                x,
                full,
                height * pitch,
                t.tile,
                wide,
                chain,
                column_first,
            )
            store_rows(leave, gz, place, height, width, t.columns)


@asc.jit
def one_tile(arrive, leave, x, full, count, tile, wide, chain, column_first):
    """Take a tile from one queue, compute, give it to the other."""
    a = arrive.deque(x.dtype)
    c = leave.alloc_tensor(x.dtype)
    if wide:
        w = full[tile:]
        widen(w, a, count)
        in_order(chain, w, w, full, count, column_first)
        narrow(c, w, count)
    else:
        in_order(chain, c, a, full, count, column_first)
    arrive.free_tensor(a)
    leave.enque(c)


def over_columns(name: str, chain: Kernel, column_first: bool = False) -> Kernel:
    """z = chain(x, y) for a matrix x and a column y; chain(y, x) if `column_first`."""

    @asc.jit
    def columns(
        x: asc.GlobalAddress,
        y: asc.GlobalAddress,
        z: asc.GlobalAddress,
        t: RowTiles,
        wide: asc.constexpr = False,
    ):
        map_columns(x, y, z, t, wide, chain, column_first)

    return named(columns, name)
