"""z = x + 1 of one tile, with tensors to spare: order by barriers."""

from npusim import asc

# ruff: noqa: F841 - the triples use the spare tensors


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    z_local = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4 * tile, tile)
    work = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8 * tile, 4 * tile)
    other = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 24 * tile, tile)
    narrow = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 28 * tile, tile)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 30 * tile, tile)
    asc.data_copy(x_local, x_global, tile)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(z_local, x_local, 1.0, tile)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_global, z_local, tile)
