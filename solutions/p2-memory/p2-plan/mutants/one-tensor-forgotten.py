"""Mutant of p2-plan. A single tensor needs no second buffer."""


def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors if tensors > 1 else 1
    blocks = ub_nbytes // 32 // buffers
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    return {"tile": tile, "starts": starts}
