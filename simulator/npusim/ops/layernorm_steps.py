"""LayerNorm in float32 as a ladder: what each habit of a kernel author costs or saves.

scalar      the scalar unit computes element by element
basic       vector instructions, one row at a time; statistics through get_value, a
            barrier of all pipes after each step, one buffer
vectorised  statistics stay in UB, vector instructions follow each other freely
tiled       several rows a copy
pipelined   two buffers in queues: copies and arithmetic overlap (`norms.py`, "rows")
resident    gamma and beta stand in UB twice, so that an instruction takes two rows, a
            reduction takes the whole tile; two loads are under way; whole repeats;
            inputs, read once, go past L2 and leave it to the output

Every step computes the mean first and the squares of the differences after it.
"""

from __future__ import annotations

from npusim import asc
from npusim.ops.row_frame import RowTiles
from npusim.ops.rows import (
    SUM,
    divide,
    load_rows,
    load_weights,
    multiply,
    plus,
    reduce_rows,
    spread,
    store_rows,
    subtract,
    with_number,
    with_row,
)

ALL = asc.PipeID.PIPE_ALL


@asc.jit
def read_row(into, source, first, rows, t):
    """Copy rows, filled up to a data block by 0."""
    pad = asc.DataCopyPadExtParams(True, 0, -t.columns % 8, 0)
    each = asc.DataCopyExtParams(rows, t.columns * 4, 0, 0)
    asc.data_copy_pad(into, source[first * t.columns :], each, pad)


@asc.jit
def write_row(target, x, first, rows, t):
    each = asc.DataCopyExtParams(rows, t.columns * 4, 0, 0)
    asc.data_copy_pad(target[first * t.columns :], x, each)


@asc.jit
def scalar_row(x, gamma, beta, one, columns, eps):
    """Normalise a row in place, one element at a time; only the root is a vector's."""
    total = 0.0
    for i in range(columns):
        total += x.get_value(i)
    mean = total / columns
    squares = 0.0
    for i in range(columns):
        less = x.get_value(i) - mean
        squares += less * less
    one.set_value(0, squares / columns + eps)
    asc.pipe_barrier(ALL)
    asc.sqrt(one, one, 1)
    asc.pipe_barrier(ALL)
    factor = 1.0 / one.get_value(0)
    for i in range(columns):
        less = (x.get_value(i) - mean) * factor
        x.set_value(i, less * gamma.get_value(i) + beta.get_value(i))


@asc.jit
def basic_row(x, gamma, beta, one, columns, eps):
    """Normalise a row in place; every step waits for the one before."""
    room = one[(columns + 15) // 8 * 8 :]
    asc.reduce_sum(one, x, room, columns)
    asc.pipe_barrier(ALL)
    mean = one.get_value(0) / columns
    asc.adds(x, x, -mean, columns)
    asc.pipe_barrier(ALL)
    asc.mul(one[8:], x, x, columns)
    asc.pipe_barrier(ALL)
    asc.reduce_sum(one, one[8:], room, columns)
    asc.pipe_barrier(ALL)
    one.set_value(0, one.get_value(0) / columns + eps)
    asc.pipe_barrier(ALL)
    asc.sqrt(one, one, 1)
    asc.pipe_barrier(ALL)
    asc.muls(x, x, 1.0 / one.get_value(0), columns)
    asc.pipe_barrier(ALL)
    asc.mul(x, x, gamma, columns)
    asc.pipe_barrier(ALL)
    asc.add(x, x, beta, columns)


@asc.jit
def free_rows(x, gamma, beta, room, u, rows, t, eps):
    """Normalise rows in place; u: statistic, a 1, spread, block results."""
    reduce_rows(u[0], x, u[3], SUM, rows, t.columns, t.pitch)
    asc.muls(u[0], u[0], 1.0 / t.columns, rows)
    spread(u[2], u[0], rows)
    with_number(subtract, x, x, u[2], rows, t.columns, t.pitch)
    asc.mul(room, x, x, rows * t.pitch)
    reduce_rows(u[0], room, u[3], SUM, rows, t.columns, t.pitch)
    inverse_roots(u[0], u[1], rows, t.columns, eps)
    spread(u[2], u[0], rows)
    with_number(multiply, x, x, u[2], rows, t.columns, t.pitch)
    with_row(multiply, x, x, gamma, rows, t.columns, t.pitch)
    with_row(plus, x, x, beta, rows, t.columns, t.pitch)


@asc.jit
def inverse_roots(stat, one, rows, columns, eps):
    """stat = 1 / sqrt(stat / columns + eps); the division is exact, rsqrt is not."""
    asc.muls(stat, stat, 1.0 / columns, rows)
    asc.adds(stat, stat, eps, rows)
    asc.sqrt(stat, stat, rows)
    asc.div(stat, one, stat, rows)


@asc.jit
def one_row(x, gamma, beta, z, t, eps, row):
    """A row at a time through one buffer, `row` computes."""
    w = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 5 * t.pitch + 256)
    gx, gz, gg, gb = (
        asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    )  # fmt: skip
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    gg.set_global_buffer(gamma, t.columns)
    gb.set_global_buffer(beta, t.columns)
    scale, shift, one = w[t.pitch :], w[2 * t.pitch :], w[3 * t.pitch :]
    read_row(scale, gg, 0, 1, t)
    read_row(shift, gb, 0, 1, t)
    first = asc.get_block_idx() * t.row_share
    for i in range(first, min(first + t.row_share, t.rows)):
        read_row(w, gx, i, 1, t)
        asc.pipe_barrier(ALL)
        row(w, scale, shift, one, t.columns, eps)
        asc.pipe_barrier(ALL)
        write_row(gz, w, i, 1, t)
        asc.pipe_barrier(ALL)


