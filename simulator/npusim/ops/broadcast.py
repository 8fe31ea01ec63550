"""Arithmetic of an array with a row or with a single element, broadcast on the device.

A row is loaded once for each strip of columns and repeated in UB for as many rows as a
tile has, so that a tile is one instruction. Where a row does not end on a data block,
the rows of a tile lie apart in UB and the gap holds a filler. A single element is read
by the scalar unit and fills a tile.

Left out: two operands that both are broadcast. Columns: `broadcast_columns`.
"""

from __future__ import annotations

from npusim import asc
from npusim.launch.kernel import Kernel
from npusim.ops.frames import map_one, narrow, widen
from npusim.ops.kernels import named
from npusim.ops.row_tiling import RowTiles
from npusim.ops.tiling import Tiles

DATA_BLOCK_NBYTES = 32


@asc.jit
def load_rows(queue, source, at, height, width, columns):
    """Copy `height` rows of `width` elements, each padded to whole data blocks."""
    size = source.dtype.sizeof()
    tile = queue.alloc_tensor(source.dtype)
    filler = -width % (DATA_BLOCK_NBYTES // size)
    pad = asc.DataCopyPadExtParams(True, 0, filler, 1)
    if width == columns and filler == 0:
        whole = asc.DataCopyExtParams(1, height * width * size, 0, 0)
        asc.data_copy_pad(tile, source[at:], whole, pad)
    else:
        gap = (columns - width) * size
        rows = asc.DataCopyExtParams(height, width * size, gap, 0)
        asc.data_copy_pad(tile, source[at:], rows, pad)
    queue.enque(tile)


@asc.jit
def store_rows(queue, target, at, height, width, columns):
    """Copy the rows of a tile back without their padding."""
    size = target.dtype.sizeof()
    tile = queue.deque(target.dtype)
    if width == columns and width % (DATA_BLOCK_NBYTES // size) == 0:
        whole = asc.DataCopyExtParams(1, height * width * size, 0, 0)
        asc.data_copy_pad(target[at:], tile, whole)
    else:
        gap = (columns - width) * size
        rows = asc.DataCopyExtParams(height, width * size, 0, gap)
        asc.data_copy_pad(target[at:], tile, rows)
    queue.free_tensor(tile)


@asc.jit
def repeat_row(row, queue, source, at, width, pitch, height, wide):
    """Fill `height` rows of `row` with one row of `source`, doubling what is there."""
    load_rows(queue, source, at, 1, width, width)
    tile = queue.deque(source.dtype)
    if wide:
        widen(row, tile, pitch)
    else:
        asc.data_copy(row, tile, pitch)
    queue.free_tensor(tile)
    done = 1
    while done < height:
        more = min(done, height - done)
        asc.data_copy(row[done * pitch :], row, more * pitch)
        done += more


@asc.jit
def map_rows(x, y, z, t, wide, chain, row_first):
    """z = chain(x, y) where y is one row; chain(y, x) if `row_first`."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_row = asc.TQue(asc.TPosition.VECIN, 1)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    size = x.dtype.sizeof()
    pipe.init_buffer(arrive, 2, t.tile * size)
    pipe.init_buffer(arrive_row, 1, t.tile_columns * size)
    pipe.init_buffer(leave, 2, t.tile * size)
    pipe.init_buffer(work, t.work)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gy.set_global_buffer(y, t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    row = work.get(asc.float32 if wide else x.dtype)
    w = row[t.tile :]
    first = asc.get_block_idx() // t.column_parts * t.row_share
    last = min(first + t.row_share, t.rows)
    left = asc.get_block_idx() % t.column_parts * t.column_share
    right = min(left + t.column_share, t.columns)
    for at in range(left, right, t.tile_columns):
        width = min(t.tile_columns, right - at)
        pitch = width + -width % (DATA_BLOCK_NBYTES // size)
        height = min(t.tile_rows, last - first)
        repeat_row(row, arrive_row, gy, at, width, pitch, height, wide)
        for i in range(first, last, t.tile_rows):
            height = min(t.tile_rows, last - i)
            place = i * t.columns + at
            load_rows(arrive, gx, place, height, width, t.columns)
            a = arrive.deque(x.dtype)
            c = leave.alloc_tensor(z.dtype)
            if wide:
                widen(w, a, height * pitch)
                in_order(chain, w, w, row, height * pitch, row_first)
                narrow(c, w, height * pitch)
            else:
                in_order(chain, c, a, row, height * pitch, row_first)
            arrive.free_tensor(a)
            leave.enque(c)
            store_rows(leave, gz, place, height, width, t.columns)


@asc.jit
def in_order(chain, z, x, y, count, swapped):
    """chain(x, y), or chain(y, x) if `swapped`."""
    if swapped:
        chain(z, y, x, (), count, ())
    else:
        chain(z, x, y, (), count, ())


def over_rows(name: str, chain: Kernel, row_first: bool = False) -> Kernel:
    """z = chain(x, y) for a matrix x and a row y; chain(y, x) if `row_first`."""

    @asc.jit
    def rows(
        x: asc.GlobalAddress,
        y: asc.GlobalAddress,
        z: asc.GlobalAddress,
        t: RowTiles,
        wide: asc.constexpr = False,
    ):
        map_rows(x, y, z, t, wide, chain, row_first)

    return named(rows, name)


@asc.jit
def fill_with_value(scratch, tile, values):
    """Setup: the first scratch tile holds values[0]."""
    asc.duplicate(scratch[0], values[0], tile)


def over_element(name: str, chain: Kernel, element_first: bool = False) -> Kernel:
    """z = chain(x, y) for an array x and a single element y, or the other way round."""

    @asc.jit
    def with_tile(z, x, scratch, count, values):
        in_order(chain, z, x, scratch[0], count, element_first)

    @asc.jit
    def element(
        x: asc.GlobalAddress,
        y: asc.GlobalAddress,
        z: asc.GlobalAddress,
        t: Tiles,
        wide: asc.constexpr = False,
    ):
        gy = asc.GlobalTensor()
        gy.set_global_buffer(y, 1)
        values = (gy.get_value(0),)
        map_one(x, z, t, wide, with_tile, values, fill_with_value)

    return named(element, name)
