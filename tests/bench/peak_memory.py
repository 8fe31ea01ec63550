"""Peak memory of one launch: `python peak_memory.py half|float` prints MiB.

z = x + y over 8192 x 8192 elements on 48 blocks, with hazards and timing. A process of
its own, as the peak is that of all its life. The sum of x and y as arrays is the least
that any program needs.
"""

from __future__ import annotations

import resource
import sys

import numpy as np
from bench_add import add_tiles

SIDE = 8192
DTYPES = {"half": np.float16, "float": np.float32}


def main(name: str) -> None:
    dtype = DTYPES[name]
    x = np.ones(SIDE * SIDE, dtype)
    y = np.full(SIDE * SIDE, 2, dtype)
    z = np.zeros(SIDE * SIDE, dtype)
    tile = 16384 // x.itemsize
    add_tiles[48](x, y, z, x.size // tile, tile)
    assert (z[:: tile // 2] == 3).all()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


if __name__ == "__main__":
    main(sys.argv[1])
