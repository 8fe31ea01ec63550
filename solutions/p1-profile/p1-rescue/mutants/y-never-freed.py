"""The scales are freed for every row."""

from npusim import asc

MOST = 4096  # columns of a row at most / 一行最多多少列


@asc.jit
def take(queue, source, count):
    tensor = queue.alloc_tensor(asc.float32)
    row = asc.DataCopyExtParams(1, count * 4, 0, 0)
    asc.data_copy_pad(tensor, source, row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    queue.enque(tensor)
    return queue.deque(asc.float32)


@asc.jit
def give(queue, target, tensor, count):
    queue.enque(tensor)
    full = queue.deque(asc.float32)
    asc.data_copy_pad(target, full, asc.DataCopyExtParams(1, count * 4, 0, 0))
    queue.free_tensor(full)


@asc.jit
def view(address, start, count):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address + start, count)
    return tensor


@asc.jit
def standardise_kernel(
    x: asc.GlobalAddress, m: asc.GlobalAddress, s: asc.GlobalAddress,
    y: asc.GlobalAddress, rows: int, cols: int,
):
    x_gm, y_gm = view(x, 0, rows * cols), view(y, 0, rows * cols)
    m_gm, s_gm = view(m, 0, cols), view(s, 0, cols)
    pipe = asc.TPipe()
    each, more = rows // asc.get_block_num(), rows % asc.get_block_num()
    block = asc.get_block_idx()
    first = block * each + min(block, more)
    last = first + each + (1 if block < more else 0)
    x_q, y_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECOUT, 1)
    m_q, s_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(x_q, 2, MOST * 4)
    pipe.init_buffer(y_q, 2, MOST * 4)
    pipe.init_buffer(m_q, 1, MOST * 4)
    pipe.init_buffer(s_q, 1, MOST * 4)
    m_ub, s_ub = take(m_q, m_gm, cols), take(s_q, s_gm, cols)
    for i in range(first, last):
        x_ub = take(x_q, x_gm[i * cols :], cols)
        y_ub = y_q.alloc_tensor(asc.float32)
        asc.sub(y_ub, x_ub, m_ub, cols)
        x_q.free_tensor(x_ub)
        asc.mul(y_ub, y_ub, s_ub, cols)
        s_q.free_tensor(s_ub)
        give(y_q, y_gm[i * cols :], y_ub, cols)
    m_q.free_tensor(m_ub)


def standardise(x, m, s, y):
    rows, cols = x.shape
    standardise_kernel[min(48, rows)](x, m, s, y, rows, cols)
