"""Who touched which bytes last: one memory as a list of cells that share a history.

Cells are disjoint, cover the memory and are cut where an access begins or ends; a write
melts the cells it covers into one, so a tile that is used as a whole costs one cell
however often. Bytes are exact, and strided accesses are looked at run by run.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npusim.check.clocks import COMPLETES_IN_ORDER, SCALAR, Clock
from npusim.core.stream import Access, Step

FRESH, WRITTEN, PADDING = "fresh", "written", "padding"


class Touch(NamedTuple):
    """One access of one step: its pipe, its number on that pipe, what it was."""

    pipe: int
    position: int
    step: Step
    access: Access
    kind: str  # "read" or "write"
    order: int  # number of the step in its stream


class Cell:
    """Bytes with one history: their last write, the reads since, their contents."""

    __slots__ = ("contents", "over", "reads", "write")

    def __init__(
        self,
        write: Touch | None,
        contents: str,
        reads: dict[int, Touch],
        over: tuple[Covered, ...] = (),
    ):
        self.write = write
        self.contents = contents
        self.reads = reads
        self.over = over  # what the last write took from other tensors

    def copy(self) -> Cell:
        return Cell(self.write, self.contents, dict(self.reads), self.over)


class Covered(NamedTuple):
    """Bytes that the last write of a cell took from an earlier write."""

    begin: int
    end: int
    write: Touch


class Reused(NamedTuple):
    """A read of bytes that `write` took from the write `earlier`."""

    read: Touch
    write: Touch
    earlier: Touch
    by_reduction: bool
    begin: int
    end: int


class Clash(NamedTuple):
    """Two accesses of the same bytes that nothing orders."""

    first: Touch
    second: Touch
    begin: int
    end: int


class Undefined(NamedTuple):
    """A read of bytes without a defined value; `write` left them as padding."""

    touch: Touch
    contents: str
    write: Touch | None
    begin: int
    end: int


def runs(access: Access, base: int) -> Iterable[tuple[int, int]]:
    """`(begin, end)` of each run of bytes; touching or overlapping runs are one."""
    if access.total_nbytes == 0:
        return ()
    if access.count == 1 or 0 <= access.pitch <= access.nbytes:
        return ((base, base + access.pitch * (access.count - 1) + access.nbytes),)
    starts = range(base, base + access.pitch * access.count, access.pitch)
    return ((start, start + access.nbytes) for start in starts)


class Cells:
    """One memory. Addresses are byte offsets from its start."""

    def __init__(self, contents: str = FRESH) -> None:
        self._starts = [0]
        self._cells = [Cell(None, contents, {})]

    def copy(self) -> Cells:
        """An independent copy."""
        other = Cells()
        other._starts = list(self._starts)
        other._cells = [cell.copy() for cell in self._cells]
        return other

    def fill(self, begin: int, end: int, contents: str) -> None:
        """Give `[begin, end)` these contents without a write."""
        low, high = self._cut(begin, end)
        for cell in self._cells[low:high]:
            cell.contents = contents

    def _cut(self, begin: int, end: int) -> tuple[int, int]:
        """Indices `[low, high)` of the cells that make up `[begin, end)`."""
        starts = self._starts
        low = bisect_right(starts, begin) - 1
        if starts[low] != begin:
            self._split(low, begin)
            low += 1
        high = bisect_left(starts, end, low)
        if high == len(starts) or starts[high] != end:
            self._split(high - 1, end)
        return low, high

    def _split(self, index: int, at: int) -> None:
        self._starts.insert(index + 1, at)
        self._cells.insert(index + 1, self._cells[index].copy())

    def read(
        self, begin: int, end: int, touch: Touch, clock: Clock
    ) -> Iterator[Clash | Undefined | Reused]:
        """Note a read of `[begin, end)`; yield what is wrong with it."""
        low, high = self._cut(begin, end)
        pipe = touch.pipe
        for index in range(low, high):
            cell = self._cells[index]
            write = cell.write
            if write is not None and not is_ordered(write, touch, clock):
                yield Clash(write, touch, *self._span(index))
            if cell.over:
                yield from _reused(cell, touch, *self._span(index))
            if cell.contents is not WRITTEN and not touch.access.loose:
                yield Undefined(touch, cell.contents, write, *self._span(index))
            if pipe != SCALAR:  # S waits for what it reads
                cell.reads[pipe] = touch

    def combine(
        self, begin: int, end: int, touch: Touch, clock: Clock
    ) -> Iterator[Clash | Undefined]:
        """Note an atomic copy: a write that needs defined contents, and is in no order
        with others of its kind."""
        low, high = self._cut(begin, end)
        for index in range(low, high):
            cell = self._cells[index]
            if cell.contents is not WRITTEN:
                yield Undefined(touch, cell.contents, cell.write, *self._span(index))
            write = cell.write
            alike = write is not None and write.access.atomic == touch.access.atomic
            earlier = _unordered(cell, touch, clock, ignores_write=alike)
            if earlier is not None:
                yield Clash(earlier, touch, *self._span(index))
            self._cells[index] = Cell(touch, WRITTEN, {})

    def write(
        self, begin: int, end: int, touch: Touch, clock: Clock
    ) -> Iterator[Clash | Undefined]:
        """Note a write of `[begin, end)`; yield what is wrong with it."""
        low, high = self._cut(begin, end)
        for index in range(low, high):
            earlier = _unordered(self._cells[index], touch, clock)
            if earlier is not None:
                yield Clash(earlier, touch, *self._span(index))
        contents = PADDING if touch.access.undefined else WRITTEN
        over = tuple(self._covered(low, high, touch))
        self._starts[low:high] = [begin]
        self._cells[low:high] = [Cell(touch, contents, {}, over)]

    def _covered(self, low: int, high: int, touch: Touch) -> Iterator[Covered]:
        """What a write of the cells `[low, high)` takes from other tensors."""
        name, reduces = touch.access.name, touch.access.spoils
        for index in range(low, high):
            cell = self._cells[index]
            write = cell.write
            if write is None or cell.contents is not WRITTEN:
                continue
            if write.access.name == name and (not reduces or write.access.spoils):
                yield from cell.over if reduces else ()
            else:
                yield Covered(*self._span(index), write)

    def _span(self, index: int) -> tuple[int, int]:
        return self._starts[index], self._starts[index + 1]


def _reused(cell: Cell, read: Touch, begin: int, end: int) -> Iterator[Reused]:
    write = cell.write
    assert write is not None
    reduces = bool(write.access.spoils)
    if reduces and not _is_wider(read, write):
        return
    for covered in cell.over:
        low, high = max(begin, covered.begin), min(end, covered.end)
        names = covered.write.access.name, write.access.name
        stale = names[0] == read.access.name != names[1]
        if low < high and (reduces or stale):
            yield Reused(read, write, covered.write, reduces, low, high)


def _is_wider(read: Touch, write: Touch) -> bool:
    """Whether a read takes more than the result that a reduction left."""
    nbytes = write.access.total_nbytes
    is_work = write.access.spoils == "work"
    return is_work or read.access.total_nbytes > nbytes


def _unordered(
    cell: Cell, touch: Touch, clock: Clock, ignores_write: bool = False
) -> Touch | None:
    """What the write `touch` may overtake: a read of the cell, else its last write."""
    for earlier in cell.reads.values():
        if earlier.pipe != touch.pipe and not is_ordered(earlier, touch, clock):
            return earlier
    if cell.write is None or ignores_write or is_ordered(cell.write, touch, clock):
        return None
    return cell.write


def is_ordered(earlier: Touch, later: Touch, clock: Clock) -> bool:
    """Whether `earlier` is complete when `later`, which knows `clock`, starts."""
    pipe = earlier.pipe
    if pipe == later.pipe and (
        COMPLETES_IN_ORDER[pipe] or earlier.order == later.order
    ):
        return True
    return clock[pipe] >= earlier.position
