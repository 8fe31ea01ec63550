"""Mutant of z7-logsumexp. One level of blocks leaves more than 64 numbers of a row beyond 512 columns."""

from npusim import asc


@asc.tiling
class Rows:
    rows: int  # of the matrix / 矩阵的行数
    cols: int
    share: int  # rows of a block / 每个 block 的行数
    pitch: int  # elements of a row in UB / 一行在 UB 中占的元素个数


@asc.jit
def load(queue, x_gm, first, rows, t):
    a = queue.alloc_tensor(x_gm.dtype)
    form = asc.DataCopyExtParams(rows, t.cols * x_gm.dtype.sizeof(), 0, 0)
    pad = asc.DataCopyPadExtParams(True, 0, t.pitch - t.cols, 0)
    asc.data_copy_pad(a, x_gm[first * t.cols :], form, pad)
    queue.enque(a)


@asc.jit
def as_float32(w, a, count):
    if a.dtype == asc.float32:
        asc.adds(w, a, 0.0, count)
    else:
        asc.cast(w, a, asc.RoundMode.CAST_NONE, count)


@asc.jit
def store(queue, y_gm, first, w, rows):
    c = queue.alloc_tensor(y_gm.dtype)
    if y_gm.dtype == asc.float32:
        asc.adds(c, w, 0.0, rows)
    else:
        asc.cast(c, w, asc.RoundMode.CAST_RINT, rows)
    queue.enque(c)
    c = queue.deque(y_gm.dtype)
    form = asc.DataCopyExtParams(1, rows * y_gm.dtype.sizeof(), 0, 0)
    asc.data_copy_pad(y_gm[first:], c, form)
    queue.free_tensor(c)


@asc.jit
def largest_of_rows(stat, x, part, rows, cols, pitch):
    blocks = (cols + 7) // 8  # of a row / 一行的数据块数
    # 1: stat[r] = the largest of row r / 第 r 行的最大值
    asc.set_mask_count()
    for r in range(rows):
        asc.block_reduce_max(part[r * 128 :], x[r * pitch :], 1, cols, 1, 1, 8)
    for r in range(rows):
        asc.block_reduce_max(part[r * 128 :], part[r * 128 :], 1, blocks, 1, 1, 8)
    asc.set_mask_norm()
    left, only = (blocks + 7) // 8, asc.ReduceOrder.ORDER_ONLY_VALUE
    asc.whole_reduce_max(stat, part, left, rows, 1, 1, 16, only)
    asc.reset_mask()


@asc.jit
def sum_of_rows(stat, x, part, rows, cols, pitch):
    blocks = (cols + 7) // 8
    # 2: stat[r] = the sum of row r / 第 r 行的和
    asc.set_mask_count()
    for r in range(rows):
        asc.block_reduce_sum(part[r * 128 :], x[r * pitch :], 1, cols, 1, 1, 8)
    asc.set_mask_norm()
    asc.whole_reduce_sum(stat, part, min(blocks, 64), rows, 1, 1, 16)
    asc.reset_mask()


@asc.jit
def log_sum_exp_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, t: Rows):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, t.rows * t.cols)
    y_gm.set_global_buffer(y, t.rows)
    pipe = asc.TPipe()
    arrive, leave = asc.TQue(asc.TPosition.VECIN, 2), asc.TQue(asc.TPosition.VECOUT, 2)
    room = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, 8 * t.pitch * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, 32)
    pipe.init_buffer(room, (8 * t.pitch + 8 * 128 + 16) * 4)
    w = room.get(asc.float32)
    part = w[8 * t.pitch :]
    top, total = part[1024:], part[1032:]
    first = asc.get_block_idx() * t.share
    last = min(first + t.share, t.rows)
    load(arrive, x_gm, first, min(8, last - first), t)
    for i in range(first, last, 8):
        rows, after = min(8, last - i), i + 8
        if after < last:
            load(arrive, x_gm, after, min(8, last - after), t)
        a = arrive.deque(x.dtype)
        as_float32(w, a, rows * t.pitch)
        arrive.free_tensor(a)
        # 3: total[r] = ln of the sum of the exponentials of row r / 第 r 行指数和的对数
        largest_of_rows(top, w, part, rows, t.cols, t.pitch)
        asc.set_flag(asc.HardEvent.V_S, 0)
        asc.wait_flag(asc.HardEvent.V_S, 0)
        for r in range(rows):
            asc.adds(w[r * t.pitch :], w[r * t.pitch :], -top.get_value(r), t.cols)
        asc.exp(w, w, rows * t.pitch)
        sum_of_rows(total, w, part, rows, t.cols, t.pitch)
        asc.ln(total, total, rows)
        asc.add(total, total, top, rows)
        store(leave, y_gm, i, total, rows)


def log_sum_exp(x, y):
    rows, cols = x.shape
    share = -(-rows // 48)
    per_block = 32 // x.dtype.itemsize
    pitch = -(-cols // per_block) * per_block
    t = Rows(rows, cols, share, pitch)
    log_sum_exp_kernel[-(-rows // share)](x, y, t)
