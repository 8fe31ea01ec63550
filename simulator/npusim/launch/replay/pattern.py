"""What memory without defined contents holds in a replay.

Stands for the bytes that an earlier kernel or a neighbour left there: a byte depends on
its address alone, every 32 B block is filled with one byte, and neighbouring blocks
differ. Choice of this project: 0x41 to 0x48 are finite in every floating type (float32
12.08 to 205,089; half 2.63 to 8.56), positive in every integer type, and so large that
a maximum or a sum which takes them in is visibly wrong.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from npusim.core.memory import DATA_BLOCK_NBYTES

_FIRST = 0x41
_KINDS = 8


def pattern(start: int, nbytes: int) -> np.ndarray:
    """uint8[nbytes]: the contents of undefined memory from address `start` on."""
    blocks = np.arange(start, start + nbytes) // DATA_BLOCK_NBYTES
    return (_FIRST + blocks % _KINDS).astype(np.uint8)


@cache
def fresh_memory(nbytes: int) -> np.ndarray:
    """The pattern from address 0 on; one array for all who ask, not to be written."""
    memory = pattern(0, nbytes)
    memory.flags.writeable = False
    return memory
