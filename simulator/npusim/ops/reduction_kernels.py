"""Kernels of reductions: rows of a tile to one number each, long rows strip by strip.

Numbers are taken in float32; a sum is scaled (mean) before it is rounded once. A long
row meets itself in UB: each strip is combined with the ones before, element by element,
and what is left is one strip. Rows may be cut in parts, one number each.
"""

from __future__ import annotations

from npusim import asc
from npusim.ops.rows import LARGEST, SUM, load_rows, reduce_rows


@asc.tiling
class ReductionTiles:
    """What the kernels are told; counts in elements.

    `share`: rows (or parts of rows) of a block; `pitch`: a row in UB; `parts`: of a
    row; `length`: of a part; `strip`: what is loaded at once.
    """

    rows: int
    columns: int
    share: int
    tile_rows: int
    pitch: int
    parts: int
    length: int
    strip: int


@asc.jit
def give_numbers(leave, gz, stat, first, rows, kind, scale):
    """Round `rows` numbers to the dtype of gz and store them from `first` on."""
    if kind == SUM:
        asc.muls(stat, stat, scale, rows)
    c = leave.alloc_tensor(gz.dtype)
    if gz.dtype == asc.float32:
        asc.adds(c, stat, 0.0, rows)
    else:
        asc.cast(c, stat, asc.RoundMode.CAST_RINT, rows)
    leave.enque(c)
    c = leave.deque(gz.dtype)
    nbytes = rows * gz.dtype.sizeof()
    asc.data_copy_pad(gz[first:], c, asc.DataCopyExtParams(1, nbytes, 0, 0))
    leave.free_tensor(c)


@asc.jit
def reduce_tiles(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: ReductionTiles, scale: float,
    kind: asc.constexpr,
):  # fmt: skip
    """Whole rows in UB, many a tile, two slots."""
    pipe = asc.TPipe()
    arrive, leave = asc.TQue(asc.TPosition.VECIN, 2), asc.TQue(asc.TPosition.VECOUT, 2)
    room = asc.TBuf(asc.TPosition.VECCALC)
    tile, small = t.tile_rows * t.pitch, (t.tile_rows + 7) // 8 * 8
    wide = 0 if x.dtype == asc.float32 else tile
    part = t.tile_rows * ((t.columns + 63) // 64 * 8)
    pipe.init_buffer(arrive, 2, tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, small * 4)
    pipe.init_buffer(room, (wide + part + small) * 4)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows)
    w = room.get(asc.float32)
    stat = w[wide + part :]
    first = asc.get_block_idx() * t.share
    last = min(first + t.share, t.rows)
    load_rows(arrive, gx, first, min(t.tile_rows, last - first), t.columns)
    for i in range(first, last, t.tile_rows):
        rows, after = min(t.tile_rows, last - i), i + t.tile_rows
        if after < last:
            load_rows(arrive, gx, after, min(t.tile_rows, last - after), t.columns)
        a = arrive.deque(x.dtype)
        if x.dtype == asc.float32:
            reduce_rows(stat, a, w, kind, rows, t.columns, t.pitch)
        else:
            asc.cast(w, a, asc.RoundMode.CAST_NONE, rows * t.pitch)
            reduce_rows(stat, w, w[wide:], kind, rows, t.columns, t.pitch)
        arrive.free_tensor(a)
        give_numbers(leave, gz, stat, i, rows, kind, scale)


@asc.jit
def load_strip(queue, source, at, count):
    """Copy elements to the next tile of a queue, filled up to a data block by 0."""
    size = source.dtype.sizeof()
    tile = queue.alloc_tensor(source.dtype)
    pad = asc.DataCopyPadExtParams(True, 0, -count % (32 // size), 0)
    asc.data_copy_pad(
        tile, source[at:], asc.DataCopyExtParams(1, count * size, 0, 0), pad
    )
    queue.enque(tile)


@asc.jit
def load_strips(queue, sources, at, count):
    """The same strip of every source."""
    for i in asc.static_range(len(sources)):
        load_strip(queue, sources[i], at, count)


@asc.jit
def take_strip(queue, into, dtype, count):
    """into = the oldest tile of a queue in float32."""
    a = queue.deque(dtype)
    if dtype == asc.float32:
        asc.adds(into, a, 0.0, count)
    else:
        asc.cast(into, a, asc.RoundMode.CAST_NONE, count)
    queue.free_tensor(a)


@asc.jit
def combine(total, x, kind, count):
    """total = total and x, element by element."""
    if kind == SUM:
        asc.add(total, total, x, count)
    elif kind == LARGEST:
        asc.max(total, total, x, count)
    else:
        asc.min(total, total, x, count)


@asc.jit
def squares(queue, into, room, dtype, count):
    """into = (x - y)² of the two oldest tiles."""
    take_strip(queue, into, dtype, count)
    take_strip(queue, room, dtype, count)
    asc.sub(into, into, room, count)
    asc.mul(into, into, into, count)


@asc.jit
def take(queue, into, room, sources, count):
    """into = a strip of x, or of (x - y)² where there are two sources."""
    if len(sources) == 1:
        take_strip(queue, into, sources[0].dtype, count)
    else:
        squares(queue, into, room, sources[0].dtype, count)


@asc.jit
def fold_part(arrive, total, x, room, sources, at, length, strip, kind):
    """total[: min(strip, length)] = the strips of a part, combined."""
    load_strips(arrive, sources, at, min(strip, length))
    for s in range(0, length, strip):
        count, after = min(strip, length - s), s + strip
        if after < length:
            load_strips(arrive, sources, at + after, min(strip, length - after))
        if s == 0:
            take(arrive, total, room, sources, count)
        else:
            take(arrive, x, room, sources, count)
            combine(total, x, kind, count)


@asc.jit
def fold(sources, z, t, scale, kind):
    """One number for each part of a row."""
    pipe, slots = asc.TPipe(), 2 * len(sources)
    arrive = asc.TQue(asc.TPosition.VECIN, slots)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, slots, t.strip * sources[0].dtype.sizeof())
    pipe.init_buffer(leave, 2, 32)
    part = (t.strip + 63) // 64 * 8
    pipe.init_buffer(work, (3 * t.strip + part + 8) * 4)
    gz, w = asc.GlobalTensor(), work.get(asc.float32)
    gz.set_global_buffer(z, t.rows * t.parts)
    x, room, parts = w[t.strip :], w[2 * t.strip :], w[3 * t.strip :]
    stat = parts[part:]
    first = asc.get_block_idx() * t.share
    for i in range(first, min(first + t.share, t.rows * t.parts)):
        begin = i % t.parts * t.length
        length = min(t.length, t.columns - begin)
        at = i // t.parts * t.columns + begin
        fold_part(arrive, w, x, room, sources, at, length, t.strip, kind)
        left = min(length, t.strip)
        reduce_rows(stat, w, parts, kind, 1, left, t.strip)
        give_numbers(leave, gz, stat, i, 1, kind, scale)


@asc.jit
def reduce_strips(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: ReductionTiles, scale: float,
    kind: asc.constexpr,
):  # fmt: skip
    """Rows, or parts of rows, of any length."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    fold((gx,), z, t, scale, kind)


@asc.jit
def squared_strips(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
    t: ReductionTiles, scale: float,
):  # fmt: skip
    """Sum of (x - y)² over parts of any length."""
    gx, gy = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gy.set_global_buffer(y, t.rows * t.columns)
    fold((gx, gy), z, t, scale, SUM)
