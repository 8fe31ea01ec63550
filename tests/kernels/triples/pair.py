"""z = x + 1 as a long chain of vector work on two tensors; queues of two buffers."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 2)
    out_z = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(in_x, 2, tile * 4)
    pipe.init_buffer(out_z, 2, tile * 4)
    pipe.init_buffer(work, tile * 4 + 4096)
    ones = work.get(asc.float32)[64:]
    asc.duplicate(ones, 1.0, tile)
    for at in range(begin, begin + share, tile):
        x_local = in_x.alloc_tensor(asc.float32)
        asc.data_copy(x_local, x_global[at:], tile)
        in_x.enque(x_local)
        x_local = in_x.deque(asc.float32)
        z_local = out_z.alloc_tensor(asc.float32)
        asc.add(z_local, x_local, ones, tile)
        for _again in range(60):
            asc.sub(z_local, z_local, ones, tile)
            asc.add(z_local, x_local, ones, tile)
        in_x.free_tensor(x_local)
        out_z.enque(z_local)
        z_local = out_z.deque(asc.float32)
        asc.data_copy(z_global[at:], z_local, tile)
        out_z.free_tensor(z_local)
