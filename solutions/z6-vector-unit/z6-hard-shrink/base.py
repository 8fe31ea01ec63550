"""Base of z6-hard-shrink: 48 cores, short tiles, a barrier after every step."""

from npusim import asc

SHORT = 1024  # elements of a tile


@asc.jit
def base_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, lam: float):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    h = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, SHORT)
    a = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 2 * SHORT, SHORT)
    zeros = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 4 * SHORT, SHORT)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 6 * SHORT, SHORT // 8)
    asc.duplicate(a, 0.0, SHORT)
    asc.duplicate(zeros, 0.0, SHORT)
    step = asc.get_block_num() * SHORT
    for offset in range(asc.get_block_idx() * SHORT, n, step):
        count = min(SHORT, n - offset)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(h, x_gm[offset:], row, pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.abs(a, h, count)
        asc.compare_scalar(bits, a, lam, asc.CMPMODE.LE, SHORT)
        mode = asc.SELMODE.VSEL_TENSOR_TENSOR_MODE
        asc.select(h, bits, zeros, h, mode, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(y_gm[offset:], h, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def hard_shrink(x, y, lam):
    base_kernel[48](x, y, x.size, lam)
