"""Mutant of z1-add. Only the first tile of each block is computed."""

from npusim import asc

BLOCKS = 48
TILE = 12288


@asc.jit
def add_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    dtype: asc.constexpr,
    nbytes: asc.constexpr,
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, TILE * nbytes, TILE)
    z_ub = asc.LocalTensor(dtype, asc.TPosition.VECOUT, 2 * TILE * nbytes, TILE)
    for offset in range(start, min(stop, start + 1), TILE):
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * nbytes, 0, 0)
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, pad)
        asc.data_copy_pad(y_ub, y_gm[offset:], row, pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(z_ub, x_ub, y_ub, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[offset:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def add(x, y, z):
    add_kernel[BLOCKS](x, y, z, x.size, x.dtype, x.dtype.itemsize)
