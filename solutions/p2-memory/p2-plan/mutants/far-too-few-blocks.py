"""Mutant of p2-plan. Sixteen blocks less: far from full with many tensors."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    blocks = ub_nbytes // 32 // buffers
    blocks -= (blocks - 4) % 8 + 16
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
