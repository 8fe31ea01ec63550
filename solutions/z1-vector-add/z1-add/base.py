"""Base of z1-add: a plain correct kernel on one block. It earns no speed points."""

from npusim import asc

TILE = 8192  # elements; three float32 tiles are 96 KiB of the 192 KiB of UB


@asc.jit
def base_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    dtype: asc.constexpr,
    nbytes: asc.constexpr,
):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, TILE * nbytes, TILE)
    z_ub = asc.LocalTensor(dtype, asc.TPosition.VECOUT, 2 * TILE * nbytes, TILE)
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        row = asc.DataCopyExtParams(1, count * nbytes, 0, 0)
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[start:], row, pad)
        asc.data_copy_pad(y_ub, y_gm[start:], row, pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(z_ub, x_ub, y_ub, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[start:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def add(x, y, z):
    base_kernel[1](x, y, z, x.size, x.dtype, x.dtype.itemsize)