@asc.jit
def layernorm_scalar(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, beta: asc.GlobalAddress,
    z: asc.GlobalAddress, t: RowTiles, eps: float,
):  # fmt: skip
    """The scalar unit computes element by element."""
    one_row(x, gamma, beta, z, t, eps, scalar_row)


@asc.jit
def layernorm_basic(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, beta: asc.GlobalAddress,
    z: asc.GlobalAddress, t: RowTiles, eps: float,
):  # fmt: skip
    """One row, one buffer, get_value, a barrier after each step."""
    one_row(x, gamma, beta, z, t, eps, basic_row)


@asc.jit
def layernorm_tiled(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, beta: asc.GlobalAddress,
    z: asc.GlobalAddress, t: RowTiles, eps: float,
):  # fmt: skip
    """`tile_rows` rows a copy, one buffer."""
    tile, small = t.tile_rows * t.pitch, (t.tile_rows + 7) // 8 * 8
    size = 2 * tile + 2 * t.weight + 10 * small + t.part
    w = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, size)
    gx, gz, gg, gb = (
        asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    )  # fmt: skip
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    gg.set_global_buffer(gamma, t.columns)
    gb.set_global_buffer(beta, t.columns)
    scale = w[2 * tile :]
    shift, stat = scale[t.weight :], scale[2 * t.weight :]
    u = stat, stat[small:], stat[2 * small :], stat[10 * small :]
    asc.duplicate(stat, 1.0, 2 * small)
    read_row(scale, gg, 0, 1, t)
    read_row(shift, gb, 0, 1, t)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    for i in range(first, last, t.tile_rows):
        rows = min(t.tile_rows, last - i)
        read_row(w, gx, i, rows, t)
        asc.pipe_barrier(ALL)
        free_rows(w, scale, shift, w[tile:], u, rows, t, eps)
        asc.pipe_barrier(ALL)
        write_row(gz, w, i, rows, t)
        asc.pipe_barrier(ALL)


@asc.jit
def vector_row(x, gamma, beta, room, u, t, eps):
    """Normalise a row in place without the scalar unit; gamma holds gamma * sqrt(n)."""
    reduce_rows(u[0], x, u[3], SUM, 1, t.columns, t.pitch)
    spread(u[2], u[0], 1)
    asc.set_mask_count()
    less = asc.UnaryRepeatParams(1, 0, 8, 0)
    asc.axpy(x, u[2], -1.0 / t.columns, t.columns, 1, less)
    asc.set_mask_norm()
    asc.reset_mask()
    asc.mul(room, x, x, t.columns)
    reduce_rows(u[0], room, u[3], SUM, 1, t.columns, t.pitch)
    asc.adds(u[0], u[0], eps * t.columns, 1)
    asc.sqrt(u[0], u[0], 1)
    spread(u[2], u[0], 1)
    with_number(divide, x, x, u[2], 1, t.columns, t.pitch)
    asc.mul(x, x, gamma, t.columns)
    asc.add(x, x, beta, t.columns)


@asc.jit
def times_root(gamma, u, t):
    """gamma * sqrt(columns), once a block."""
    asc.set_flag(asc.HardEvent.MTE2_V, 1)
    asc.wait_flag(asc.HardEvent.MTE2_V, 1)
    asc.duplicate(u[2], t.columns * 1.0, 8)
    asc.sqrt(u[2], u[2], 8)
    with_number(multiply, gamma, gamma, u[2], 1, t.columns, t.pitch)


