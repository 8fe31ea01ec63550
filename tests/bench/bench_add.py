"""Add with queues, for any dtype: tiles dealt to cores one after the other."""

from npusim import asc


@asc.jit
def add_tiles(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tiles: int,
    tile: asc.constexpr,
):
    pipe = asc.TPipe()
    left = asc.TQue(asc.TPosition.VECIN, 2)
    right = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(left, 2, tile * x.dtype.sizeof())
    pipe.init_buffer(right, 2, tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, tile * x.dtype.sizeof())
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gy.set_global_buffer(y)
    gz.set_global_buffer(z)
    for t in range(asc.get_block_idx(), tiles, asc.get_block_num()):
        a = left.alloc_tensor(x.dtype)
        b = right.alloc_tensor(x.dtype)
        asc.data_copy(a, gx[t * tile :], tile)
        asc.data_copy(b, gy[t * tile :], tile)
        left.enque(a)
        right.enque(b)
        a = left.deque(x.dtype)
        b = right.deque(x.dtype)
        c = leave.alloc_tensor(x.dtype)
        asc.add(c, a, b, tile)
        left.free_tensor(a)
        right.free_tensor(b)
        leave.enque(c)
        c = leave.deque(x.dtype)
        asc.data_copy(gz[t * tile :], c, tile)
        leave.free_tensor(c)
