"""z = x + 1 by tiles: tensors at fixed addresses, order by flags."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    z_local = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4 * tile, tile)
    for i in range(share // tile):
        at = begin + i * tile
        if i > 0:
            asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.data_copy(x_local, x_global[at:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        if i > 0:
            asc.wait_flag(asc.HardEvent.MTE3_V, 0)
        asc.adds(z_local, x_local, 1.0, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_global[at:], z_local, tile)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)
