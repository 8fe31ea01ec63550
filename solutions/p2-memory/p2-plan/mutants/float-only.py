"""Mutant of p2-plan. A tile of elements of 4 B, whatever the type."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    blocks = ub_nbytes // 32 // buffers
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // 4
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
