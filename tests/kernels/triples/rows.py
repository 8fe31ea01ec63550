"""z = x + 1 by rows of a width that is no multiple of 32 B, many rows a copy."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    rows = n // tile
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 16384)
    pad = asc.DataCopyPadExtParams(True, 0, (8 - tile % 8) % 8, 0)
    asc.duplicate(x_local, 0.0, 16384)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    params = asc.DataCopyExtParams(rows, tile * 4, 0, 0)  # in
    asc.data_copy_pad(x_local, x_global, params, pad)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(x_local, x_local, 1.0, 16384)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    params = asc.DataCopyExtParams(rows, tile * 4, 0, 0)  # out
    asc.data_copy_pad(z_global, x_local, params)
