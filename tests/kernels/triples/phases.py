"""z = x + 1 in two phases: each core copies its share to z, the next core adds 1."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    asc.data_copy(local, x_global[begin:], tile)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(z_global[begin:], local, tile)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
    after = begin
    if asc.get_block_num() <= 48:
        asc.sync_all()
        after = (begin + share) % n
    asc.data_copy(local, z_global[after:], tile)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(local, local, 1.0, tile)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_global[after:], local, tile)
