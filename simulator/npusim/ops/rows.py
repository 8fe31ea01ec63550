"""Row operators: the frame, and the arithmetic that holds for every row of a tile.

A tile holds several rows in float32, `pitch` elements apart (whole data blocks). A
reduction leaves one number a row; `spread` fills a data block with each, so that one
instruction can combine a row with its own number. Up to NARROW columns an instruction
takes 64 columns of all rows, beyond it takes one row. Statistics never leave UB.

Left out: rows that do not fit UB, other axes.
"""

from __future__ import annotations

from npusim import asc

NARROW = 256  # columns up to which an instruction works on all rows of a tile
LANES = 8  # float32 of a data block
WIDTH = 64  # float32 of a repeat
LARGEST, SUM, SMALLEST = 0, 1, 2  # what a reduction finds


# ------------------------------------------------------------------------------ copies
@asc.jit
def load_rows(queue, source, first, rows, columns):
    """Copy rows into the next tile of a queue, each filled up to a data block by 0."""
    size = source.dtype.sizeof()
    tile = queue.alloc_tensor(source.dtype)
    filler = -columns % (32 // size)
    pad = asc.DataCopyPadExtParams(True, 0, filler, 0)
    if filler == 0:
        flat = asc.DataCopyExtParams(1, rows * columns * size, 0, 0)
        asc.data_copy_pad(tile, source[first * columns :], flat, pad)
    else:
        each = asc.DataCopyExtParams(rows, columns * size, 0, 0)
        asc.data_copy_pad(tile, source[first * columns :], each, pad)
    queue.enque(tile)


@asc.jit
def store_rows(queue, target, first, rows, columns):
    """Copy the oldest tile of a queue to GM without the filler of its rows."""
    size = target.dtype.sizeof()
    tile = queue.deque(target.dtype)
    if columns % (32 // size) == 0:
        flat = asc.DataCopyExtParams(1, rows * columns * size, 0, 0)
        asc.data_copy_pad(target[first * columns :], tile, flat)
    else:
        each = asc.DataCopyExtParams(rows, columns * size, 0, 0)
        asc.data_copy_pad(target[first * columns :], tile, each)
    queue.free_tensor(tile)


@asc.jit
def load_weights(into, queue, source, columns):
    """One row, once a block, in float32 (gamma, beta)."""
    load_rows(queue, source, 0, 1, columns)
    tile = queue.deque(source.dtype)
    if source.dtype == asc.float32:
        asc.adds(into, tile, 0.0, columns)
    else:
        asc.cast(into, tile, asc.RoundMode.CAST_NONE, columns)
    queue.free_tensor(tile)


# -------------------------------------------------------------------------- reductions
@asc.jit
def blocks_of(into, x, kind, repeats, mask, into_step, x_step):
    """One result for each data block of x."""
    if kind == SUM:
        asc.block_reduce_sum(into, x, repeats, mask, into_step, 1, x_step)
    elif kind == SMALLEST:
        asc.block_reduce_min(into, x, repeats, mask, into_step, 1, x_step)
    else:
        asc.block_reduce_max(into, x, repeats, mask, into_step, 1, x_step)


@asc.jit
def whole_of(into, x, kind, mask, repeats, x_step):
    """One result for each repeat of x."""
    if kind == SUM:
        asc.whole_reduce_sum(into, x, mask, repeats, 1, 1, x_step)
    elif kind == SMALLEST:
        order = asc.ReduceOrder.ORDER_ONLY_VALUE
        asc.whole_reduce_min(into, x, mask, repeats, 1, 1, x_step, order)
    else:
        order = asc.ReduceOrder.ORDER_ONLY_VALUE
        asc.whole_reduce_max(into, x, mask, repeats, 1, 1, x_step, order)


@asc.jit
def reduce_rows(stat, x, part, kind, rows, columns, pitch):
    """stat[r] = sum, largest or smallest of row r; `part`: pitch / 8 elements a row."""
    if columns <= WIDTH:
        whole_of(stat, x, kind, columns, rows, pitch // LANES)
    elif columns <= NARROW:
        step = (columns + WIDTH - 1) // WIDTH
        for at in range(0, columns, WIDTH):
            mask = min(WIDTH, columns - at)
            blocks_of(part[at // LANES :], x[at:], kind, rows, mask, step, pitch // 8)
        whole_of(stat, part, kind, (columns + LANES - 1) // LANES, rows, step)
    else:
        reduce_long_rows(stat, x, part, kind, rows, columns, pitch)


@asc.jit
def part_pitch(columns):
    """Elements of a row of block results, in whole data blocks."""
    return (columns + WIDTH - 1) // WIDTH * LANES


@asc.jit
def reduce_long_rows(stat, x, part, kind, rows, columns, pitch):
    """Level by level, so that the rows of a level do not wait for each other."""
    step = part_pitch(columns)
    asc.set_mask_count()
    for r in range(rows):
        blocks_of(part[r * step :], x[r * pitch :], kind, 1, columns, 1, 8)
    count = (columns + LANES - 1) // LANES
    while count > WIDTH:
        for r in range(rows):
            blocks_of(part[r * step :], part[r * step :], kind, 1, count, 1, 8)
        count = (count + LANES - 1) // LANES
    asc.set_mask_norm()
    asc.reset_mask()
    for r in range(rows):
        whole_of(stat[r:], part[r * step :], kind, count, 1, 8)


@asc.jit
def spread(filled, stat, rows):
    """Data block r of `filled` holds stat[r] in all its elements."""
    asc.brcb(filled, stat, (rows + LANES - 1) // LANES, asc.BrcbRepeatParams(1, 8))


# --------------------------------------------------------- a row with its own number
@asc.jit
def with_number(operation, z, x, filled, rows, columns, pitch):
    """z[r] = operation(x[r], filled[r]) with one number a row."""
    step = pitch // LANES
    if columns <= NARROW:
        across = asc.BinaryRepeatParams(1, 1, 0, step, step, 1)
        for at in range(0, columns, WIDTH):
            mask = min(WIDTH, columns - at)
            operation(z[at:], x[at:], filled, mask, rows, across)
    else:
        along = asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0)
        asc.set_mask_count()
        for r in range(rows):
            at = r * pitch
            operation(z[at:], x[at:], filled[r * LANES :], columns, 1, along)
        asc.set_mask_norm()
        asc.reset_mask()


@asc.jit
def with_row(operation, z, x, row, rows, columns, pitch):
    """z[r] = operation(x[r], row): one row for all rows of the tile."""
    step = pitch // LANES
    if columns <= NARROW:
        across = asc.BinaryRepeatParams(1, 1, 1, step, step, 0)
        for at in range(0, columns, WIDTH):
            mask = min(WIDTH, columns - at)
            operation(z[at:], x[at:], row[at:], mask, rows, across)
    else:
        asc.set_mask_count()
        for r in range(rows):
            at = r * pitch
            operation(z[at:], x[at:], row, columns, 1, asc.BinaryRepeatParams())
        asc.set_mask_norm()
        asc.reset_mask()


@asc.jit
def subtract(z, x, y, mask, repeats, params):
    asc.sub(z, x, y, mask, repeats, params)


@asc.jit
def multiply(z, x, y, mask, repeats, params):
    asc.mul(z, x, y, mask, repeats, params)


@asc.jit
def divide(z, x, y, mask, repeats, params):
    asc.div(z, x, y, mask, repeats, params)


@asc.jit
def plus(z, x, y, mask, repeats, params):
    asc.add(z, x, y, mask, repeats, params)
