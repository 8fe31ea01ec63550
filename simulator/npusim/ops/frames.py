"""Frames of element-wise kernels: copy in, compute, copy out, with two buffers a queue.

A kernel of the library is a frame with a *chain*, a helper `chain(z, x, …, scratch,
count, values)` of vector instructions on one tile. With `wide` a tile of half or
bfloat16 is cast to float32 before the chain and back after it. `scratch` is a tuple of
tiles that keep their content from tile to tile; `setup(scratch, tile, values)` fills
them once. `values` are the scalar attributes of the operator.
"""

from __future__ import annotations

from npusim import asc


@asc.jit
def no_setup(scratch, tile, values):
    pass


@asc.jit
def load(queue, source, at, count):
    """Copy `count` elements from `source[at]` into the next tile of a queue."""
    nbytes = count * source.dtype.sizeof()
    tile = queue.alloc_tensor(source.dtype)
    row = asc.DataCopyExtParams(1, nbytes, 0, 0)
    asc.data_copy_pad(tile, source[at:], row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    queue.enque(tile)


@asc.jit
def store(queue, target, at, count):
    """Copy the oldest tile of a queue to `target[at]`."""
    nbytes = count * target.dtype.sizeof()
    tile = queue.deque(target.dtype)
    asc.data_copy_pad(target[at:], tile, asc.DataCopyExtParams(1, nbytes, 0, 0))
    queue.free_tensor(tile)


@asc.jit
def narrow(z, wide, count):
    """Cast float32 to the type of z, to the nearest."""
    asc.cast(z, wide, asc.RoundMode.CAST_RINT, count)


@asc.jit
def widen(wide, x, count):
    """Cast to float32, which is exact."""
    asc.cast(wide, x, asc.RoundMode.CAST_NONE, count)


@asc.jit
def map_one(x, z, t, wide, chain, values=(), setup=no_setup):
    """z = chain(x), tile by tile."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile * z.dtype.sizeof())
    pipe.init_buffer(work, t.work)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gz.set_global_buffer(z, t.n)
    w = work.get(asc.float32 if wide else x.dtype)
    s = (w[t.scratch_at :], w[t.scratch_at + t.tile :], w[t.scratch_at + 2 * t.tile :])
    setup(s, t.tile, values)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive, gx, at, count)
        a = arrive.deque(x.dtype)
        c = leave.alloc_tensor(z.dtype)
        if wide:
            widen(w, a, count)
            chain(w[t.result_at :], w, s, count, values)
            narrow(c, w[t.result_at :], count)
        else:
            chain(c, a, s, count, values)
        arrive.free_tensor(a)
        leave.enque(c)
        store(leave, gz, at, count)


@asc.jit
def map_two(x, y, z, t, wide, chain, values=(), setup=no_setup):
    """z = chain(x, y), tile by tile."""
    pipe = asc.TPipe()
    arrive_x = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_y = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive_x, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(arrive_y, 2, t.tile * y.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile * z.dtype.sizeof())
    pipe.init_buffer(work, t.work)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gy.set_global_buffer(y, t.n)
    gz.set_global_buffer(z, t.n)
    w = work.get(asc.float32 if wide else x.dtype)
    s = (w[t.scratch_at :], w[t.scratch_at + t.tile :])
    setup(s, t.tile, values)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive_x, gx, at, count)
        load(arrive_y, gy, at, count)
        a = arrive_x.deque(x.dtype)
        b = arrive_y.deque(y.dtype)
        c = leave.alloc_tensor(z.dtype)
        if wide:
            widen(w, a, count)
            widen(w[t.tile :], b, count)
            chain(w[t.result_at :], w, w[t.tile :], s, count, values)
            narrow(c, w[t.result_at :], count)
        else:
            chain(c, a, b, s, count, values)
        arrive_x.free_tensor(a)
        arrive_y.free_tensor(b)
        leave.enque(c)
        store(leave, gz, at, count)
