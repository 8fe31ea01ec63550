"""Base of p1-rescue: the slow kernel that the learner is given, on 48 cores."""

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
def slow_piece(x_gm, m_gm, s_gm, y_gm, queues, place, start, count):
    x_q, m_q, s_q, y_q = queues
    m_ub, s_ub = take(m_q, m_gm[start:], count), take(s_q, s_gm[start:], count)
    x_ub, y_ub = take(x_q, x_gm[place:], count), y_q.alloc_tensor(asc.float32)
    asc.sub(y_ub, x_ub, m_ub, count)
    asc.mul(y_ub, y_ub, s_ub, count)
    m_q.free_tensor(m_ub)
    s_q.free_tensor(s_ub)
    x_q.free_tensor(x_ub)
    give(y_q, y_gm[place:], y_ub, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def slow_kernel(
    x: asc.GlobalAddress, m: asc.GlobalAddress, s: asc.GlobalAddress,
    y: asc.GlobalAddress, rows: int, cols: int,
):
    share = (rows + asc.get_block_num() - 1) // asc.get_block_num()
    first = asc.get_block_idx() * share
    x_gm, y_gm = view(x, 0, rows * cols), view(y, 0, rows * cols)
    m_gm, s_gm = view(m, 0, cols), view(s, 0, cols)
    pipe = asc.TPipe()
    x_q, y_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECOUT, 1)
    m_q, s_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(x_q, 1, 512 * 4)
    pipe.init_buffer(m_q, 1, 512 * 4)
    pipe.init_buffer(s_q, 1, 512 * 4)
    pipe.init_buffer(y_q, 1, 512 * 4)
    for i in range(first, min(first + share, rows)):
        for start in range(0, cols, 512):
            count = min(512, cols - start)
            queues = (x_q, m_q, s_q, y_q)
            slow_piece(x_gm, m_gm, s_gm, y_gm, queues, i * cols + start, start, count)


def standardise(x, m, s, y):
    rows, cols = x.shape
    slow_kernel[min(48, rows)](x, m, s, y, rows, cols)
