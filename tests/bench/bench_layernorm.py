"""LayerNorm as a good engineer writes it: rows in tiles, statistics stay in UB.

Several rows lie in a tile, pitch apart. An instruction takes 64 columns of all rows:
one row a repeat. Statistics are spread to one data block a row, which a block stride
of 0 then shows to all columns of the row.
"""

from npusim import asc

LANES = 64  # float32 elements of a repeat


@asc.jit
def fold(into, source, rows, chunks, pitch):
    """into[64 columns] of each row = the sum over the row's parts of 64 columns."""
    asc.add(
        into, source, source[LANES:], LANES, rows,
        asc.BinaryRepeatParams(1, 1, 1, 8, pitch, pitch),
    )  # fmt: skip
    for part in range(2, chunks):
        asc.add(
            into, into, source[part * LANES :], LANES, rows,
            asc.BinaryRepeatParams(1, 1, 1, 8, 8, pitch),
        )  # fmt: skip


@asc.jit
def row_means(spread, sums, source, rows, columns, pitch):
    """One data block a row, filled with the mean of the row."""
    fold(sums, source, rows, columns // LANES, pitch)
    asc.whole_reduce_sum(sums, sums, LANES, rows, 1, 1, 8)
    asc.muls(sums, sums, 1.0 / columns, rows)
    asc.brcb(spread, sums, (rows + 7) // 8, asc.BrcbRepeatParams(1, 8))


@asc.jit
def layernorm_tiles(
    x: asc.GlobalAddress,
    gamma: asc.GlobalAddress,
    beta: asc.GlobalAddress,
    y: asc.GlobalAddress,
    rows: int,
    columns: asc.constexpr,
    tile: asc.constexpr,
):
    """`tile` rows at a time; columns are a multiple of 128, rows of `tile`."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    weights = asc.TBuf(asc.TPosition.VECCALC)
    square = asc.TBuf(asc.TPosition.VECCALC)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, 4 * tile * columns)
    pipe.init_buffer(leave, 2, 4 * tile * columns)
    pipe.init_buffer(weights, 8 * columns)
    pipe.init_buffer(square, 4 * tile * columns)
    pipe.init_buffer(scratch, 4 * tile * (LANES + 8))
    gx, gy = asc.GlobalTensor(), asc.GlobalTensor()
    gg, gb = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    gg.set_global_buffer(gamma)
    gb.set_global_buffer(beta)
    scale = weights.get(asc.float32)
    shift = scale[columns:]
    squares = square.get(asc.float32)
    sums = scratch.get(asc.float32)
    spread = sums[tile * LANES :]
    pitch = columns // 8
    asc.data_copy(scale, gg, columns)
    asc.data_copy(shift, gb, columns)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    blocks, block = asc.get_block_num(), asc.get_block_idx()
    for first in range(block * tile, rows, blocks * tile):
        a = arrive.alloc_tensor(asc.float32)
        asc.data_copy(a, gx[first * columns :], tile * columns)
        arrive.enque(a)
        b = arrive.deque(asc.float32)
        row_means(spread, sums, b, tile, columns, pitch)
        c = leave.alloc_tensor(asc.float32)
        by_row = asc.BinaryRepeatParams(1, 1, 0, pitch, pitch, 1)
        for part in range(columns // LANES):
            at = part * LANES
            asc.sub(c[at:], b[at:], spread, LANES, tile, by_row)
        arrive.free_tensor(b)
        asc.mul(squares, c, c, tile * columns)
        row_means(spread, sums, squares, tile, columns, pitch)
        asc.adds(spread, spread, 1e-5, 8 * tile)
        asc.sqrt(spread, spread, 8 * tile)
        shared = asc.BinaryRepeatParams(1, 1, 1, pitch, pitch, 0)
        for part in range(columns // LANES):
            at = part * LANES
            asc.div(c[at:], c[at:], spread, LANES, tile, by_row)
            asc.mul(c[at:], c[at:], scale[at:], LANES, tile, shared)
            asc.add(c[at:], c[at:], shift[at:], LANES, tile, shared)
        leave.enque(c)
        d = leave.deque(asc.float32)
        asc.data_copy(gy[first * columns :], d, tile * columns)
        leave.free_tensor(d)
