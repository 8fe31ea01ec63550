"""What a launch leaves for the next one of the same program: code, memory, plans.

A plan is views of one array of local memory and the record of a step; it holds for any
group of as many blocks that has this array as its memory. So the array is kept together
with its plans, and the next launch neither prepares instructions again nor makes steps
anew: equal steps are then the same object, by which observers know them quickly. The
array is poisoned before it is used again. Kept is only what a launch without findings
left, as preparing reports findings, and of the last few programs only.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npusim.core.memory import GAP_NBYTES
from npusim.lang.program import Program

PROGRAMS = 4  # the last few programs whose launches left something
SPARE_NBYTES = 24 << 20  # local memory kept a program


@dataclass(eq=False)
class Room:
    """Local memory `uint8[blocks, nbytes]` of a group, with the plans made for it;
    `filled`: bytes of a block that were in use.

    `parts`: rooms of blocks in a row that parted, in this room's own memory; `whole`:
    the room that this one is a part of.
    """

    memory: np.ndarray
    plans: dict[tuple, Any] = field(default_factory=dict)
    filled: int = 0
    parts: dict[tuple[int, int], Room] = field(default_factory=dict)
    whole: Room | None = None

    def part(self, first: int, last: int) -> Room:
        """The room of the blocks in rows `first` to `last`; nothing is copied."""
        room = self.parts.get((first, last))
        if room is None:
            room = Room(self.memory[first : last + 1], whole=self)
            self.parts[first, last] = room
        room.filled = self.filled
        return room

    def leave(self, filled: int) -> None:
        """A group that has filled so much is done here."""
        room: Room | None = self
        while room is not None:
            room.filled = max(room.filled, filled)
            room = room.whole


@dataclass
class Kept:
    """What launches of one program have left."""

    program: Program
    code: list[Any] | None = None  # operations, by index into `program.code`
    spares: list[Room] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)  # of observers

    def take(self, lanes: int, nbytes: int) -> Room | None:
        """A spare for `lanes` blocks with `nbytes` each, no longer kept then."""
        shape = (lanes, nbytes + GAP_NBYTES)
        with _lock:
            for index, spare in enumerate(self.spares):
                if spare.memory.shape == shape:
                    return self.spares.pop(index)
        return None

    def offer(self, spares: list[Room]) -> None:
        """Keep as many of `spares` as there is room for."""
        with _lock:
            room = SPARE_NBYTES - sum(spare.memory.nbytes for spare in self.spares)
            for spare in spares:
                room -= spare.memory.nbytes
                if room >= 0:
                    self.spares.append(spare)


_kept: list[Kept] = []
_lock = threading.Lock()  # launches may run in several threads


def kept_for(program: Program) -> Kept:
    """What launches of this very program object have left; it becomes the latest."""
    with _lock:
        found = next((kept for kept in _kept if kept.program is program), None)
        latest = found or Kept(program)
        _kept[:] = [kept for kept in _kept if kept is not latest][1 - PROGRAMS :]
        _kept.append(latest)
        return latest


def forget() -> None:
    """Drop all that launches have left."""
    _kept.clear()
