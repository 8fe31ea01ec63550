"""Base of z7-variance: two passes on one core. Speed does not count in this task."""

from npusim import asc


@asc.jit
def variance_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, rows: int, cols: asc.constexpr
):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * cols)
    y_gm.set_global_buffer(y, rows)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 4096)
    tmp = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384, 64)
    stat = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 16640, 8)
    form = asc.DataCopyExtParams(1, cols * 4, 0, 0)
    for i in range(rows):
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(row, x_gm[i * cols :], form, pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.reduce_sum(stat, row, tmp, cols)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(row, row, stat.get_value(0) / -cols, cols)
        asc.mul(row, row, row, cols)
        asc.muls(row, row, 1.0 / cols, cols)
        asc.reduce_sum(stat, row, tmp, cols)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(y_gm[i:], stat, asc.DataCopyExtParams(1, 4, 0, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def variance(x, y):
    variance_kernel[1](x, y, *x.shape)
