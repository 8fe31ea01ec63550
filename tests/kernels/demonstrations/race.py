"""z = 2 x by tiles in one or two buffers; the flag MTE2→V right, early or missing.

set_before: the flag is set one line too early, so V waits for the copy before.
set_after: the right place. Neither: V waits for nothing.
The result stays in UB until the end: 64 KiB for x, 128 KiB for z.
"""

from npusim import asc


@asc.jit
def double(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    tile: asc.constexpr,
    buffers: asc.constexpr,
    set_before: asc.constexpr,
    set_after: asc.constexpr,
):
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    z_local = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 65536, n)
    for i in range(n // tile):
        turn = i % buffers
        x_local = asc.LocalTensor(
            asc.float32, asc.TPosition.VECIN, turn * tile * 4, tile
        )
        if i >= buffers:
            asc.wait_flag(asc.HardEvent.V_MTE2, turn)
        if set_before:
            asc.set_flag(asc.HardEvent.MTE2_V, turn)
        asc.data_copy(x_local, x_global[i * tile :], tile)
        if set_after:
            asc.set_flag(asc.HardEvent.MTE2_V, turn)
        if set_before or set_after:
            asc.wait_flag(asc.HardEvent.MTE2_V, turn)
        asc.muls(z_local[i * tile :], x_local, 2.0, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, turn)
    for turn in range(buffers):
        asc.wait_flag(asc.HardEvent.V_MTE2, turn)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_global, z_local, n)
