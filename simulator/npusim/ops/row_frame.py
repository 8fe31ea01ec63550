"""The frame of a row kernel: tiles of rows in, a chain in UB, tiles out.

`chain(z, x, u, rows, t, values)` turns a tile of float32 rows x into z; x may be
overwritten, z may be x. `u` is a tuple of float32 in UB: a second tile (`room`), one
statistic a row, a 1 a row, spread statistics, block results, gamma and beta.

With two slots the next tile is on its way while this one is computed.
"""

from __future__ import annotations

from npusim import asc
from npusim.ops.rows import load_rows, load_weights, store_rows


@asc.tiling
class RowTiles:
    """What a row kernel is told; counts in elements, rows `pitch` apart in UB.

    `part`: block results of a tile; `room`: elements of the second tile; `weight`:
    elements of gamma, of beta.
    """

    rows: int
    columns: int
    row_share: int
    tile_rows: int
    pitch: int
    part: int
    room: int
    weight: int


@asc.jit
def map_rows(x, z, weights, t, slots, chain, values):
    """z = chain(x) by tiles of rows; `weights` holds gamma and beta, or nothing."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, slots)
    leave = asc.TQue(asc.TPosition.VECOUT, slots)
    room = asc.TBuf(asc.TPosition.VECCALC)
    stats = asc.TBuf(asc.TPosition.VECCALC)
    tile = t.tile_rows * t.pitch
    small = (t.tile_rows + 7) // 8 * 8
    wide = 0 if x.dtype == asc.float32 else tile
    pipe.init_buffer(arrive, slots, tile * x.dtype.sizeof())
    pipe.init_buffer(leave, slots, tile * z.dtype.sizeof())
    pipe.init_buffer(room, (wide + t.room + 2 * t.weight) * 4 + 32)
    pipe.init_buffer(stats, (10 * small + t.part) * 4)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    w, u = work_tensors(room.get(asc.float32), stats.get(asc.float32), t, wide)
    for i in asc.static_range(len(weights)):
        gw = asc.GlobalTensor()
        gw.set_global_buffer(weights[i], t.columns)
        load_weights(u[5 + i], arrive, gw, t.columns)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    if slots > 1:
        load_rows(arrive, gx, first, min(t.tile_rows, last - first), t.columns)
    for i in range(first, last, t.tile_rows):
        rows, after = min(t.tile_rows, last - i), i + t.tile_rows
        if slots == 1:
            load_rows(arrive, gx, i, rows, t.columns)
        elif after < last:
            load_rows(arrive, gx, after, min(t.tile_rows, last - after), t.columns)
        compute(arrive, leave, gx, gz, w, u, rows, t, chain, values)
        store_rows(leave, gz, i, rows, t.columns)


@asc.jit
def work_tensors(w, stat, t, wide):
    """The float32 tile of half types, and the tuple `u` of a chain."""
    small = (t.tile_rows + 7) // 8 * 8
    asc.duplicate(stat, 1.0, 2 * small)
    scale = w[wide + t.room :]
    filled, part = stat[2 * small :], stat[10 * small :]
    return w, (w[wide:], stat, stat[small:], filled, part, scale, scale[t.weight :])


@asc.jit
def compute(arrive, leave, gx, gz, w, u, rows, t, chain, values):
    """One tile from queue to queue, in float32."""
    a = arrive.deque(gx.dtype)
    c = leave.alloc_tensor(gz.dtype)
    if gx.dtype == asc.float32:
        chain(c, a, u, rows, t, values)
    else:
        asc.cast(w, a, asc.RoundMode.CAST_NONE, rows * t.pitch)
        chain(w, w, u, rows, t, values)
        asc.cast(c, w, asc.RoundMode.CAST_RINT, rows * t.pitch)
    arrive.free_tensor(a)
    leave.enque(c)
