"""z = x + 1 element by element on the scalar unit, whole cache lines a core."""

from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr):
    share = (n + 16 * asc.get_block_num() - 1) // (16 * asc.get_block_num()) * 16
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    for i in range(asc.get_block_idx() * share, n):
        if i >= (asc.get_block_idx() + 1) * share:
            break
        z_global.set_value(i, x_global.get_value(i) + 1.0)
