"""Kernels that repeat published measurements: one instruction, bank cases, two ladders.

The ladders follow what is published of their schedules: tensors at fixed addresses,
flags instead of queues, tiles dealt to cores in runs.
"""

from npusim import asc


@asc.jit
def one_add(
    x: asc.GlobalAddress,
    dtype: asc.constexpr,
    mask: asc.constexpr,
    repeats: asc.constexpr,
    pitch: asc.constexpr,
    total: asc.constexpr,
):
    """One add over `total` elements; with a mask, `repeats` rows `pitch` blocks apart.

    Both sources lie in one bank group, the result in another 64 KiB window.
    """
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    a = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, total)
    b = asc.LocalTensor(dtype, asc.TPosition.VECIN, 65536, total)
    c = asc.LocalTensor(dtype, asc.TPosition.VECOUT, 131072, total)
    asc.data_copy(a, gx, total)
    asc.data_copy(b, gx, total)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    if mask == 0:
        asc.add(c, a, b, total)
    else:
        rows = asc.BinaryRepeatParams(1, 1, 1, pitch, pitch, pitch)
        step = pitch * 32 * total // (repeats * pitch * 32)
        for first in asc.static_range(0, repeats, 255):
            at = first * step
            count = min(255, repeats - first)
            asc.add(c[at:], a[at:], b[at:], mask, count, rows)


@asc.jit
def bank_case(
    x: asc.GlobalAddress,
    first: asc.constexpr,
    second: asc.constexpr,
    result: asc.constexpr,
    calls: int,
):
    """`calls` adds of 64 repeats in float32 at three addresses of UB."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, first, 4096)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, second, 4096)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, result, 4096)
    asc.data_copy(a, gx, 4096)
    asc.data_copy(b, gx, 4096)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    for _ in range(calls):
        asc.add(c, a, b, 4096)
        asc.pipe_barrier(asc.PipeID.PIPE_V)


@asc.jit
def add_scalar(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tiles: int,
    tile: asc.constexpr,
):
    """Step 0 of the Add ladder: the scalar unit adds element by element."""
    a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    b = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2 * tile, tile)
    c = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4 * tile, tile)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    gz.set_global_buffer(z)
    for t in range(tiles):
        asc.data_copy(a, gx[t * tile :], tile)
        asc.data_copy(b, gy[t * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE2_S, 0)
        asc.wait_flag(asc.HardEvent.MTE2_S, 0)
        for i in range(tile):
            c.set_value(i, a.get_value(i) + b.get_value(i))
        asc.set_flag(asc.HardEvent.S_MTE3, 0)
        asc.wait_flag(asc.HardEvent.S_MTE3, 0)
        asc.data_copy(gz[t * tile :], c, tile)
        asc.set_flag(asc.HardEvent.MTE3_S, 0)
        asc.wait_flag(asc.HardEvent.MTE3_S, 0)


@asc.jit
def dealt(tiles, rest):
    """(tiles of this core, its first): in runs, the last core takes the rest."""
    blocks, block = asc.get_block_num(), asc.get_block_idx()
    mine = tiles // blocks + (1 if block < tiles % blocks else 0)
    first = block * (tiles // blocks) + min(block, tiles % blocks)
    if block == blocks - 1 and rest > 0:
        mine += 1
    return mine, first


@asc.jit
def inputs(x, y, bypass):
    """Global tensors of the two inputs, past L2 or not."""
    gx, gy = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    if bypass:
        gx.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
        gy.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    return gx, gy


@asc.jit
def add_tiles(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    tile: asc.constexpr,
    slots: asc.constexpr,
    bypass: asc.constexpr,
    second: asc.constexpr,
    result: asc.constexpr,
):
    """Steps 1 to 6: `slots` buffers a tensor, in steps 5 and 6 inputs bypass L2.

    `second`, `result`: bytes from the start of UB to the buffers of y and z. Whole
    tiles are dealt to the cores in runs; the last core takes the rest.
    """
    gx, gy = inputs(x, y, bypass)  # type: ignore[attr-defined]
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    mine, first = dealt(n // tile, n % tile)  # type: ignore[attr-defined]
    for i in range(mine):
        slot = i % slots
        at = (first + i) * tile
        count = min(tile, n - at)
        base = slot * 2 * tile
        a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, base, tile)
        b = asc.LocalTensor(asc.half, asc.TPosition.VECIN, base + second, tile)
        c = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, base + result, tile)
        if i >= slots:
            asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.data_copy(a, gx[at:], count)
        asc.data_copy(b, gy[at:], count)
        asc.set_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE2_V, slot)
        if i >= slots:
            asc.wait_flag(asc.HardEvent.MTE3_V, slot)
        asc.add(c, a, b, count)
        if i + slots < mine:
            asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.V_MTE3, slot)
        asc.wait_flag(asc.HardEvent.V_MTE3, slot)
        asc.data_copy(gz[at:], c, count)
        if i + slots < mine:
            asc.set_flag(asc.HardEvent.MTE3_V, slot)


@asc.jit
def copy_matrix(
    x: asc.GlobalAddress,
    rows: int,
    columns: int,
    high: asc.constexpr,
    wide: asc.constexpr,
    times: int,
    slices: int,
    slots: asc.constexpr,
):
    """Copy ladder, steps 1 to 6: every block reads its rows, slice by slice of columns.

    A tile is `high` rows of `wide` elements, one instruction. Each slice is read
    `times` times before the next. Tiles go round `slots` places of UB; what they leave
    of a row is one more copy. With one place no barrier orders the copies, as nobody
    uses them: a hazard in any other kernel, so it is launched in lenient mode.
    """
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, slots * high * wide)
    share = rows // asc.get_block_num()
    first = asc.get_block_idx() * share
    width = columns // slices
    rounds = width // wide // slots
    rest = width - rounds * slots * wide
    form = asc.DataCopyExtParams(high, 2 * wide, 2 * (columns - wide), 0)
    last = asc.DataCopyExtParams(high, 2 * rest, 2 * (columns - rest), 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    for cut in range(slices):
        for _ in range(times):
            for row in range(first, first + share, high):
                at = row * columns + cut * width
                for _ in range(rounds):
                    if slots > 1:
                        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
                    for slot in range(slots):
                        asc.data_copy_pad(
                            t[slot * high * wide :], gx[at:], form, no_pad
                        )
                        at += wide
                if rest > 0:
                    asc.data_copy_pad(t, gx[at:], last, no_pad)


@asc.jit
def copy_shared(
    x: asc.GlobalAddress,
    rows: int,
    columns: int,
    high: asc.constexpr,
    wide: asc.constexpr,
    own: asc.constexpr,
    slots: asc.constexpr,
):
    """Steps 7 and 8: every block reads the whole matrix, which bypasses L2.

    `own` = 0: all in one order; 1: each starts at another tile.
    """
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gx.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    across = columns // wide
    tiles = rows // high * across
    shift = own * asc.get_block_idx() * tiles // asc.get_block_num()
    for i in range(tiles):
        number = (i + shift) % tiles
        slot = i % slots
        place = slot * 2 * high * wide
        t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, place, high * wide)
        at = number // across * high * columns + number % across * wide
        if slot == 0:
            asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
        form = asc.DataCopyParams(high, wide // 16, (columns - wide) // 16, 0)
        asc.data_copy(t, gx[at:], form)
