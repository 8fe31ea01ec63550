"""Base of z3-rings: both kernels in order, on one block. It earns no speed points."""

from npusim import asc

TILE = 2048  # elements


@asc.jit
def triple_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    for offset in range(0, n, TILE):
        count = min(TILE, n - offset)
        row = asc.DataCopyExtParams(1, count * 4, 0, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.data_copy_pad(tile_ub, x_gm[offset:], row, no_pad)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.muls(tile_ub, tile_ub, 3.0, count)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy_pad(y_gm[offset:], tile_ub, row)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@asc.jit
def raise_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    for offset in range(0, n, TILE):
        count = min(TILE, n - offset)
        row = asc.DataCopyExtParams(1, count * 4, 0, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.data_copy_pad(tile_ub, x_gm[offset:], row, no_pad)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(tile_ub, tile_ub, 3.0, count)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy_pad(y_gm[offset:], tile_ub, row)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


def triple_and_raise(x, tripled, raised):
    triple_kernel[1](x, tripled, x.size)
    raise_kernel[1](x, raised, x.size)
