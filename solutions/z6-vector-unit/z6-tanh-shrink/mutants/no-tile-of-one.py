"""Wrong on purpose: the loop stops before a last tile of one element."""

from npusim import asc


# TILE = elements of a tile / 一个 tile 的元素数
TILE = 8192


@asc.jit
def tanh_shrink_tile(y_ub, x_ub, u, v, w, count):
    asc.cast(u, x_ub, asc.RoundMode.CAST_NONE, count)  # half to float32
    asc.duplicate(w, 2.0, count)
    asc.muls(v, u, 2.0, count)
    asc.adds(u, u, -1.0, count)
    asc.exp(v, v, count)
    asc.adds(v, v, 1.0, count)
    asc.div(v, w, v, count)
    asc.add(u, u, v, count)
    asc.cast(y_ub, u, asc.RoundMode.CAST_RINT, count)


@asc.jit
def tanh_shrink_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    lines = (n + 255) // 256  # of 512 B / 512 B 为一行
    block, blocks = asc.get_block_idx(), asc.get_block_num()
    start = (block * lines // blocks) * 256
    stop = min(((block + 1) * lines // blocks) * 256, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 2)
    y_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, TILE * 2)
    pipe.init_buffer(y_queue, 2, TILE * 2)
    pipe.init_buffer(work, 3 * TILE * 4)
    u = work.get(asc.float32)
    v, w = u[TILE:], u[2 * TILE :]
    for offset in range(start, stop - 1, TILE):
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        x_ub = x_queue.alloc_tensor(asc.half)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        x_queue.enque(x_ub)
        ready, y_ub = x_queue.deque(asc.half), y_queue.alloc_tensor(asc.half)
        tanh_shrink_tile(y_ub, ready, u, v, w, count)
        x_queue.free_tensor(ready)
        y_queue.enque(y_ub)
        done = y_queue.deque(asc.half)
        asc.data_copy_pad(y_gm[offset:], done, row)
        y_queue.free_tensor(done)


def tanh_shrink(x, y):
    blocks = max(1, min(48, int((x.size / 400) ** 0.5)))
    tanh_shrink_kernel[blocks](x, y, x.size)
