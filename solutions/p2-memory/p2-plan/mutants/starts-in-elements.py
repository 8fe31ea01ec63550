"""Mutant of p2-plan. Starts counted in elements."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    blocks = ub_nbytes // 32 // buffers
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // itemsize
    starts = [number * tile for number in range(buffers)]
    return {"tile": tile, "starts": starts}
