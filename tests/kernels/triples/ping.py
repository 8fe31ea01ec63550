"""z = x + 1 by tiles in two sets of tensors at fixed addresses: order by flags."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    for k in asc.static_range(2):
        asc.set_flag(asc.HardEvent.V_MTE2, k)
        asc.set_flag(asc.HardEvent.MTE3_V, k)
    for i in range(share // tile):
        at = begin + i * tile
        base = i % 2 * 8 * tile
        x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, base, tile)
        z_local = asc.LocalTensor(
            asc.float32, asc.TPosition.VECOUT, base + 4 * tile, tile
        )
        asc.wait_flag(asc.HardEvent.V_MTE2, i % 2)
        asc.data_copy(x_local, x_global[at:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, i % 2)
        asc.wait_flag(asc.HardEvent.MTE2_V, i % 2)
        asc.wait_flag(asc.HardEvent.MTE3_V, i % 2)
        asc.adds(z_local, x_local, 1.0, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, i % 2)
        asc.set_flag(asc.HardEvent.V_MTE3, i % 2)
        asc.wait_flag(asc.HardEvent.V_MTE3, i % 2)
        asc.data_copy(z_global[at:], z_local, tile)
        asc.set_flag(asc.HardEvent.MTE3_V, i % 2)
    for k in asc.static_range(2):
        asc.wait_flag(asc.HardEvent.V_MTE2, k)
        asc.wait_flag(asc.HardEvent.MTE3_V, k)
