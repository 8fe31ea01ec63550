"""Kernels of the micro-benchmarks: each does one thing many times over."""

from npusim import asc


@asc.jit
def vector_calls(
    x: asc.GlobalAddress,
    count: asc.constexpr,
    gap: asc.constexpr,
    step: asc.constexpr,
    calls: int,
):
    """`calls` adds of `count` float32; the sources lie `gap` bytes apart.

    `step` = 0: each call needs the result of the one before; 1: results go round
    eight places; 2: the same, and a barrier empties the pipe before each.
    """
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 4096)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, gap, 4096)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 65536, 32768)
    asc.duplicate(a, 1.0, 4096)
    asc.duplicate(b, 1.0, 4096)
    asc.duplicate(c, 1.0, 4096)
    for i in range(calls):
        at = i % 8 * count
        if step == 2:
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        if step == 0:
            asc.add(c, c, b, count)
        else:
            asc.add(c[at:], a, b, count)


@asc.jit
def one_copy(x: asc.GlobalAddress, nbytes: asc.constexpr, skip: asc.constexpr):
    """One copy of `nbytes`, from byte `skip` on."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, nbytes)
    asc.data_copy(t, gx[skip:], nbytes)


@asc.jit
def many_copies(x: asc.GlobalAddress, nbytes: asc.constexpr, calls: int):
    """`calls` copies one after another, to different places."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64 * nbytes)
    for i in range(calls):
        asc.data_copy(t[i * nbytes :], gx[i * nbytes :], nbytes)


@asc.jit
def bursts(
    x: asc.GlobalAddress,
    count: asc.constexpr,
    nbytes: asc.constexpr,
    gap: asc.constexpr,
):
    """One copy of `count` bursts of `nbytes`, `gap` bytes apart."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, count * nbytes)
    form = asc.DataCopyParams(count, nbytes // 32, gap // 32, 0)
    asc.data_copy(t, gx, form)


@asc.jit
def stream(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    share: int,
    tile: asc.constexpr,
    slots: asc.constexpr,
    read: asc.constexpr,
    write: asc.constexpr,
    bypass: asc.constexpr,
):
    """Every block reads, or writes, or copies its share in tiles of half."""
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z)
    if bypass:
        gx.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    first = asc.get_block_idx() * share
    u = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 0, tile * slots)
    asc.duplicate(u, 0.0, tile * slots)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    turns = share // tile
    for i in range(turns):
        slot = i % slots
        t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, slot * 2 * tile, tile)
        if read:
            if write and i >= slots:
                asc.wait_flag(asc.HardEvent.MTE3_MTE2, slot)
            if not write and slot == 0:
                asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
            asc.data_copy(t, gx[first + i * tile :], tile)
        if read and write:
            asc.set_flag(asc.HardEvent.MTE2_MTE3, slot)
            asc.wait_flag(asc.HardEvent.MTE2_MTE3, slot)
        if write:
            asc.data_copy(gz[first + i * tile :], t, tile)
        if read and write and i + slots < turns:
            asc.set_flag(asc.HardEvent.MTE3_MTE2, slot)


@asc.jit
def empty(x: asc.GlobalAddress):
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def round_trips(x: asc.GlobalAddress, calls: int):
    """Sum of a row, read by the scalar unit, used by the vector unit, and again."""
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    work = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    total = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 2048, 8)
    asc.duplicate(t, 1.0, 64)
    for _ in range(calls):
        asc.reduce_sum(total, t, work, 64)
        asc.set_flag(asc.HardEvent.V_S, 0)
        asc.wait_flag(asc.HardEvent.V_S, 0)
        asc.muls(t, t, 1.0 / total.get_value(0), 64)


@asc.jit
def queue_calls(x: asc.GlobalAddress, turns: int):
    """Four queue calls a turn, and nothing else."""
    pipe = asc.TPipe()
    q = asc.TQue(asc.TPosition.VECIN, 2)
    pipe.init_buffer(q, 2, 64)
    for _ in range(turns):
        t = q.alloc_tensor(asc.half)
        q.enque(t)
        u = q.deque(asc.half)
        q.free_tensor(u)


@asc.jit
def element_loop(x: asc.GlobalAddress, count: asc.constexpr, way: asc.constexpr):
    """c = a + b in UB: not at all (0), by a scalar loop (1), by an instruction (2)."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, count)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16640, count)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 65536, count)
    asc.duplicate(a, 1.0, count)
    asc.duplicate(b, 1.0, count)
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)
    if way == 1:
        for i in range(count):
            c.set_value(i, a.get_value(i) + b.get_value(i))
    if way == 2:
        asc.add(c, a, b, count)


@asc.jit
def set_up(x: asc.GlobalAddress, buffers: asc.constexpr):
    """`buffers` small buffers, and nothing in them."""
    pipe = asc.TPipe()
    for _ in asc.static_range(buffers):
        held = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(held, 64)


@asc.jit
def long_loop(x: asc.GlobalAddress, turns: int, length: asc.constexpr):
    """A loop whose body is `length` instructions long, none needs another."""
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 512)
    for _ in range(turns):
        for i in asc.static_range(length):
            asc.duplicate(t[i % 8 * 64 :], 1.0, 64)


@asc.jit
def meetings(x: asc.GlobalAddress, turns: int):
    """All cores meet `turns` times."""
    for _ in range(turns):
        asc.sync_all()


@asc.jit
def one_array(x: asc.GlobalAddress, tiles: int, tile: asc.constexpr, own: int):
    """Every block reads all of x: in the same order, or `own` = 1 from its own tile."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    for i in range(tiles):
        at = (i + own * asc.get_block_idx()) % tiles
        asc.data_copy(t, gx[at * tile :], tile)
        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
