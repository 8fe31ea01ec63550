"""Mutant of z0-excess. Y minus x instead of x minus y."""

from npusim import asc


@asc.jit
def excess_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    tile: asc.constexpr,
):
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2 * tile, tile)
    z_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4 * tile, tile)
    for start in range(asc.get_block_idx() * tile, n, asc.get_block_num() * tile):
        count = min(tile, n - start)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[start:], row, no_pad)
        asc.data_copy_pad(y_ub, y_gm[start:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.sub_relu(z_ub, y_ub, x_ub, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[start:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def excess(x, y, z):
    excess_kernel[24](x, y, z, x.size, 8192)
