"""Mutant of p2-plan. The size of UB is written into the function."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    blocks = 196608 // 32 // buffers
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
