"""Vector add in the four styles of the course: texts that several tests compile."""

HEAD = "from npusim import asc\n\n\n"

SCALAR = (
    HEAD
    + '''@asc.jit
def add_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
               n: int):
    """One number at a time, on the scalar unit."""
    gx = asc.GlobalTensor()
    gy = asc.GlobalTensor()
    gz = asc.GlobalTensor()
    gx.set_global_buffer(x, n)
    gy.set_global_buffer(y, n)
    gz.set_global_buffer(z, n)
    for i in range(asc.get_block_idx(), n, asc.get_block_num()):
        gz.set_value(i, gx.get_value(i) + gy.get_value(i))
'''
)

STATIC = (
    HEAD
    + """@asc.jit
def add_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
               n: int, tile: asc.constexpr):
    per_block = n // asc.get_block_num()
    start = asc.get_block_idx() * per_block
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x + start, per_block)
    gy.set_global_buffer(y + start, per_block)
    gz.set_global_buffer(z + start, per_block)
    nbytes = tile * asc.half.sizeof()
    x_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, nbytes, tile)
    z_local = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 2 * nbytes, tile)
    for i in range(per_block // tile):
        if i > 0:
            asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.data_copy(x_local, gx[i * tile:], tile)
        asc.data_copy(y_local, gy[i * tile:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.add(z_local, x_local, y_local, tile)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(gz[i * tile:], z_local, tile)
        if i < per_block // tile - 1:
            asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
"""
)

QUEUES = (
    HEAD
    + """@asc.jit
def add_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
               n: int, tile: asc.constexpr, buffers: asc.constexpr = 2):
    per_block = n // asc.get_block_num()
    start = asc.get_block_idx() * per_block
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x + start, per_block)
    gy = asc.GlobalTensor()
    gy.set_global_buffer(y + start, per_block)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z + start, per_block)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, buffers)
    in_y = asc.TQue(asc.TPosition.VECIN, buffers)
    out_z = asc.TQue(asc.TPosition.VECOUT, buffers)
    pipe.init_buffer(in_x, buffers, tile * asc.half.sizeof())
    pipe.init_buffer(in_y, buffers, tile * asc.half.sizeof())
    pipe.init_buffer(out_z, buffers, tile * asc.half.sizeof())
    for i in range(per_block // tile):
        x_local = in_x.alloc_tensor(asc.half)
        y_local = in_y.alloc_tensor(asc.half)
        asc.data_copy(x_local, gx[i * tile:], tile)
        asc.data_copy(y_local, gy[i * tile:], tile)
        in_x.enque(x_local)
        in_y.enque(y_local)
        x_local = in_x.deque(asc.half)
        y_local = in_y.deque(asc.half)
        z_local = out_z.alloc_tensor(asc.half)
        asc.add(z_local, x_local, y_local, tile)
        out_z.enque(z_local)
        in_x.free_tensor(x_local)
        in_y.free_tensor(y_local)
        z_local = out_z.deque(asc.half)
        asc.data_copy(gz[i * tile:], z_local, tile)
        out_z.free_tensor(z_local)
"""
)

ANY_LENGTH = (
    HEAD
    + """@asc.jit
def copy_in(queue, source, offset, count):
    local = queue.alloc_tensor(source.dtype)
    params = asc.DataCopyExtParams(1, count * source.dtype.sizeof(), 0, 0)
    padding = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.data_copy_pad(local, source[offset:], params, padding)
    queue.enque(local)


@asc.jit
def compute(in_x, in_y, out_z, dtype, count):
    x_local = in_x.deque(dtype)
    y_local = in_y.deque(dtype)
    z_local = out_z.alloc_tensor(dtype)
    asc.add(z_local, x_local, y_local, count)
    out_z.enque(z_local)
    in_x.free_tensor(x_local)
    in_y.free_tensor(y_local)


@asc.jit
def copy_out(queue, target, offset, count):
    local = queue.deque(target.dtype)
    params = asc.DataCopyExtParams(1, count * target.dtype.sizeof(), 0, 0)
    asc.data_copy_pad(target[offset:], local, params)
    queue.free_tensor(local)


@asc.jit
def add_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
               n: int, tile: asc.constexpr):
    per_block = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * per_block
    length = min(per_block, n - start)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x + start, length)
    gy.set_global_buffer(y + start, length)
    gz.set_global_buffer(z + start, length)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 2)
    in_y = asc.TQue(asc.TPosition.VECIN, 2)
    out_z = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(in_x, 2, tile * x.dtype.sizeof())
    pipe.init_buffer(in_y, 2, tile * x.dtype.sizeof())
    pipe.init_buffer(out_z, 2, tile * x.dtype.sizeof())
    offset = 0
    while offset < length:
        count = min(tile, length - offset)
        copy_in(in_x, gx, offset, count)
        copy_in(in_y, gy, offset, count)
        compute(in_x, in_y, out_z, x.dtype, count)
        copy_out(out_z, gz, offset, count)
        offset += tile
"""
)

STYLES = {
    "scalar": SCALAR,
    "static": STATIC,
    "queues": QUEUES,
    "any_length": ANY_LENGTH,
}
