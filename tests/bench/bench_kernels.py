"""Kernels that the benchmarks time: the published add ladder and an element-wise chain.

The add follows the published schedule: tensors at fixed addresses, flags, tiles dealt
to cores in runs. Steps 1 to 3 use one slot, step 4 two.
"""

from npusim import asc


@asc.jit
def add_scalar(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tiles: int,
    tile: asc.constexpr,
):
    """Step 0: the scalar unit adds element by element in the Unified Buffer."""
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
def add_flags(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tiles: int,
    tile: asc.constexpr,
    slots: asc.constexpr,
):
    """Steps 1 to 4: `tiles` tiles in all, `slots` buffers a tensor."""
    nbytes = 2 * tile
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    gz.set_global_buffer(z)
    blocks, block = asc.get_block_num(), asc.get_block_idx()
    mine = tiles // blocks + (1 if block < tiles % blocks else 0)
    first = block * (tiles // blocks) + min(block, tiles % blocks)
    for i in range(mine):
        slot = i % slots
        at = (first + i) * tile
        base = slot * nbytes
        a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, base, tile)
        b = asc.LocalTensor(asc.half, asc.TPosition.VECIN, base + slots * nbytes, tile)
        c = asc.LocalTensor(
            asc.half, asc.TPosition.VECOUT, base + 2 * slots * nbytes, tile
        )
        if i >= slots:
            asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.data_copy(a, gx[at:], tile)
        asc.data_copy(b, gy[at:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE2_V, slot)
        if i >= slots:
            asc.wait_flag(asc.HardEvent.MTE3_V, slot)
        asc.add(c, a, b, tile)
        if i + slots < mine:
            asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.V_MTE3, slot)
        asc.wait_flag(asc.HardEvent.V_MTE3, slot)
        asc.data_copy(gz[at:], c, tile)
        if i + slots < mine:
            asc.set_flag(asc.HardEvent.MTE3_V, slot)


@asc.jit
def rows_chain(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    rows: int,
    columns: asc.constexpr,
):
    """A row at a time through a chain of eight vector instructions, with queues."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(arrive, 2, 4 * columns)
    pipe.init_buffer(leave, 2, 4 * columns)
    gx, gy = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    blocks, block = asc.get_block_num(), asc.get_block_idx()
    for row in range(block, rows, blocks):
        a = arrive.alloc_tensor(asc.float32)
        asc.data_copy(a, gx[row * columns :], columns)
        arrive.enque(a)
        b = arrive.deque(asc.float32)
        c = leave.alloc_tensor(asc.float32)
        asc.muls(c, b, 0.5, columns)
        asc.mul(c, c, b, columns)
        asc.adds(c, c, 1.0, columns)
        asc.sub(c, c, b, columns)
        asc.relu(c, c, columns)
        asc.muls(c, c, -1.0, columns)
        asc.exp(c, c, columns)
        asc.add(c, c, b, columns)
        arrive.free_tensor(b)
        leave.enque(c)
        d = leave.deque(asc.float32)
        asc.data_copy(gy[row * columns :], d, columns)
        leave.free_tensor(d)


@asc.jit
def layernorm_rows(
    x: asc.GlobalAddress,
    gamma: asc.GlobalAddress,
    beta: asc.GlobalAddress,
    y: asc.GlobalAddress,
    rows: int,
    columns: asc.constexpr,
):
    """LayerNorm, a row at a time: two passes, statistics through `get_value`."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    weights = asc.TBuf(asc.TPosition.VECCALC)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, 4 * columns)
    pipe.init_buffer(leave, 2, 4 * columns)
    pipe.init_buffer(weights, 8 * columns)
    pipe.init_buffer(scratch, 4 * columns + 256)
    gx, gy = asc.GlobalTensor(), asc.GlobalTensor()
    gg, gb = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    gg.set_global_buffer(gamma)
    gb.set_global_buffer(beta)
    both = weights.get(asc.float32)
    scale = both[0:columns]
    shift = both[columns : 2 * columns]
    work = scratch.get(asc.float32)
    total = work[columns:]
    asc.data_copy(scale, gg, columns)
    asc.data_copy(shift, gb, columns)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    blocks, block = asc.get_block_num(), asc.get_block_idx()
    for row in range(block, rows, blocks):
        a = arrive.alloc_tensor(asc.float32)
        asc.data_copy(a, gx[row * columns :], columns)
        arrive.enque(a)
        b = arrive.deque(asc.float32)
        c = leave.alloc_tensor(asc.float32)
        asc.reduce_sum(total, b, work, columns)
        asc.set_flag(asc.HardEvent.V_S, 0)
        asc.wait_flag(asc.HardEvent.V_S, 0)
        mean = total.get_value(0) / columns
        asc.adds(c, b, -mean, columns)
        arrive.free_tensor(b)
        asc.mul(work, c, c, columns)
        asc.reduce_sum(total, work, work, columns)
        asc.muls(total, total, 1.0 / columns, 1)
        asc.adds(total, total, 1e-5, 1)
        asc.sqrt(total, total, 1)
        asc.set_flag(asc.HardEvent.V_S, 0)
        asc.wait_flag(asc.HardEvent.V_S, 0)
        asc.muls(c, c, 1.0 / total.get_value(0), columns)
        asc.mul(c, c, scale, columns)
        asc.add(c, c, shift, columns)
        leave.enque(c)
        d = leave.deque(asc.float32)
        asc.data_copy(gy[row * columns :], d, columns)
        leave.free_tensor(d)
