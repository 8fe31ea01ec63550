"""Small kernels, each made so that one mechanism of the timing model shows."""

from npusim import asc


@asc.jit
def vectors(x: asc.GlobalAddress, count: asc.constexpr, gap: asc.constexpr):
    """Two adds; `gap` bytes lie between the starts of the two sources."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 4096)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, gap, 4096)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 65536, 4096)
    asc.duplicate(a, 1.0, 4096)
    asc.duplicate(b, 1.0, 4096)
    asc.add(c, a, b, count)
    asc.adds(c, c, 1.0, count)


@asc.jit
def copies(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    share: asc.constexpr,
    tile: asc.constexpr,
    skip: asc.constexpr,
    bypass: asc.constexpr,
):
    """Every block copies its share in tiles, GM to UB to GM, from element `skip` on."""
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z)
    if bypass:
        gx.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    first = asc.get_block_idx() * share
    for i in range(share // tile):
        slot = i % 2
        t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, slot * 2 * tile, tile)
        if i >= 2:
            asc.wait_flag(asc.HardEvent.MTE3_MTE2, slot)
        asc.data_copy(t, gx[first + i * tile + skip :], tile)
        asc.set_flag(asc.HardEvent.MTE2_MTE3, slot)
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, slot)
        asc.data_copy(gz[first + i * tile :], t, tile)
        if i + 2 < share // tile:
            asc.set_flag(asc.HardEvent.MTE3_MTE2, slot)


@asc.jit
def one_address(x: asc.GlobalAddress, tiles: int, tile: asc.constexpr, own: int):
    """Every block reads all of x: in the same order, or `own` = 1 from its own tile."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    for i in range(tiles):
        at = (i + own * asc.get_block_idx()) % tiles
        asc.data_copy(t, gx[at * tile :], tile)
        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)


@asc.jit
def bursts(x: asc.GlobalAddress, count: asc.constexpr):
    """One copy of `count` bursts of 32 B."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 16 * count)
    asc.data_copy(t, gx, asc.DataCopyParams(count, 1, 1, 0))


@asc.jit
def scalars(x: asc.GlobalAddress, count: int):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(t, 0.0, 64)
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)
    total = 0.0
    for i in range(count):
        total = total + t.get_value(i % 64)
    t.set_value(0, total)


@asc.jit
def queues(x: asc.GlobalAddress, calls: int):
    pipe = asc.TPipe()
    q = asc.TQue(asc.TPosition.VECIN, 2)
    pipe.init_buffer(q, 2, 64)
    for _ in range(calls):
        t = q.alloc_tensor(asc.half)
        q.enque(t)
        u = q.deque(asc.half)
        q.free_tensor(u)


@asc.jit
def long_code(x: asc.GlobalAddress, turns: int, length: asc.constexpr):
    """A loop whose body is `length` instructions long."""
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(t, 0.0, 64)
    for _ in range(turns):
        for _ in asc.static_range(length):
            asc.adds(t, t, 1.0, 64)


@asc.jit
def meeting(x: asc.GlobalAddress):
    asc.sync_all()
    asc.sync_all()


@asc.jit
def atomic_sum(x: asc.GlobalAddress, z: asc.GlobalAddress, tile: asc.constexpr):
    """Every block adds its tile to one result."""
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z, tile)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    asc.data_copy(t, gx[asc.get_block_idx() * tile :], tile)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.set_atomic_add(asc.float32)
    asc.data_copy(gz, t, tile)
    asc.set_atomic_none()


@asc.jit
def row_sum(x: asc.GlobalAddress, z: asc.GlobalAddress, columns: asc.constexpr):
    """One row a block: its sum, eight times over."""
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, columns)
    work = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 65536, columns)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 131072, 64)
    block = asc.get_block_idx()
    asc.data_copy(t, gx[block * columns :], columns)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.duplicate(out, 0.0, 64)
    asc.reduce_sum(out, t, work, columns)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(gz[block * 8 :], out, 8)
