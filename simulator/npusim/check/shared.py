"""Accesses to global memory, by buffer and block: order inside each block.

The accesses of a group to one buffer are one table, `begin[access, block]`. Where the
blocks differ by a shift only (the usual case) the first block speaks for all. A table
goes through the exact walk of `npusim.check.cells` only if a cheap test finds that
accesses of one block touch each other, or bytes that were never written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from npusim.check.cells import FRESH, WRITTEN, Cells, Clash, Undefined
from npusim.check.findings import Findings, itemsize_of
from npusim.check.hazards import report_clash
from npusim.check.intervals import EMPTY, Intervals, concatenate, gaps, merge, overlaps
from npusim.check.local import GlobalTouch, undefined_facts
from npusim.core import Buffer, Execution
from npusim.core.stream import Access, Segment, Stream
from npusim.lang.program import ADDRESS_BITS

Walked = list[tuple[Segment, list[GlobalTouch]]]


ATOMIC = ("", "add", "max", "min")


class Kind(NamedTuple):
    """Which accesses: `atomic` (index into ATOMIC) and `epoch` None mean any."""

    is_write: bool
    atomic: int | None = None
    epoch: int | None = None


@dataclass(frozen=True)
class Table:
    """Runs of bytes of one buffer that the blocks of one group access.

    `begin[run, block]`: byte offset in the buffer; `nbytes[run]`; `is_write[run]`;
    `row[run]`: index into `touches`, in program order; `atomic[run]`: index into
    ATOMIC; `epoch[run]`: number of sync_all before it.
    """

    buffer: Buffer
    blocks: np.ndarray
    touches: list[GlobalTouch]
    row: np.ndarray
    begin: np.ndarray
    nbytes: np.ndarray
    is_write: np.ndarray
    atomic: np.ndarray
    epoch: np.ndarray

    @cached_property
    def is_uniform(self) -> bool:
        """Whether all blocks do the same, up to a shift."""
        shift = self.begin - self.begin[:, :1]
        return bool((shift == shift[:1]).all())

    @property
    def end(self) -> np.ndarray:
        return self.begin + self.nbytes[:, None]

    def chosen(self, kind: Kind) -> np.ndarray:
        """Which runs are of a kind."""
        found = self.is_write == kind.is_write
        if kind.atomic is not None:
            found = found & (self.atomic == kind.atomic)
        return found if kind.epoch is None else found & (self.epoch == kind.epoch)

    def intervals(self, kind: Kind) -> Intervals:
        """Bytes that each block accesses in that way; disjoint within a block."""
        chosen = self.chosen(kind)
        begin, end = self.begin[chosen], self.end[chosen]
        if not len(begin):
            return EMPTY
        if self.is_uniform:
            shift = begin[0] - begin[0, 0]
            first, last = merge(begin[:, 0], end[:, 0])
            block = np.repeat(self.blocks, len(first))
            first, last = ((shift[:, None] + side).ravel() for side in (first, last))
            return Intervals(first, last, block)
        return self._merged_by_block(begin, end)

    def _merged_by_block(self, begin: np.ndarray, end: np.ndarray) -> Intervals:
        room = self.buffer.nbytes + 1  # keeps blocks apart on one number line
        lane = np.arange(len(self.blocks)) * room
        first, last = merge((begin + lane).ravel(), (end + lane).ravel())
        owner = first // room
        return Intervals(first - owner * room, last - owner * room, self.blocks[owner])

    def find(self, block: int, begin: int, end: int, kind: Kind) -> list[GlobalTouch]:
        """Such accesses of `block` to any byte of `[begin, end)`, in program order."""
        lane = int(np.searchsorted(self.blocks, block))
        start = self.begin[:, lane]
        hit = (start < end) & (start + self.nbytes > begin) & self.chosen(kind)
        return [self.touches[row] for row in np.unique(self.row[hit]).tolist()]


class GlobalMemory:
    """The tables of all buffers for which order matters: written or poisoned ones."""

    def __init__(self, execution: Execution, walked: list[tuple[Stream, Walked]]):
        self.buffers = execution.buffers
        chosen = {i for i, b in self.buffers.items() if b.written is not None}
        for _, parts in walked:
            touches = (touch for _, part in parts for touch in part)
            chosen |= {t.buffer_id for t in touches if t.touch.kind == "write"}
        self.tables = [
            _table(self.buffers[buffer_id], stream.blocks, parts)
            for stream, parts in walked
            for buffer_id in sorted(chosen & _ids(parts))
        ]

    def of(self, buffer: Buffer) -> list[Table]:
        """The tables of one buffer, in the order of the streams."""
        return [t for t in self.tables if t.buffer.buffer_id == buffer.buffer_id]

    def intervals(self, buffer: Buffer, kind: Kind) -> Intervals:
        """Bytes of `buffer` that each block of the launch accesses in that way."""
        return concatenate([t.intervals(kind) for t in self.of(buffer)])

    def epochs(self, buffer: Buffer) -> list[int]:
        """Epochs in which `buffer` is written."""
        parts = [t.epoch[t.is_write] for t in self.of(buffer)]
        return np.unique(np.concatenate(parts)).tolist() if parts else []


def _ids(parts: Walked) -> set[int]:
    return {touch.buffer_id for _, part in parts for touch in part}


def _table(buffer: Buffer, blocks: np.ndarray, parts: Walked) -> Table:
    """The runs of bytes that `blocks` access in one buffer, in program order."""
    touches: list[GlobalTouch] = []
    rows: list[np.ndarray] = []
    for segment, part in parts:
        own = [touch for touch in part if touch.buffer_id == buffer.buffer_id]
        lanes = np.searchsorted(segment.blocks, blocks)
        rows += [_lanes(touch.touch.access.base, lanes) for touch in own]
        touches += own
    runs, nbytes, pitch = np.array([_shape(t.touch.access) for t in touches]).T
    row = np.repeat(np.arange(len(touches)), runs)
    number = np.arange(len(row)) - (np.cumsum(runs) - runs)[row]  # run of its access
    shift = number * pitch[row] - (buffer.buffer_id << ADDRESS_BITS)
    begin = np.array(rows)[row] + shift[:, None]
    is_write = np.array([touch.touch.kind == "write" for touch in touches])
    atomic = np.array([ATOMIC.index(touch.touch.access.atomic) for touch in touches])
    epoch = np.array([touch.epoch for touch in touches])
    return Table(
        buffer, blocks, touches, row, begin, nbytes[row], is_write[row], atomic[row],
        epoch[row],
    )  # fmt: skip


def _lanes(base: int | np.ndarray, lanes: np.ndarray) -> np.ndarray:
    if isinstance(base, np.ndarray):
        return base if len(base) == len(lanes) else base[lanes]
    return np.full(len(lanes), base)


def _shape(access: Access) -> tuple[int, int, int]:
    """`(runs, nbytes, pitch)`; an access without gaps is one run."""
    if access.count == 1 or 0 <= access.pitch <= access.nbytes:
        return 1, access.pitch * (access.count - 1) + access.nbytes, 0
    return access.count, access.nbytes, access.pitch


# ------------------------------------------------------------------ inside one block
def check_blocks(findings: Findings, memory: GlobalMemory) -> None:
    """Hazards and undefined reads in global memory inside each block."""
    for table in memory.tables:
        for lane, contents in _suspects(memory, table):
            _walk(findings, table, lane, contents)


def _suspects(memory: GlobalMemory, table: Table) -> Iterator[tuple[int, Cells]]:
    """Blocks (as columns) to walk exactly, with what memory holds before."""
    unwritten = _reads_unwritten(table)
    clashing = _touches_itself(table)
    for lane in np.flatnonzero(unwritten | clashing).tolist():
        cells = Cells(WRITTEN)
        if unwritten[lane]:
            for begin, end in _undefined(memory, table, int(table.blocks[lane])):
                cells.fill(begin, end, FRESH)
        yield lane, cells


def _touches_itself(table: Table) -> np.ndarray:
    """Per block: whether two accesses share a byte and one may be a write."""
    found = np.zeros(len(table.blocks), bool)
    if table.is_write.any():
        lanes = slice(0, 1) if table.is_uniform else slice(None)
        found[lanes] = overlaps(table.begin[:, lanes], table.end[:, lanes])
    return found


def _reads_unwritten(table: Table) -> np.ndarray:
    """Per block: whether it reads a byte that was undefined before the launch."""
    found = np.zeros(len(table.blocks), bool)
    written = table.buffer.written
    if written is None or written.all():
        return found
    missing = np.concatenate(([0], np.cumsum(~written)))
    reads = ~table.is_write | (table.atomic > 0)
    undefined = missing[table.end[reads]] > missing[table.begin[reads]]
    found[:] = undefined.any(axis=0)
    if table.is_uniform and not written.any():
        found[1:] = False  # what holds for the first block holds for all
    return found


def _undefined(memory: GlobalMemory, table: Table, block: int) -> list[tuple[int, int]]:
    """Bytes undefined before the launch that no other block writes either."""
    written = memory.intervals(table.buffer, Kind(True, atomic=0))
    others = written.block != block
    before = table.buffer.written
    assert before is not None
    edges = np.flatnonzero(np.diff(np.concatenate(([False], before, [False]))))
    begin = np.concatenate((edges[0::2], written.begin[others]))
    end = np.concatenate((edges[1::2], written.end[others]))
    return gaps(*merge(begin, end), table.buffer.nbytes)


def _walk(findings: Findings, table: Table, lane: int, cells: Cells) -> None:
    core, name = int(table.blocks[lane]), table.buffer.name
    begins = table.begin[:, lane].tolist()
    for row, begin, nbytes in zip(table.row, begins, table.nbytes, strict=True):
        touch, clock, *_ = table.touches[row]
        look = cells.read if touch.kind == "read" else cells.write
        look = cells.combine if touch.access.atomic else look
        troubles = list(look(begin, begin + int(nbytes), touch, clock))
        clashes = [t for t in troubles if isinstance(t, Clash)]
        report_clash(findings, clashes, core, memory="GM", buffer=name)
        undefined = [t for t in troubles if isinstance(t, Undefined)]
        if undefined:
            _report_undefined(findings, table.buffer, undefined, core)


def _report_undefined(
    findings: Findings, buffer: Buffer, found: list[Undefined], core: int
) -> None:
    touch = found[0].touch
    facts = undefined_facts(findings, found, touch.step, touch.access, 0)
    itemsize = buffer.dtype.itemsize
    facts |= {"buffer": buffer.name, "element": facts["byte"] // itemsize}  # type: ignore[operator]
    findings.add("ASC-INIT-11b", touch.step, facts, core=core, order=touch.order)


def element_of(findings: Findings, touch: GlobalTouch, byte: int) -> int:
    """Element that holds byte `byte`, by the dtype the access sees."""
    step, name = touch.touch.step, touch.touch.access.name
    return byte // itemsize_of(findings.execution.program, step, name)
