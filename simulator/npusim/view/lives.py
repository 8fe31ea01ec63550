"""When each buffer of UB holds something: from its filling to its last use.

A *life* begins where a step writes a range without reading it and ends with the last
step that touches the range before the next such write. Ranges are the buffers that a
pipe laid out (`Segment.placed`), else the ranges of the accesses themselves, those that
overlap taken as one. Times are those of the timed run, so lives of a buffer used twice
at once overlap: that is a race.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from npusim.core.stream import Access, Step
from npusim.timing import ClassTiming


@dataclass(frozen=True)
class Life:
    """One filling of a range: ticks, and the pipe that filled it."""

    start: int
    end: int
    pipe: str


@dataclass(frozen=True)
class Place:
    """A range of UB in bytes, the names under which the source uses it, its lives."""

    start: int
    end: int
    names: tuple[str, ...]
    lives: tuple[Life, ...]


def _range(access: Access) -> tuple[int, int]:
    base = int(access.base)
    return base, base + access.pitch * (access.count - 1) + access.nbytes


def _local(accesses: Iterable[Access]) -> list[Access]:
    return [a for a in accesses if a.space == "UB" and a.total_nbytes]


def _united(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping ranges as one, by address."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(set(ranges)):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _ranges(part: ClassTiming, steps: list[Step]) -> list[tuple[int, int]]:
    placed = [p for segment in part.stream.segments() for p in segment.placed]
    inside = _united(placed)
    starts = [start for start, _ in inside]
    free = []
    for step in steps:
        for access in _local((*step.reads, *step.writes)):
            low, high = _range(access)
            at = bisect_right(starts, low) - 1
            if at < 0 or low >= inside[at][1]:
                free.append((low, high))
    return sorted([*set(placed), *_united(free)])


class _Ledger:
    """Lives of one range while the steps are gone through."""

    def __init__(self) -> None:
        self.lives: list[list] = []  # [start, end, pipe]
        self.names: dict[str, None] = {}
        self.taken = False  # another pipe has used the latest filling

    def touch(self, step: Step, begin: int, end: int, fresh: bool) -> None:
        """One use; `fresh`: the step writes the range and does not read it."""
        if not self.lives or (fresh and (self.taken or self.lives[-1][2] != step.pipe)):
            self.lives.append([begin, end, step.pipe])
            self.taken = False
        elif step.pipe != self.lives[-1][2]:
            self.taken = True
        self.lives[-1][1] = max(self.lives[-1][1], end)


def places(part: ClassTiming) -> list[Place]:
    """The ranges that a block uses, by address, each with its lives in time order."""
    steps = list(part.stream.steps())
    ranges = _ranges(part, steps)
    starts = [start for start, _ in ranges]
    ledgers: dict[int, _Ledger] = defaultdict(_Ledger)
    times = zip(part.start_ticks, part.end_ticks, strict=True)
    for step, (begin, end) in zip(steps, times, strict=True):
        read = {place_of(a, starts) for a in _local(step.reads)}
        for access in _local((*step.reads, *step.writes)):
            ledgers[place_of(access, starts)].names[access.name] = None
        for at in {place_of(a, starts) for a in _local(step.writes)} | read:
            ledgers[at].touch(step, begin, end, at not in read)
    return [
        Place(*ranges[at], tuple(one.names), tuple(Life(*life) for life in one.lives))
        for at, one in sorted(ledgers.items())
    ]


def place_of(access: Access, starts: list[int]) -> int:
    """Index of the range that holds an access, of ranges that begin at `starts`."""
    return max(0, bisect_right(starts, int(access.base)) - 1)
