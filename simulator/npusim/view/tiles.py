"""Which steps of a block belong to one tile.

Tile k is made of the k-th execution of every instruction that ran more than once; what
runs once (a prologue, an epilogue) belongs to tile 0. Only steps that move or compute
count: flags and queue calls have no data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from npusim.core.stream import Step
from npusim.view.labels import LABELS


def tile_indices(steps: Sequence[Step], tile: int, language: str) -> list[int]:
    """Indices of the steps of tile `tile` (from 0); ValueError where there is none."""
    total = Counter(step.pc for step in steps if step.reads or step.writes)
    seen: Counter[int] = Counter()
    chosen = []
    for index, step in enumerate(steps):
        if step.pc in total and (step.reads or step.writes):
            number, seen[step.pc] = seen[step.pc], seen[step.pc] + 1
            if number == tile:
                chosen.append(index)
    if not chosen:
        last = max(total.values(), default=1) - 1
        raise ValueError(LABELS("error_tile", language, tile=tile, last=last))
    return chosen
