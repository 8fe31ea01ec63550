"""Mutant of z7-variance. The scalar unit reads the sum before it is there."""

from npusim import asc


@asc.jit
def variance_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, rows: int, cols: asc.constexpr
):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * cols)
    y_gm.set_global_buffer(y, rows)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 4096)
    work = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384, 4096)
    tmp = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 32768, 64)
    stat = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 33024, 8)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 33056, 8)
    form = asc.DataCopyExtParams(1, cols * 4, 0, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    for i in range(asc.get_block_idx(), rows, asc.get_block_num()):
        asc.data_copy_pad(row, x_gm[i * cols :], form, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        # out[0] = the variance of the row / 这一行的方差
        asc.reduce_sum(stat, row, tmp, cols)
        mean = stat.get_value(0) / cols
        asc.adds(work, row, -mean, cols)
        asc.mul(work, work, work, cols)
        asc.reduce_sum(out, work, tmp, cols)
        asc.muls(out, out, 1.0 / cols, 1)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(y_gm[i:], out, asc.DataCopyExtParams(1, 4, 0, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def variance(x, y):
    rows, cols = x.shape
    variance_kernel[min(rows, 48)](x, y, rows, cols)
