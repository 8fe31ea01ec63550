"""z = x + 1 by half rows of a matrix of `tile` columns, 32 rows a copy."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    rows = n // tile // asc.get_block_num()
    begin = asc.get_block_idx() * rows * tile
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 2)
    out_z = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(in_x, 2, 32 * tile * 2)
    pipe.init_buffer(out_z, 2, 32 * tile * 2)
    for at in range(0, rows, 32):
        for half in range(2):
            start = begin + at * tile + half * (tile // 2)
            x_local = in_x.alloc_tensor(asc.float32)
            params = asc.DataCopyParams(32, tile // 16, tile // 16, 0)
            asc.data_copy(x_local, x_global[start:], params)
            in_x.enque(x_local)
            x_local = in_x.deque(asc.float32)
            z_local = out_z.alloc_tensor(asc.float32)
            asc.adds(z_local, x_local, 1.0, 32 * tile // 2)
            in_x.free_tensor(x_local)
            out_z.enque(z_local)
            z_local = out_z.deque(asc.float32)
            params = asc.DataCopyParams(32, tile // 16, 0, tile // 16)
            asc.data_copy(z_global[start:], z_local, params)
            out_z.free_tensor(z_local)
