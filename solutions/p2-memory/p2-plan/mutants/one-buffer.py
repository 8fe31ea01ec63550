"""Mutant of p2-plan. Tiles for one buffer of each tensor."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    blocks = ub_nbytes // 32 // tensors
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
