"""The largest of n elements: over whole 32 B blocks, padding and all, or over n."""

from npusim import asc


@asc.jit
def largest(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    count: int,
    room: asc.constexpr,
):
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, 1)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, room)
    best = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, room * 4, 8)
    work = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, room * 8, room)
    params = asc.DataCopyExtParams(1, n * 4, 0, 0)
    pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.data_copy_pad(row, x_global, params, pad)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.reduce_max(best, row, work, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(z_global, best, asc.DataCopyExtParams(1, 4, 0, 0))
