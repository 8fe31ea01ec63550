"""What a block did on each pipe, as arrays of ticks: the ground of every picture.

A *span* is one instruction's time on its pipe. The scalar unit issues in order and
never pauses unless it waits, so its spans are its own steps (flags, queue calls, memory
accesses) and the gaps between them, in which it issues for other pipes; steps in which
it waits are left out. Blocks of one timing class share their spans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npusim.lang.types import PIPES
from npusim.timing import TICKS_PER_CYCLE, ClassTiming

_INDEX = {pipe: number for number, pipe in enumerate(PIPES)}


@dataclass(frozen=True)
class Spans:
    """Spans of one pipe in program order: ticks, and the index of the step."""

    pipe: str
    starts: np.ndarray
    ends: np.ndarray
    steps: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def busy_cycles(self) -> float:
        """Cycles in which at least one span is open."""
        starts, ends = merged(self.starts, self.ends)
        return int((ends - starts).sum()) / TICKS_PER_CYCLE

    def shifted(self, ticks: int) -> Spans:
        return Spans(self.pipe, self.starts + ticks, self.ends + ticks, self.steps)


def class_spans(part: ClassTiming) -> dict[str, Spans]:
    """Spans of every pipe that a block used, in the order of `PIPES`."""
    lanes = (_INDEX[step.pipe] for step in part.stream.steps())
    lane = np.fromiter(lanes, np.int8, len(part.start_ticks))
    starts = np.asarray(part.start_ticks, dtype=np.int64)
    ends = np.asarray(part.end_ticks, dtype=np.int64)
    found = {}
    for pipe, number in _INDEX.items():
        index = np.flatnonzero((lane == number) & (ends > starts))
        spans = Spans(pipe, starts[index], ends[index], index)
        if pipe == "S":
            spans = _scalar_spans(spans, np.array([bool(w) for w in part.waits], bool))
        if len(spans):
            found[pipe] = spans
    return found


def _scalar_spans(own: Spans, waited: np.ndarray) -> Spans:
    """Own steps without waits, and the gaps before them, spent issuing."""
    before = np.concatenate(([0], own.ends[:-1]))[: len(own)]
    issuing = own.starts > before
    working = ~waited[own.steps]
    starts = np.concatenate((before[issuing], own.starts[working]))
    ends = np.concatenate((own.starts[issuing], own.ends[working]))
    steps = np.concatenate((own.steps[issuing] - 1, own.steps[working]))
    order = np.argsort(starts, kind="stable")
    return Spans("S", starts[order], ends[order], steps[order])


def merged(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The spans as few intervals: those that touch or overlap become one."""
    if not len(starts):
        return starts, ends
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    opens = np.flatnonzero(starts[1:] > ends[:-1]) + 1
    first = np.concatenate(([0], opens))
    last = np.concatenate((opens - 1, [len(starts) - 1]))
    return starts[first], ends[last]
