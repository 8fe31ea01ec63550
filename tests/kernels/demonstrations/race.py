"""z = 2 x by tiles in one or two buffers, with the flag MTE2→V right, early or missing.

set_before: the flag is set one line too early, so V waits for the copy before.
set_after: the right place. Neither: V waits for nothing.
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
    for i in range(n // tile):
        turn = i % buffers
        x_local = asc.LocalTensor(
            asc.float32, asc.TPosition.VECIN, turn * tile * 8, tile
        )
        z_local = asc.LocalTensor(
            asc.float32, asc.TPosition.VECOUT, turn * tile * 8 + tile * 4, tile
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
        if i >= buffers:
            asc.wait_flag(asc.HardEvent.MTE3_V, turn)
        asc.muls(z_local, x_local, 2.0, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, turn)
        asc.set_flag(asc.HardEvent.V_MTE3, turn)
        asc.wait_flag(asc.HardEvent.V_MTE3, turn)
        asc.data_copy(z_global[i * tile :], z_local, tile)
        asc.set_flag(asc.HardEvent.MTE3_V, turn)
    for turn in range(buffers):
        asc.wait_flag(asc.HardEvent.V_MTE2, turn)
        asc.wait_flag(asc.HardEvent.MTE3_V, turn)
