"""z = x + 1 for any length: order by queues of two buffers, exact copies."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    begin = asc.get_block_idx() * share
    end = min(begin + share, n)
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 2)
    out_z = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(in_x, 2, tile * asc.float32.sizeof())
    pipe.init_buffer(out_z, 2, tile * asc.float32.sizeof())
    for at in range(begin, end, tile):
        count = min(tile, end - at)
        params = asc.DataCopyExtParams(1, count * 4, 0, 0)
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        x_local = in_x.alloc_tensor(asc.float32)
        asc.data_copy_pad(x_local, x_global[at:], params, pad)
        in_x.enque(x_local)
        x_local = in_x.deque(asc.float32)
        z_local = out_z.alloc_tensor(asc.float32)
        asc.adds(z_local, x_local, 1.0, count)
        in_x.free_tensor(x_local)
        out_z.enque(z_local)
        z_local = out_z.deque(asc.float32)
        asc.data_copy_pad(z_global[at:], z_local, params)
        out_z.free_tensor(z_local)
