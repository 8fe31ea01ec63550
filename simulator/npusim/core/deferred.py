"""What a phase leaves for later: atomic contributions, and stamps in global memory.

Between two all-core syncs a launch is one *phase*. Copies under `set_atomic_*` do not
touch memory at once: each block keeps a log of its contributions, and at the end of the
phase all logs are applied in the order of blocks, each in program order. So the sum of
floats does not depend on how blocks were grouped. A block that reads or overwrites its
own contribution within the phase finds it applied: these bytes are settled before.

Stamps are stored as zeros until the launch has been timed, and may not be read back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from npusim.core.memory import Place
from npusim.core.numeric import SATURATION, saturate
from npusim.core.signals import stop
from npusim.core.stamps import StampStore
from npusim.lang.types import DType

if TYPE_CHECKING:
    from npusim.core.group import Group
    from npusim.core.operands import Operand


class AtomicMode(NamedTuple):
    """What UB→GM copies do with the elements in memory: "add", "max" or "min"."""

    operation: str
    dtype: DType


class Contribution(NamedTuple):
    """`values` (of the copy's dtype) to combine with memory from byte `start` on."""

    data: np.ndarray
    start: int
    values: np.ndarray
    mode: AtomicMode

    @property
    def end(self) -> int:
        return self.start + self.values.nbytes

    def apply(self, overflow: str) -> None:
        target = self.data[self.start : self.end].view(self.values.dtype)
        result = COMBINE[self.mode.operation](target, self.values)
        limit = SATURATION.get(self.mode.dtype.name)
        if limit is not None and overflow == "saturate":
            saturate(result, limit)
        target[...] = result

    def cut(self, begin: int, end: int) -> tuple[list[Contribution], Contribution]:
        """What lies outside of the bytes `[begin, end)`, and what lies inside."""
        size, count = self.values.itemsize, len(self.values)
        low = max(0, (begin - self.start) // size)
        high = min(count, -(-(end - self.start) // size))
        return (
            [p for p in (self._part(0, low), self._part(high, count)) if len(p.values)],
            self._part(low, high),
        )

    def _part(self, low: int, high: int) -> Contribution:
        start = self.start + low * self.values.itemsize
        return self._replace(start=start, values=self.values[low:high])


COMBINE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
}


@dataclass
class Deferred:
    """What is not in memory yet; false while there is nothing."""

    overflow: str
    log: dict[int, list[Contribution]] = field(default_factory=dict)  # by block
    stamps: list[StampStore] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.log or self.stamps)

    def accumulate(
        self,
        group: Group,
        operand: Operand,
        place: Place,
        rows: np.ndarray,
        pitch: int,
        mode: AtomicMode,
    ) -> None:
        """Log `rows`, `[blocks, rows, bytes]`, for the end of the phase."""
        shape = rows.shape[1:]
        if self.stamps:
            self._check_stamps(group, operand, place, shape, pitch, True)
        if pitch == shape[1]:
            rows = rows.reshape(len(rows), 1, -1)
        starts = place.each(group.lanes)
        values = np.array(rows, order="C").view(mode.dtype.numpy)
        for block, start, own in zip(
            group.blocks.tolist(), starts, values, strict=True
        ):
            log = self.log.setdefault(block, [])
            for row, part in enumerate(own):
                log.append(Contribution(place.data, start + row * pitch, part, mode))

    def end_phase(self) -> None:
        """Apply all logs in the order of blocks."""
        for block in sorted(self.log):
            for contribution in self.log[block]:
                contribution.apply(self.overflow)
        self.log.clear()

    def before(
        self,
        group: Group,
        operand: Operand,
        place: Place,
        shape: tuple[int, int],
        pitch: int,
        reads: bool,
    ) -> None:
        """Blocks are about to read or overwrite `shape` = (rows, bytes) at `place`."""
        if self.stamps:
            self._check_stamps(group, operand, place, shape, pitch, reads)
        blocks, starts = group.blocks.tolist(), place.each(group.lanes)
        for block, start in zip(blocks, starts, strict=True):
            if block in self.log:
                self._settle(block, place.data, list(_runs(start, shape, pitch)))

    def _settle(
        self, block: int, data: np.ndarray, runs: list[tuple[int, int]]
    ) -> None:
        kept = []
        for contribution in self.log[block]:
            pieces = [contribution]
            for begin, end in runs if contribution.data is data else ():
                pieces = [p for old in pieces for p in self._without(old, begin, end)]
            kept += pieces
        self.log[block] = kept

    def _without(self, old: Contribution, begin: int, end: int) -> list[Contribution]:
        if old.end <= begin or end <= old.start:
            return [old]
        outside, inside = old.cut(begin, end)
        inside.apply(self.overflow)
        return outside

    def _check_stamps(
        self,
        group: Group,
        operand: Operand,
        place: Place,
        shape: tuple[int, int],
        pitch: int,
        reads: bool,
    ) -> None:
        """ASC-RUN-08 for a read of stamps; a write over them forgets them."""
        memory = group.machine.memory
        here = [s for s in self.stamps if memory[s.buffer_id] is place.data]
        touched = [
            [s for s in here for run in _runs(start, shape, pitch) if s.meets(*run)]
            for start in place.each(group.lanes)
        ]
        bad = np.array([bool(found) for found in touched])
        if reads and bad.any():
            first = touched[int(np.argmax(bad))][0]
            facts = {"buffer": operand.name, "byte": first.start, "element": 0}
            facts |= {"nbytes": first.dtype.itemsize, "operation": operand.operation}
            stop("ASC-RUN-08", operand.where, bad, **facts)
        gone = [s for found in touched for s in found]
        self.stamps = [s for s in self.stamps if s not in gone]


def _runs(start: int, shape: tuple[int, int], pitch: int) -> Iterator[tuple[int, int]]:
    """`(begin, end)` of each row; rows that touch are one."""
    rows, nbytes = shape
    if rows == 1 or pitch <= nbytes:
        yield start, start + (rows - 1) * pitch + nbytes
        return
    for row in range(rows):
        yield start + row * pitch, start + row * pitch + nbytes
