"""Base of z5-squared-difference: queues with two buffers, everything on one core."""

from npusim import asc

TILE = 8192  # elements; six float32 tiles use all 192 KiB of UB


@asc.jit
def base_kernel(
    a: asc.GlobalAddress, b: asc.GlobalAddress, z: asc.GlobalAddress, n: int
):
    dtype = a.dtype
    a_gm, b_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    a_gm.set_global_buffer(a, n)
    b_gm.set_global_buffer(b, n)
    z_gm.set_global_buffer(z, n)
    pipe = asc.TPipe()
    a_queue = asc.TQue(asc.TPosition.VECIN, 2)
    b_queue = asc.TQue(asc.TPosition.VECIN, 2)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(a_queue, 2, TILE * dtype.sizeof())
    pipe.init_buffer(b_queue, 2, TILE * dtype.sizeof())
    pipe.init_buffer(z_queue, 2, TILE * dtype.sizeof())
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        row = asc.DataCopyExtParams(1, count * dtype.sizeof(), 0, 0)
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        a_ub, b_ub = a_queue.alloc_tensor(dtype), b_queue.alloc_tensor(dtype)
        asc.data_copy_pad(a_ub, a_gm[start:], row, pad)
        asc.data_copy_pad(b_ub, b_gm[start:], row, pad)
        a_queue.enque(a_ub)
        b_queue.enque(b_ub)
        left, right = a_queue.deque(dtype), b_queue.deque(dtype)
        z_ub = z_queue.alloc_tensor(dtype)
        asc.sub(z_ub, left, right, count)
        asc.mul(z_ub, z_ub, z_ub, count)
        a_queue.free_tensor(left)
        b_queue.free_tensor(right)
        z_queue.enque(z_ub)
        out = z_queue.deque(dtype)
        asc.data_copy_pad(z_gm[start:], out, row)
        z_queue.free_tensor(out)


def squared_difference(a, b, z):
    base_kernel[1](a, b, z, a.size)
