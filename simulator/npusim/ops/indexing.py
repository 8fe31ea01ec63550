"""embedding and gather: rows of a table, elements along the last axis, by index.

embedding copies rows from GM to UB and back without the vector unit: the scalar unit
reads each index and issues one copy; two halves of UB take turns. gather loads rows
whole and picks elements by byte offsets, so a row must fit UB. Indices are int32 or
int64 and are checked on the host before the launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim import asc
from npusim.chip import Chip
from npusim.lang.types import DTYPES
from npusim.ops.broadcast import load_rows, store_rows
from npusim.ops.checks import array_dtype, bad_shapes, bad_value, refuse, shapes_of
from npusim.ops.mapping import Result
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.tiling import NUMBERS, SLOTS, round_up

INDICES = ("int32", "int64")
PICKED = ("half", "bfloat16", "int16", "uint16", "float32", "int32", "uint32")
INDEX_TILE = 1024  # indices that are loaded at once: 8 KiB
BLOCK_NBYTES = 32
OFFSET_NBYTES = 4
WIDEST_NBYTES = 16384  # of a part of a row: copies beyond are no faster


@asc.tiling
class LookUp:
    """What `embedding` is told; counts in elements, `share` in indices."""

    indices: int
    columns: int
    share: int
    part: int
    tile_rows: int


@asc.tiling
class Picks:
    """What `gather` is told; counts in elements."""

    rows: int
    columns: int
    picks: int
    row_share: int
    tile_rows: int


@asc.jit
def load_part(half, table, row, at, width, t):
    """One part of one row of the table."""
    size = table.dtype.sizeof()
    asc.data_copy_pad(
        half, table[row * t.columns + at :],
        asc.DataCopyExtParams(1, width * size, 0, 0),
        asc.DataCopyPadExtParams(False, 0, 0, 0),
    )  # fmt: skip


@asc.jit
def embedding_kernel(
    table: asc.GlobalAddress,
    indices: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: LookUp,
):
    """z[i] = table[indices[i]], some rows a tile, long rows part by part."""
    size = table.dtype.sizeof()
    in_block = BLOCK_NBYTES // size
    tile = t.tile_rows * (t.part + -t.part % in_block)
    room = INDEX_TILE * indices.dtype.sizeof()
    index = asc.LocalTensor(indices.dtype, asc.TPosition.VECIN, 0, INDEX_TILE)
    gt, gi, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gt.set_global_buffer(table)
    gi.set_global_buffer(indices, t.indices)
    gz.set_global_buffer(z, t.indices * t.columns)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.indices)
    turn = 0
    for first in range(start, stop, INDEX_TILE):
        count = min(INDEX_TILE, stop - first)
        load_indices(index, gi, first, count)
        for i in range(0, count, t.tile_rows):
            rows = min(t.tile_rows, count - i)
            for at in range(0, t.columns, t.part):
                width = min(t.part, t.columns - at)
                pitch = width + -width % in_block
                slot = turn % 2
                half = asc.LocalTensor(
                    table.dtype, asc.TPosition.VECOUT, room + slot * tile * size, tile
                )
                if turn >= 2:
                    asc.wait_flag(asc.HardEvent.MTE3_MTE2, slot)
                for r in range(rows):
                    row = index.get_value(i + r)
                    load_part(half[r * pitch :], gt, row, at, width, t)
                store_parts(gz, half, (first + i) * t.columns + at, rows, width, t)
                asc.set_flag(asc.HardEvent.MTE3_MTE2, slot)
                turn += 1
    for slot in range(min(turn, 2)):
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, slot)


@asc.jit
def load_indices(index, gi, first, count):
    """Indices for the scalar unit, once it has read the ones before."""
    asc.set_flag(asc.HardEvent.S_MTE2, 0)
    asc.wait_flag(asc.HardEvent.S_MTE2, 0)
    nbytes = count * gi.dtype.sizeof()
    asc.data_copy_pad(
        index, gi[first:], asc.DataCopyExtParams(1, nbytes, 0, 0),
        asc.DataCopyPadExtParams(False, 0, 0, 0),
    )  # fmt: skip
    asc.set_flag(asc.HardEvent.MTE2_S, 0)
    asc.wait_flag(asc.HardEvent.MTE2_S, 0)


@asc.jit
def store_parts(gz, half, at, rows, width, t):
    """Rows of UB to the result, when all of them have arrived."""
    size = gz.dtype.sizeof()
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    gap = (t.columns - width) * size
    asc.data_copy_pad(gz[at:], half, asc.DataCopyExtParams(rows, width * size, 0, gap))


@asc.jit
def gather_kernel(
    x: asc.GlobalAddress, indices: asc.GlobalAddress, z: asc.GlobalAddress, t: Picks
):
    """z[r, j] = x[r, indices[r, j]], some rows a tile."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    asked = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    size, in_block = x.dtype.sizeof(), 32 // x.dtype.sizeof()
    in_index = 32 // indices.dtype.sizeof()
    pitch = (t.columns + in_block - 1) // in_block * in_block
    out_pitch = (t.picks + in_block - 1) // in_block * in_block
    index_pitch = (t.picks + in_index - 1) // in_index * in_index
    pipe.init_buffer(arrive, 2, t.tile_rows * pitch * size)
    pipe.init_buffer(asked, 2, t.tile_rows * index_pitch * indices.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile_rows * out_pitch * size)
    pipe.init_buffer(work, t.picks * OFFSET_NBYTES)
    gx, gi, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gi.set_global_buffer(indices, t.rows * t.picks)
    gz.set_global_buffer(z, t.rows * t.picks)
    offsets = work.get(asc.int32)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    for i in range(first, last, t.tile_rows):
        rows = min(t.tile_rows, last - i)
        load_rows(arrive, gx, i * t.columns, rows, t.columns, t.columns)
        load_rows(asked, gi, i * t.picks, rows, t.picks, t.picks)
        a, b = arrive.deque(x.dtype), asked.deque(indices.dtype)
        c = leave.alloc_tensor(x.dtype)
        for r in range(rows):
            to_offsets(offsets, b[r * index_pitch :], size, t.picks)
            into, source = c[r * out_pitch :], a[r * pitch :]
            asc.gather(into, source, offsets.reinterpret_cast(asc.uint32), 0, t.picks)
        arrive.free_tensor(a)
        asked.free_tensor(b)
        leave.enque(c)
        store_rows(leave, gz, i * t.picks, rows, t.picks, t.picks)


