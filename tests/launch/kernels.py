"""Vector add in the four styles of the language, as the tests' common kernels."""

from npusim import asc


@asc.jit
def scalar_add(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int
):
    lines = (n + 31) // 32  # 64 B of half: a cache line must not be shared
    share = (lines + asc.get_block_num() - 1) // asc.get_block_num() * 32
    start = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    for i in range(start, min(start + share, n)):
        z_gm.set_value(i, x_gm.get_value(i) + y_gm.get_value(i))


@asc.jit
def flag_add(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    share: int,
    tile: asc.constexpr,
):
    start = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    y_gm.set_global_buffer(y + start, share)
    z_gm.set_global_buffer(z + start, share)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2 * tile, tile)
    z_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4 * tile, tile)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.set_flag(asc.HardEvent.MTE3_V, 0)
    for offset in range(0, share, tile):
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.data_copy(x_ub, x_gm[offset:], tile)
        asc.data_copy(y_ub, y_gm[offset:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE3_V, 0)
        asc.add(z_ub, x_ub, y_ub, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[offset:], z_ub, tile)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)


@asc.jit
def queue_add(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    share: int,
    tile: asc.constexpr,
    buffers: asc.constexpr = 2,
):
    start = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    y_gm.set_global_buffer(y + start, share)
    z_gm.set_global_buffer(z + start, share)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, buffers)
    in_y = asc.TQue(asc.TPosition.VECIN, buffers)
    out_z = asc.TQue(asc.TPosition.VECOUT, buffers)
    pipe.init_buffer(in_x, buffers, tile * 2)
    pipe.init_buffer(in_y, buffers, tile * 2)
    pipe.init_buffer(out_z, buffers, tile * 2)
    for offset in range(0, share, tile):
        x_ub = in_x.alloc_tensor(asc.half)
        y_ub = in_y.alloc_tensor(asc.half)
        asc.data_copy(x_ub, x_gm[offset:], tile)
        asc.data_copy(y_ub, y_gm[offset:], tile)
        in_x.enque(x_ub)
        in_y.enque(y_ub)
        x_in = in_x.deque(asc.half)
        y_in = in_y.deque(asc.half)
        z_ub = out_z.alloc_tensor(asc.half)
        asc.add(z_ub, x_in, y_in, tile)
        out_z.enque(z_ub)
        in_x.free_tensor(x_in)
        in_y.free_tensor(y_in)
        z_out = out_z.deque(asc.half)
        asc.data_copy(z_gm[offset:], z_out, tile)
        out_z.free_tensor(z_out)


@asc.jit
def copy_in(dst, src, count, itemsize):
    row = asc.DataCopyExtParams(1, count * itemsize, 0, 0)
    asc.data_copy_pad(dst, src, row, asc.DataCopyPadExtParams(False, 0, 0, 0))


@asc.jit
def any_add(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    dtype: asc.constexpr,
    tile: asc.constexpr,
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 2)
    in_y = asc.TQue(asc.TPosition.VECIN, 2)
    out_z = asc.TQue(asc.TPosition.VECOUT, 2)
    queues = [in_x, in_y, out_z]
    for i in asc.static_range(3):
        pipe.init_buffer(queues[i], 2, tile * dtype.sizeof())
    for offset in range(start, stop, tile):
        count = min(tile, stop - offset)
        x_ub = in_x.alloc_tensor(dtype)
        y_ub = in_y.alloc_tensor(dtype)
        copy_in(x_ub, x_gm[offset:], count, dtype.sizeof())
        copy_in(y_ub, y_gm[offset:], count, dtype.sizeof())
        in_x.enque(x_ub)
        in_y.enque(y_ub)
        x_in = in_x.deque(dtype)
        y_in = in_y.deque(dtype)
        z_ub = out_z.alloc_tensor(dtype)
        asc.add(z_ub, x_in, y_in, count)
        in_x.free_tensor(x_in)
        in_y.free_tensor(y_in)
        out_z.enque(z_ub)
        z_out = out_z.deque(dtype)
        row = asc.DataCopyExtParams(1, count * dtype.sizeof(), 0, 0)
        asc.data_copy_pad(z_gm[offset:], z_out, row)
        out_z.free_tensor(z_out)
