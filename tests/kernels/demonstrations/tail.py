"""z = x + 1 for n elements, copied by data_copy (whole 32 B) or by data_copy_pad."""

from npusim import asc


@asc.jit
def rounded(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, room: asc.constexpr):
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    x_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, room)
    z_local = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, room * 2, room)
    asc.data_copy(x_local, x_global, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(z_local, x_local, 1.0, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_global, z_local, n)


@asc.jit
def exact(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, room: asc.constexpr):
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    x_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, room)
    z_local = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, room * 2, room)
    params = asc.DataCopyExtParams(1, n * 2, 0, 0)
    pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.data_copy_pad(x_local, x_global, params, pad)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(z_local, x_local, 1.0, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(z_global, z_local, params)
