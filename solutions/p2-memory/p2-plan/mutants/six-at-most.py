"""Mutant of p2-plan. A seventh tensor has no buffers."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * min(tensors, 6)
    blocks = ub_nbytes // 32 // buffers
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
