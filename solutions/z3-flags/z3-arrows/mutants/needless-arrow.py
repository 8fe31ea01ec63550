"""An arrow V to MTE2 beside the path through MTE3."""

from npusim import asc

BLOCKS = 48
TILE = 2048  # elements, 8 KiB


@asc.jit
def positive_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    for offset in range(start, stop, TILE):
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * 4, 0, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.data_copy_pad(tile_ub, x_gm[offset:], row, no_pad)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.maxs(tile_ub, tile_ub, 0.0, count)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy_pad(y_gm[offset:], tile_ub, row)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@asc.jit
def negative_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.set_flag(asc.HardEvent.MTE3_V, 0)
    for offset in range(start, stop, TILE):
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * 4, 0, 0)
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE3_V, 0)
        asc.mins(y_ub, x_ub, 0.0, count)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy_pad(y_gm[offset:], y_ub, row)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)


def signed_parts(x, positive, negative):
    positive_kernel[BLOCKS](x, positive, x.size)
    negative_kernel[BLOCKS](x, negative, x.size)