@asc.jit
def to_offsets(offsets, index, size, count):
    """Bytes from the start of a row."""
    if index.dtype == asc.int64:
        asc.cast(offsets, index, asc.RoundMode.CAST_NONE, count)
        asc.muls(offsets, offsets, size, count)
    else:
        asc.muls(offsets, index, size, count)


@dataclass(frozen=True)
class LookUpPlan:
    """Blocks to launch, and what they are told."""

    blocks: int
    tiles: LookUp


def plan_look_up(indices: int, columns: int, itemsize: int, chip: Chip) -> LookUpPlan:
    """Equal shares of the indices; tiles of about 16 KiB or more in half of UB."""
    share = -(-indices // chip.vector_cores)
    part = min(columns, WIDEST_NBYTES // itemsize)
    room = chip.ub_nbytes - NUMBERS["reserved"] - INDEX_TILE * 8
    pitch = round_up(part * itemsize, BLOCK_NBYTES)
    tile_rows = max(min(room // SLOTS // pitch, -(-share // SLOTS), INDEX_TILE), 1)
    tiles = LookUp(indices, columns, share, part, tile_rows)  # type: ignore[call-arg]
    return LookUpPlan(-(-indices // share), tiles)


def _checked_indices(name: str, indices: Any, limit: int) -> int:
    """Bytes of an index; ASC-OPS-03 where one lies outside 0 … limit - 1."""
    dtype = array_dtype(name, "indices", indices, INDICES)
    wrong = indices[(indices < 0) | (indices >= limit)]
    if wrong.size:
        raise bad_value(name, "indices", int(wrong[0]), f"0 … {limit - 1}")
    return dtype.itemsize


@operator("embedding", rows=embedding_kernel)
def embedding(table: Any, indices: Any) -> Result:
    """table[indices]: rows of a matrix of any dtype; indices of any shape."""
    dtype = array_dtype("embedding", "table", table, DTYPES)
    if table.ndim != 2:
        raise bad_shapes("embedding", "table.ndim == 2", table=table)
    _checked_indices("embedding", indices, table.shape[0])
    result = np.empty((*indices.shape, table.shape[1]), table.dtype)
    if not result.size:
        return result, ()
    chip = chip_in_force()
    plan = plan_look_up(indices.size, table.shape[1], dtype.itemsize, chip)
    return result, (embedding_kernel[plan.blocks](table, indices, result, plan.tiles),)


@operator("gather", rows=gather_kernel)
def gather(x: Any, indices: Any) -> Result:
    """x[..., indices] along the last axis, row by row; dtypes of two or four bytes.

    x and indices have the same leading axes; a row of x has at most about 40 KB.
    """
    dtype = array_dtype("gather", "x", x, PICKED)
    nbytes = _checked_indices("gather", indices, x.shape[-1] if x.ndim else 0)
    if x.ndim < 1 or x.shape[:-1] != indices.shape[:-1] or indices.ndim != x.ndim:
        needed = "x.shape[:-1] == indices.shape[:-1]"
        raise bad_shapes("gather", needed, x=x, indices=indices)
    result = np.empty(indices.shape, x.dtype)
    if not result.size:
        return result, ()
    chip, columns, picks = chip_in_force(), x.shape[-1], indices.shape[-1]
    room = chip.ub_nbytes - NUMBERS["reserved"] - picks * OFFSET_NBYTES
    sizes = (columns * dtype.itemsize, picks * nbytes, picks * dtype.itemsize)
    row = SLOTS * sum(round_up(size, BLOCK_NBYTES) for size in sizes)
    if room < row:
        facts = {"shapes": shapes_of({"x": x, "indices": indices}), "reason": "ub"}
        raise refuse("ASC-OPS-02", operator="gather", nbytes=row, limit=room, **facts)
    rows = result.size // picks
    share = -(-rows // chip.vector_cores)
    tiles = Picks(rows, columns, picks, share, min(room // row, share))  # type: ignore[call-arg]
    return result, (gather_kernel[-(-rows // share)](x, indices, result, tiles),)
