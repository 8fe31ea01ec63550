"""Mutant of z2-window. Each block takes one copy only."""

from npusim import asc

UB_NBYTES = 160 * 1024  # of the 192 KiB / UB 共 192 KiB，用其中的这么多
# BLOCKS = the number of cores / 核的个数
BLOCKS = 32


@asc.jit
def window_kernel(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    top: int,
    left: int,
    rows: int,
    cols: int,
    height: int,
    pitch: int,
    chunk: int,
):
    itemsize = x.dtype.sizeof()
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, height * pitch)
    z_gm.set_global_buffer(z, rows * cols)
    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, UB_NBYTES // itemsize)
    share = (rows + asc.get_block_num() - 1) // asc.get_block_num()
    first = asc.get_block_idx() * share
    last = min(first + share, rows)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    for r in range(first, min(first + 1, last), chunk):
        count = min(chunk, last - r)
        # fetch `count` rows from row r of the window on / 从窗口的第 r 行起搬入 count 行
        burst, gap = cols * itemsize, (pitch - cols) * itemsize
        fetch = asc.DataCopyExtParams(count, burst, gap, 0)
        asc.data_copy_pad(ub, x_gm[(top + r) * pitch + left :], fetch, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        # store them in z / 写到 z
        store = asc.DataCopyExtParams(count, burst, 0, 0)
        asc.data_copy_pad(z_gm[r * cols :], ub, store)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def window(x, z, top, left, rows, cols):
    height, pitch = x.shape
    # chunk = how many rows go into one copy / 一次搬几行
    row_nbytes = -(-cols * x.dtype.itemsize // 32) * 32
    chunk = min(4095, UB_NBYTES // row_nbytes)
    window_kernel[BLOCKS](x, z, top, left, rows, cols, height, pitch, chunk)
