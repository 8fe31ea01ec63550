"""Wrong on purpose: the start forgets that the cores before had long shares."""

from npusim import asc


def tiling(n, cores, ub_nbytes, itemsize):
    line = 512 // itemsize  # elements in 512 B / 512 B 含多少元素
    lines = (n + line - 1) // line
    worth = int((n * itemsize / 900) ** 0.5)
    blocks = max(1, min(cores, lines, worth))
    each, head = divmod(lines, blocks)
    long, short = (each + 1) * line, each * line
    step = 32 // itemsize
    longest = ub_nbytes // (6 * itemsize) // step * step
    half_share = (long // 2 + step - 1) // step * step
    tile = min(longest, half_share)
    return {
        "blocks": blocks,
        "head": head,
        "long": long,
        "short": short,
        "tile": tile,
    }


@asc.tiling
class Plan:
    n: int
    head: int
    long: int
    short: int
    tile: int


@asc.jit
def difference_tile(a_gm, b_gm, z_gm, a_queue, b_queue, z_queue, offset, count):
    dtype = a_gm.dtype
    row = asc.DataCopyExtParams(1, count * dtype.sizeof(), 0, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    a_ub = a_queue.alloc_tensor(dtype)
    b_ub = b_queue.alloc_tensor(dtype)
    asc.data_copy_pad(a_ub, a_gm[offset:], row, no_pad)
    asc.data_copy_pad(b_ub, b_gm[offset:], row, no_pad)
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
    asc.data_copy_pad(z_gm[offset:], out, row)
    z_queue.free_tensor(out)


@asc.jit
def difference_kernel(
    a: asc.GlobalAddress, b: asc.GlobalAddress, z: asc.GlobalAddress, p: Plan
):
    block = asc.get_block_idx()
    start = block * p.short
    stop = min(start + (p.long if block < p.head else p.short), p.n)
    a_gm, b_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    a_gm.set_global_buffer(a, p.n)
    b_gm.set_global_buffer(b, p.n)
    z_gm.set_global_buffer(z, p.n)
    pipe = asc.TPipe()
    a_queue = asc.TQue(asc.TPosition.VECIN, 2)
    b_queue = asc.TQue(asc.TPosition.VECIN, 2)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(a_queue, 2, p.tile * a.dtype.sizeof())
    pipe.init_buffer(b_queue, 2, p.tile * a.dtype.sizeof())
    pipe.init_buffer(z_queue, 2, p.tile * a.dtype.sizeof())
    for offset in range(start, stop, p.tile):
        count = min(p.tile, stop - offset)
        difference_tile(a_gm, b_gm, z_gm, a_queue, b_queue, z_queue, offset, count)


def squared_difference(a, b, z):
    plan = tiling(a.size, 48, 196608, a.dtype.itemsize)
    blocks = plan.pop("blocks")
    difference_kernel[blocks](a, b, z, Plan(n=a.size, **plan))
