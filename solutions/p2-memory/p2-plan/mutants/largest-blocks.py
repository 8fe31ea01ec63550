"""Mutant of p2-plan. The longest buffers: their groups meet."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    blocks = ub_nbytes // 32 // buffers
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
