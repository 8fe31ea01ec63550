"""Wrong on purpose: the number of cores is written into the function."""

def tiling(n, cores, ub_nbytes, itemsize):
    line = 512 // itemsize  # elements in 512 B / 512 B 含多少元素
    lines = (n + line - 1) // line
    worth = int((n * itemsize / 900) ** 0.5)
    blocks = max(1, min(48, lines, worth))
    each, head = divmod(lines, blocks)
    long, short = (each + 1) * line, each * line
    step = 32 // itemsize
    longest = ub_nbytes // (6 * itemsize) // step * step
    half_share = (long // 2 + step - 1) // step * step
    tile = min(longest, half_share)
    return {
        "blocks": blocks,
        "head": head,
        "long": long,
        "short": short,
        "tile": tile,
    }
