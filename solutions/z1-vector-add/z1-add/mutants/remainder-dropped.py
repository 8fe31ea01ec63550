"""Mutant of z1-add. N % blocks elements are never written."""

from npusim import asc

BLOCKS = 24


@asc.jit
def add_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    itemsize: asc.constexpr,
    dtype: asc.constexpr,
    tile: asc.constexpr,
):
    share = n // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, tile * itemsize, tile)
    z_ub = asc.LocalTensor(dtype, asc.TPosition.VECOUT, 2 * tile * itemsize, tile)
    for offset in range(start, stop, tile):
        count = min(tile, stop - offset)
        row = asc.DataCopyExtParams(1, count * itemsize, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)  # 3: copy x in / 搬入 x
        # 3: copy y in / 搬入 y
        asc.data_copy_pad(y_ub, y_gm[offset:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        # 4: add the tiles / 两块相加
        asc.add(z_ub, x_ub, y_ub, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[offset:], z_ub, row)  # 5: copy z out / 搬出 z
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def add(x, y, z):
    add_kernel[BLOCKS](x, y, z, x.size, x.dtype.itemsize, x.dtype, 8192)
