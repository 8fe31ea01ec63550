"""Clashes between cores: global memory that several blocks of a launch use.

Blocks are ordered among themselves by sync_all and by cross-core flags only, whether
they run at once or in waves: any byte that one block writes and another writes or reads
in the same epoch is a hazard. Atomic copies of one kind may meet in any order. Where
blocks overwrite each other in a buffer, that is reported and reads of it are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from npusim.check.across import CrossOrder
from npusim.check.findings import Findings
from npusim.check.intervals import Intervals
from npusim.check.shared import ATOMIC, GlobalMemory, GlobalTouch, Kind, element_of
from npusim.core import Buffer

PAIRS = 64  # clashes of a buffer looked up; one pair of lines is one message
PAIRS_WITH_FLAGS = 5_000  # most of these are ordered by a flag

Side = tuple[Kind, Intervals]


@dataclass(frozen=True)
class _Look:
    """One buffer in one epoch."""

    findings: Findings
    memory: GlobalMemory
    order: CrossOrder
    buffer: Buffer

    @property
    def limit(self) -> int:
        return PAIRS_WITH_FLAGS if self.order else PAIRS

    def side(self, kind: Kind) -> Side:
        return kind, self.memory.intervals(self.buffer, kind)


def check_cores(findings: Findings, memory: GlobalMemory, order: CrossOrder) -> None:
    """ASC-GM-06 for overlapping writes, ASC-GM-06b for reads of another's bytes."""
    for buffer in memory.buffers.values():
        look = _Look(findings, memory, order, buffer)
        for epoch in memory.epochs(buffer):
            _check_epoch(look, epoch)


def _check_epoch(look: _Look, epoch: int) -> None:
    kinds = [Kind(True, number, epoch) for number in range(len(ATOMIC))]
    sides = [look.side(kind) for kind in kinds]
    sides = [(kind, found) for kind, found in sides if len(found.begin)]
    clashed = False
    for index, side in enumerate(sides):
        if side[0].atomic == 0:
            overlapping = _all_overlapping if look.order else _overlapping
            pairs = overlapping(side[1], look.limit)
            clashed |= _report_all(look, "ASC-GM-06", side, side, pairs)
        for other in sides[index + 1 :]:
            pairs = _meetings(side[1], other[1], look.limit)
            clashed |= _report_all(look, "ASC-GM-06", side, other, pairs)
    if not sides or clashed:
        return
    reads = look.side(Kind(False, epoch=epoch))
    for side in sides:
        pairs = _meetings(side[1], reads[1], look.limit)
        _report_all(look, "ASC-GM-06b", side, reads, pairs)


def _overlapping(writes: Intervals, limit: int) -> Iterator[tuple[int, int]]:
    """Pairs of indices; each interval is paired with the one that reaches furthest."""
    begin, end, _ = writes
    reach = np.maximum.accumulate(end)
    late = np.flatnonzero(begin[1:] < reach[:-1]) + 1
    index = np.where(end == reach, np.arange(len(end)), 0)
    furthest = np.maximum.accumulate(index)
    for i in late[:limit]:
        yield int(furthest[i - 1]), int(i)


def _all_overlapping(writes: Intervals, limit: int) -> Iterator[tuple[int, int]]:
    """Every pair of indices that shares a byte: where flags order some writes, one that
    reaches far must not hide two others that nothing orders."""
    for low, high in _meetings(writes, writes, 2 * limit):
        if low < high:
            yield low, high


def _meetings(
    first: Intervals, second: Intervals, limit: int
) -> Iterator[tuple[int, int]]:
    """Pairs (index in `first`, in `second`) of different blocks that share a byte."""
    if not len(first.begin) or not len(second.begin):
        return
    reach = np.maximum.accumulate(first.end)
    low = np.searchsorted(reach, second.begin, "right")
    high = np.searchsorted(first.begin, second.end, "left")
    owner = first.block[np.minimum(low, len(first.block) - 1)]
    own = (high - low == 1) & (owner == second.block)
    found = 0
    for i in np.flatnonzero((high > low) & ~own).tolist():
        part = slice(low[i], high[i])
        hit = first.end[part] > second.begin[i]
        hit &= first.block[part] != second.block[i]
        for j in np.flatnonzero(hit)[: limit - found].tolist():
            found += 1
            yield int(low[i]) + j, i
        if found >= limit:
            return


def _report_all(
    look: _Look, code: str, first: Side, second: Side, pairs: Iterator[tuple[int, int]]
) -> bool:
    """Report the pairs that nothing orders; whether there was one."""
    found = False
    for low, high in pairs:
        found |= _report_pair(look, code, (first, low), (second, high))
    return found


def _report_pair(
    look: _Look, code: str, first: tuple[Side, int], second: tuple[Side, int]
) -> bool:
    sides = first, second
    begin = int(max(side[1].begin[i] for side, i in sides))
    end = int(min(side[1].end[i] for side, i in sides))
    if code == "ASC-GM-06":  # the lower core is the first
        sides = tuple(sorted(sides, key=lambda s: int(s[0][1].block[s[1]])))  # type: ignore[assignment]
    cores = [int(side[1].block[i]) for side, i in sides]
    touches = [
        _find(look, core, begin, end, side[0])
        for (side, _), core in zip(sides, cores, strict=True)
    ]
    pair = next(
        (
            ((cores[0], a), (cores[1], b))
            for a in touches[0]
            for b in touches[1]
            if not look.order or not look.order.is_ordered((cores[0], a), (cores[1], b))
        ),
        None,
    )
    if pair is not None:
        _report(look, code, *pair, begin, end)
    return pair is not None


def _report(
    look: _Look,
    code: str,
    first: tuple[int, GlobalTouch],
    second: tuple[int, GlobalTouch],
    begin: int,
    end: int,
) -> None:
    (first_core, first_touch), (second_core, second_touch) = first, second
    step, order = second_touch.touch.step, second_touch.touch.order
    facts = {
        "buffer": look.buffer.name,
        "first_core": first_core,
        "second_core": second_core,
        "first_byte": begin,
        "last_byte": end - 1,
        "nbytes": end - begin,
        "element": element_of(look.findings, second_touch, begin),
        "operation": step.name,
    }
    look.findings.add(
        code, step, facts, core=second_core, order=order, other=first_touch.touch.step
    )


def _find(
    look: _Look, block: int, begin: int, end: int, kind: Kind
) -> list[GlobalTouch]:
    for table in look.memory.of(look.buffer):
        if block in table.blocks:
            return table.find(block, begin, end, kind)
    raise LookupError(f"block {block} does not use {look.buffer.name}")