@asc.jit
def layernorm_vectorised(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, beta: asc.GlobalAddress,
    z: asc.GlobalAddress, t: RowTiles, eps: float,
):  # fmt: skip
    """One row, one buffer, flags between pipes; weights 256 B off the banks of x."""
    w = asc.LocalTensor(
        asc.float32, asc.TPosition.VECCALC, 0, 4 * t.weight + 144 + t.part
    )
    gx, gz, gg, gb = (
        asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    )  # fmt: skip
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    gg.set_global_buffer(gamma, t.columns)
    gb.set_global_buffer(beta, t.columns)
    scale, shift = w[t.weight + 64 :], w[2 * t.weight + 64 :]
    room, stat = w[3 * t.weight + 64 :], w[4 * t.weight + 64 :]
    u = stat, stat[8:], stat[16:], stat[80:]
    asc.duplicate(stat, 1.0, 8)
    read_row(scale, gg, 0, 1, t)
    read_row(shift, gb, 0, 1, t)
    times_root(scale, u, t)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    for i in range(first, last):
        read_row(w, gx, i, 1, t)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        vector_row(w, scale, shift, room, u, t, eps)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        write_row(gz, w, i, 1, t)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@asc.jit
def sums_of_tile(u, x, rows, columns):
    """u[0][r] = sum of row r, columns ≤ 4096: blocks of 8, of 64, the rest."""
    step = columns // 8
    line = (step + 63) // 64
    asc.block_reduce_sum(u[3], x, rows * columns // 64, 64, 1, 1, 8)
    for at in range(0, step, 64):
        mask = min(64, step - at)
        part = u[3][at:]
        asc.block_reduce_sum(u[4][at // 8 :], part, rows, mask, line, 1, step // 8)
    asc.whole_reduce_sum(u[0], u[4], step // 8, rows, 1, 1, line)


@asc.jit
def resident_tile(c, a, scale, shift, u, rows, t, eps):
    """c = LayerNorm of a; c serves as room before. No row ends inside a repeat."""
    count = rows * t.columns
    sums_of_tile(u, a, rows, t.columns)
    asc.muls(u[0], u[0], 1.0 / t.columns, rows)
    spread(u[2], u[0], rows)
    with_number(subtract, a, a, u[2], rows, t.columns, t.pitch)
    asc.mul(c, a, a, count)
    sums_of_tile(u, c, rows, t.columns)
    inverse_roots(u[0], u[1], rows, t.columns, eps)
    spread(u[2], u[0], rows)
    with_number(multiply, a, a, u[2], rows, t.columns, t.pitch)
    for at in range(0, count, 2 * t.columns):
        some = min(2 * t.columns, count - at)
        asc.mul(a[at:], a[at:], scale, some)
    for at in range(0, count, 2 * t.columns):
        some = min(2 * t.columns, count - at)
        asc.add(c[at:], a[at:], shift, some)


@asc.jit
def layernorm_resident(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, beta: asc.GlobalAddress,
    z: asc.GlobalAddress, t: RowTiles, eps: float,
):  # fmt: skip
    """Three buffers in, two out; weights twice in UB, 256 B off the banks of x."""
    pipe = asc.TPipe()
    arrive, leave = asc.TQue(asc.TPosition.VECIN, 3), asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    tile, small = t.tile_rows * t.pitch, (t.tile_rows + 7) // 8 * 8
    pipe.init_buffer(arrive, 3, tile * 4)
    pipe.init_buffer(leave, 2, tile * 4)
    pipe.init_buffer(work, (64 + 4 * t.columns + 10 * small + 2 * t.part) * 4)
    gx, gz, gg, gb = (
        asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    )  # fmt: skip
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    gg.set_global_buffer(gamma, t.columns)
    gb.set_global_buffer(beta, t.columns)
    gx.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    gg.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    gb.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    w = work.get(asc.float32)
    scale, shift, stat = w[64:], w[64 + 2 * t.columns :], w[64 + 4 * t.columns :]
    part = stat[10 * small :]
    u = stat, stat[small:], stat[2 * small :], part, part[t.part :]
    asc.duplicate(stat, 1.0, 2 * small)
    first = asc.get_block_idx() * t.row_share
    last = min(first + t.row_share, t.rows)
    load_weights(scale, arrive, gg, t.columns)
    load_weights(shift, arrive, gb, t.columns)
    for i in range(first, min(first + 2 * t.tile_rows, last), t.tile_rows):
        load_rows(arrive, gx, i, min(t.tile_rows, last - i), t.columns)
    asc.data_copy(scale[t.columns :], scale, t.columns)
    asc.data_copy(shift[t.columns :], shift, t.columns)
    for i in range(first, last, t.tile_rows):
        rows, after = min(t.tile_rows, last - i), i + 2 * t.tile_rows
        if after < last:
            load_rows(arrive, gx, after, min(t.tile_rows, last - after), t.columns)
        a, c = arrive.deque(asc.float32), leave.alloc_tensor(asc.float32)
        resident_tile(c, a, scale, shift, u, rows, t, eps)
        arrive.free_tensor(a)
        leave.enque(c)
        store_rows(leave, gz, i, rows, t.columns)
