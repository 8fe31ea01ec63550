"""Base of z5-plan: everything on one core."""


def tiling(n, cores, ub_nbytes, itemsize):
    tile = ub_nbytes // (6 * itemsize) // 16 * 16
    whole = (n + 15) // 16 * 16
    return {"blocks": 1, "head": 1, "long": whole, "short": 0, "tile": tile}
