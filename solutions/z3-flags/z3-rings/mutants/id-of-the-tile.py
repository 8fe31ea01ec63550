"""The event id is the number of the tile, and there are eight ids."""

from npusim import asc

BLOCKS = 48
TILE = 2048  # elements, 8 KiB


@asc.jit
def triple_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 1)
    for offset in range(start, stop, TILE):
        k = (offset - start) // TILE % 2
        tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, k * TILE * 4, TILE)
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * 4, 0, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, k)
        asc.data_copy_pad(tile_ub, x_gm[offset:], row, no_pad)
        asc.set_flag(asc.HardEvent.MTE2_V, (offset - start) // TILE)
        asc.wait_flag(asc.HardEvent.MTE2_V, (offset - start) // TILE)
        asc.muls(tile_ub, tile_ub, 3.0, count)
        asc.set_flag(asc.HardEvent.V_MTE3, k)
        asc.wait_flag(asc.HardEvent.V_MTE3, k)
        asc.data_copy_pad(y_gm[offset:], tile_ub, row)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, k)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 1)


@asc.jit
def raise_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.set_flag(asc.HardEvent.V_MTE2, 1)
    asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.set_flag(asc.HardEvent.MTE3_V, 1)
    for offset in range(start, stop, TILE):
        k = (offset - start) // TILE % 2
        x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, k * TILE * 4, TILE)
        place = (2 + k) * TILE * 4
        y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, place, TILE)
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * 4, 0, 0)
        asc.wait_flag(asc.HardEvent.V_MTE2, k)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        asc.set_flag(asc.HardEvent.MTE2_V, k)
        asc.wait_flag(asc.HardEvent.MTE2_V, k)
        asc.wait_flag(asc.HardEvent.MTE3_V, k)
        asc.adds(y_ub, x_ub, 3.0, count)
        asc.set_flag(asc.HardEvent.V_MTE2, k)
        asc.set_flag(asc.HardEvent.V_MTE3, k)
        asc.wait_flag(asc.HardEvent.V_MTE3, k)
        asc.data_copy_pad(y_gm[offset:], y_ub, row)
        asc.set_flag(asc.HardEvent.MTE3_V, k)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 1)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 1)


def triple_and_raise(x, tripled, raised):
    triple_kernel[BLOCKS](x, tripled, x.size)
    raise_kernel[BLOCKS](x, raised, x.size)
