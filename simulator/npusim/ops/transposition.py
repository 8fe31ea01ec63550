"""transpose: the last two axes change places, tile by tile.

Elements of two bytes go through squares of 16 x 16, which one instruction turns.
Elements of four bytes are gathered by a table of byte offsets that each core makes
once. Tiles are up to 256 B wide, so that copies are long; small matrices take smaller
tiles, so that more cores have work. A tile at an edge is cleared before it is loaded.

Left out: elements of one and of eight bytes, and other permutations of axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim import asc
from npusim.chip import Chip
from npusim.ops.checks import array_dtype, bad_shapes
from npusim.ops.mapping import Result
from npusim.ops.operator import chip_in_force, operator

DTYPES = ("half", "bfloat16", "int16", "uint16", "float32", "int32", "uint32")
SIDES = {2: (128, 64, 32), 4: (64, 32)}  # itemsize -> sides of a tile, longest first
SIDE = 16  # of the square that one instruction turns
FIRST = 8  # offsets that the scalar unit writes: one data block
BLOCK_NBYTES = 32


@asc.tiling
class TransposeTiles:
    """What the kernels are told: a batch of matrices, square tiles dealt in runs."""

    batch: int
    rows: int
    columns: int
    side: int
    row_tiles: int
    column_tiles: int
    share: int


@asc.jit
def load_tile(queue, source, at, height, width, t):
    """Rows of `width` elements, `side` apart in UB; an edge tile is cleared first."""
    size = source.dtype.sizeof()
    in_block = BLOCK_NBYTES // size
    tile = queue.alloc_tensor(source.dtype)
    if height < t.side or width < t.side:
        asc.duplicate(tile, 0, t.side * t.side)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    gap = t.side // in_block - (width + in_block - 1) // in_block
    far = (t.columns - width) * size
    rows = asc.DataCopyExtParams(height, width * size, far, gap)
    filler = -width % in_block
    asc.data_copy_pad(
        tile, source[at:], rows, asc.DataCopyPadExtParams(True, 0, filler, 0)
    )
    queue.enque(tile)


@asc.jit
def store_tile(queue, target, at, height, width, t):
    """Columns of the source, `side` apart in UB, become rows of `height` elements."""
    size = target.dtype.sizeof()
    in_block = BLOCK_NBYTES // size
    tile = queue.deque(target.dtype)
    gap = t.side // in_block - (height + in_block - 1) // in_block
    far = (t.rows - height) * size
    asc.data_copy_pad(
        target[at:], tile, asc.DataCopyExtParams(width, height * size, gap, far)
    )
    queue.free_tensor(tile)


@asc.jit
def turn_squares(c, a, room, height, width, t):
    """Elements of two bytes: strips of 16 columns, turned square by square.

    All squares of a strip are turned before they are placed: neighbours do not wait for
    each other.
    """
    strip, squares = room, room[t.side * SIDE :]
    apart = t.side // SIDE - 1
    for j in range(0, width, SIDE):
        asc.data_copy(strip, a[j:], asc.DataCopyParams(t.side, 1, apart, 0))
        for k in range(0, height, SIDE):
            asc.transpose(squares[k * SIDE :], strip[k * SIDE :])
        for k in range(0, height, SIDE):
            into = c[j * t.side + k :]
            asc.data_copy(
                into, squares[k * SIDE :], asc.DataCopyParams(SIDE, 1, 0, apart)
            )


@asc.jit
def make_table(table, side, size):
    """table[c * side + r] = byte of element (r, c) of a tile, by doubling."""
    for i in asc.static_range(FIRST):
        table.set_value(i, i * side * size)
    asc.set_flag(asc.HardEvent.S_V, 0)
    asc.wait_flag(asc.HardEvent.S_V, 0)
    done = FIRST
    while done < side:
        asc.adds(table[done:], table, done * side * size, done)
        done += done
    done = 1
    while done < side:
        asc.adds(table[done * side :], table, done * size, done * side)
        done += done


@asc.jit
def transpose_tiles(x, z, t, dtype):
    """Every tile of this block: load, turn, store at the mirrored place."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    nbytes = t.side * t.side * x.dtype.sizeof()
    pipe.init_buffer(arrive, 2, nbytes)
    pipe.init_buffer(leave, 2, nbytes)
    pipe.init_buffer(work, nbytes)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.batch * t.rows * t.columns, dtype)
    gz.set_global_buffer(z, t.batch * t.rows * t.columns, dtype)
    room = work.get(dtype)
    if dtype.sizeof() == 4:
        make_table(room, t.side, 4)
    in_matrix = t.row_tiles * t.column_tiles
    first = asc.get_block_idx() * t.share
    last = min(first + t.share, t.batch * in_matrix)
    for i in range(first, last):
        start = i // in_matrix * t.rows * t.columns
        r = i % in_matrix // t.column_tiles * t.side
        k = i % t.column_tiles * t.side
        height, width = min(t.side, t.rows - r), min(t.side, t.columns - k)
        load_tile(arrive, gx, start + r * t.columns + k, height, width, t)
        a = arrive.deque(dtype)
        c = leave.alloc_tensor(dtype)
        if dtype.sizeof() == 4:
            offsets = room.reinterpret_cast(asc.uint32)
            asc.gather(c, a, offsets, 0, width * t.side)
        else:
            turn_squares(c, a, room, height, width, t)
        arrive.free_tensor(a)
        leave.enque(c)
        store_tile(leave, gz, start + k * t.rows + r, height, width, t)


@asc.jit
def transpose_squares_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: TransposeTiles
):
    """Two-byte elements."""
    transpose_tiles(x, z, t, asc.half)


@asc.jit
def transpose_gather_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: TransposeTiles
):
    """Four-byte elements."""
    transpose_tiles(x, z, t, asc.int32)


@dataclass(frozen=True)
class TransposePlan:
    """Blocks to launch, and what they are told."""

    blocks: int
    tiles: TransposeTiles


def plan_transpose(
    batch: int, rows: int, columns: int, itemsize: int, chip: Chip
) -> TransposePlan:
    """The largest tiles that give every core work, else the smallest there are."""

    def grid(side: int) -> tuple[int, int]:
        return -(-rows // side), -(-columns // side)

    sides = SIDES[itemsize]
    enough = [s for s in sides if batch * np.prod(grid(s)) >= chip.vector_cores]
    side = (enough or sides[-1:])[0]
    row_tiles, column_tiles = grid(side)
    total = batch * row_tiles * column_tiles
    share = -(-total // chip.vector_cores)
    tiles = TransposeTiles(  # type: ignore[call-arg]
        batch, rows, columns, side, row_tiles, column_tiles, share
    )
    return TransposePlan(-(-total // share), tiles)


@operator("transpose", squares=transpose_squares_kernel, gather=transpose_gather_kernel)
def transpose(x: Any) -> Result:
    """x with its last two axes swapped; dtypes of two or four bytes."""
    dtype = array_dtype("transpose", "x", x, DTYPES)
    if x.ndim < 2:
        raise bad_shapes("transpose", "x.ndim ≥ 2", x=x)
    *outer, rows, columns = x.shape
    result = np.empty((*outer, columns, rows), x.dtype)
    if not x.size:
        return result, ()
    batch = x.size // (rows * columns)
    plan = plan_transpose(batch, rows, columns, dtype.itemsize, chip_in_force())
    kernel = (
        transpose_squares_kernel if dtype.itemsize == 2 else transpose_gather_kernel
    )
    return result, (kernel[plan.blocks](x, result, plan.tiles),)
