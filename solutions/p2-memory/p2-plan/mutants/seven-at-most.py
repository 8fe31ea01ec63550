"""Mutant of p2-plan. An eighth tensor has no buffers."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * min(tensors, 7)
    blocks = ub_nbytes // 32 // buffers
    if blocks % 2 == 0:
        blocks -= 1
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
