"""What a launch leaves for the next one of the same program: code, memory, plans.

A plan is views of one array of local memory and the record of a step; it holds for any
group of as many blocks that has this array as its memory. So the array is kept together
with its plans, and the next launch neither prepares instructions again nor makes steps
anew: equal steps are then the same object, by which observers know them quickly. The
array is poisoned before it is used again. Kept is only what a launch without findings
left, as preparing reports findings, and of the last few programs only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from npusim.core.memory import GAP_NBYTES
from npusim.lang.program import Program

PROGRAMS = 4  # the last few programs whose launches left something
SPARE_NBYTES = 24 << 20  # local memory kept a program


class Spare(NamedTuple):
    """Local memory `uint8[blocks, nbytes]` of a group that ended, with its plans;
    `filled`: bytes of a block that were in use."""

    memory: np.ndarray
    plans: dict[tuple, Any]
    filled: int


@dataclass
class Kept:
    """What launches of one program have left."""

    program: Program
    code: list[Any] | None = None  # operations, by index into `program.code`
    spares: list[Spare] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)  # of observers

    def take(self, lanes: int, nbytes: int) -> Spare | None:
        """A spare for `lanes` blocks with `nbytes` each, no longer kept then."""
        for index, spare in enumerate(self.spares):
            if spare.memory.shape == (lanes, nbytes + GAP_NBYTES):
                return self.spares.pop(index)
        return None

    def offer(self, spares: list[Spare]) -> None:
        """Keep as many of `spares` as there is room for."""
        room = SPARE_NBYTES - sum(spare.memory.nbytes for spare in self.spares)
        for spare in spares:
            room -= spare.memory.nbytes
            if room >= 0:
                self.spares.append(spare)


_kept: list[Kept] = []


def kept_for(program: Program) -> Kept:
    """What launches of this very program object have left; it becomes the latest."""
    for index, kept in enumerate(_kept):
        if kept.program is program:
            _kept.append(_kept.pop(index))
            return kept
    _kept.append(Kept(program))
    del _kept[:-PROGRAMS]
    return _kept[-1]


def forget() -> None:
    """Drop all that launches have left."""
    _kept.clear()
