"""Wrong on purpose: the border of the visible cases is written into the kernel."""

from npusim import asc


# WIDTH = elements of a tile / 一个 tile 的元素数
WIDTH = 8192


@asc.jit
def hard_shrink_tile(y_ub, x_ub, a, zeros, bits, lam, count):
    whole = (count + 127) // 128 * 128  # elements in whole repeats / 凑成整次重复
    asc.abs(a, x_ub, count)
    asc.compare_scalar(bits, a, 0.5 if lam < 1.5 else lam, asc.CMPMODE.LE, whole)
    mode = asc.SELMODE.VSEL_TENSOR_TENSOR_MODE
    asc.select(y_ub, bits, zeros, x_ub, mode, count)


@asc.jit
def hard_shrink_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, lam: float
):
    lines = (n + 255) // 256
    block, blocks = asc.get_block_idx(), asc.get_block_num()
    start = (block * lines // blocks) * 256
    stop = min(((block + 1) * lines // blocks) * 256, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 2)
    y_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    work, bit_buffer = asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, WIDTH * 2)
    pipe.init_buffer(y_queue, 2, WIDTH * 2)
    pipe.init_buffer(work, 2 * WIDTH * 2)
    pipe.init_buffer(bit_buffer, WIDTH // 8)
    a, bits = work.get(asc.half), bit_buffer.get(asc.uint8)
    zeros = a[WIDTH:]
    asc.duplicate(a, 0.0, 2 * WIDTH)  # a and zeros / a 和 zeros
    for offset in range(start, stop, WIDTH):
        count = min(WIDTH, stop - offset)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        x_ub = x_queue.alloc_tensor(asc.half)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        x_queue.enque(x_ub)
        ready, y_ub = x_queue.deque(asc.half), y_queue.alloc_tensor(asc.half)
        hard_shrink_tile(y_ub, ready, a, zeros, bits, lam, count)
        x_queue.free_tensor(ready)
        y_queue.enque(y_ub)
        done = y_queue.deque(asc.half)
        asc.data_copy_pad(y_gm[offset:], done, row)
        y_queue.free_tensor(done)


def hard_shrink(x, y, lam):
    blocks = max(1, min(48, int((x.size / 700) ** 0.5)))
    hard_shrink_kernel[blocks](x, y, x.size, lam)
