"""One buffer for each queue: the copies and the vector work take turns."""

from npusim import asc

BLOCKS = 48
TILE = 4096  # elements, 16 KiB


@asc.jit
def copy_in(queue, source, nbytes):
    tensor = queue.alloc_tensor(asc.float32)
    row = asc.DataCopyExtParams(1, nbytes, 0, 0)
    asc.data_copy_pad(tensor, source, row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    queue.enque(tensor)


@asc.jit
def copy_out(queue, target, nbytes):
    tensor = queue.deque(asc.float32)
    asc.data_copy_pad(target, tensor, asc.DataCopyExtParams(1, nbytes, 0, 0))
    queue.free_tensor(tensor)


@asc.jit
def difference_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, d: asc.GlobalAddress, n: int
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm, d_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    d_gm.set_global_buffer(d, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    y_queue = asc.TQue(asc.TPosition.VECIN, 1)
    d_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(x_queue, 1, TILE * 4)
    pipe.init_buffer(y_queue, 1, TILE * 4)
    pipe.init_buffer(d_queue, 1, TILE * 4)
    for offset in range(start, stop, TILE):
        count = min(TILE, stop - offset)
        copy_in(x_queue, x_gm[offset:], count * 4)
        copy_in(y_queue, y_gm[offset:], count * 4)
        x_ub, y_ub = x_queue.deque(asc.float32), y_queue.deque(asc.float32)
        d_ub = d_queue.alloc_tensor(asc.float32)
        asc.sub(d_ub, x_ub, y_ub, count)
        asc.abs(d_ub, d_ub, count)
        d_queue.enque(d_ub)
        x_queue.free_tensor(x_ub)
        y_queue.free_tensor(y_ub)
        copy_out(d_queue, d_gm[offset:], count * 4)


def absolute_difference(x, y, d):
    difference_kernel[BLOCKS](x, y, d, x.size)
