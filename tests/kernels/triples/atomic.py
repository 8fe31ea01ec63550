"""z = x + 1 as a sum of contributions: each core adds x / cores, core 0 adds 1."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    zeros = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 4 * tile, tile)
    zeros_size = zeros.get_size()
    assert zeros_size == tile
    part = 1.0 / asc.get_block_num()
    asc.set_atomic_add(asc.float32)
    for at in range(0, n, tile):
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(local, x_global[at:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.muls(local, local, part, tile)
        if asc.get_block_idx() == 0:
            asc.adds(local, local, 1.0, tile)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_global[at:], local, tile)
    asc.set_atomic_none()
