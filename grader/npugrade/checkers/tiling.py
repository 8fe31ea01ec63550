"""Is a tiling of a vector operator legal, and how fast is it?

The answer {"blocks": …, "tile": …} says how many cores work and how many elements of
half a tile has. A kernel of ours (z = x + x, two tiles in UB, one after the other) runs
with it in the simulator: its cycles are the cost. Left out: double buffering.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from npugrade.outcome import Outcome, Refused
from npusim import asc
from npusim.chip import load_chip
from npusim.timing import floor_cycles

ALIGNMENT_NBYTES, BUFFERS = 32, 2
_FIELDS = ("blocks", "tile")


@asc.jit
def double_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    """z = 2 x: each block takes every `get_block_num()`-th tile."""
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    z_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 2 * tile, tile)
    for start in range(asc.get_block_idx() * tile, n, asc.get_block_num() * tile):
        count = min(tile, n - start)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[start:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(z_ub, x_ub, x_ub, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[start:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def vector_tiling(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Cycles of the tiling `answer` for `n` elements; Refused if it is not legal."""
    n = int(arguments["n"])
    blocks, tile = _fields(answer)
    chip = load_chip("910B1")
    if not 1 <= blocks <= chip.vector_cores:
        raise Refused("tiling.blocks", blocks=blocks, cores=chip.vector_cores)
    if tile < 1 or tile * 2 % ALIGNMENT_NBYTES:
        raise Refused("tiling.aligned", nbytes=tile * 2, unit=ALIGNMENT_NBYTES)
    if BUFFERS * tile * 2 > chip.ub_nbytes:
        nbytes = BUFFERS * tile * 2
        raise Refused("tiling.ub", nbytes=nbytes, ub_nbytes=chip.ub_nbytes)
    x, z = np.ones(n, np.float16), np.zeros(n, np.float16)
    run = double_kernel[blocks](x, z, n, tile)
    return Outcome(run.cycles, floor_cycles(chip, x.nbytes, z.nbytes))


def _fields(answer: Any) -> tuple[int, int]:
    if not isinstance(answer, dict) or set(answer) != set(_FIELDS):
        raise Refused("tiling.form", fields=", ".join(_FIELDS))
    values = [answer[name] for name in _FIELDS]
    if any(type(value) is not int for value in values):
        raise Refused("tiling.form", fields=", ".join(_FIELDS))
    return values[0], values[1]
