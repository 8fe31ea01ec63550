"""Clashes between cores: global memory that several blocks of a launch use.

Blocks are not ordered among themselves, whether they run at once or in waves, so any
byte that one block writes and another writes or reads is a hazard. Where blocks
overwrite each other in a buffer, that is reported and reads of it are not.
"""

from __future__ import annotations

import numpy as np

from npusim.check.findings import Findings
from npusim.check.intervals import Intervals
from npusim.check.shared import GlobalMemory, GlobalTouch, element_of
from npusim.core import Buffer

PAIRS = 64  # clashes of a buffer looked up; one pair of lines is one message


def check_cores(findings: Findings, memory: GlobalMemory) -> None:
    """ASC-GM-06 for overlapping writes, ASC-GM-06b for reads of another's bytes."""
    for buffer in memory.buffers.values():
        writes = memory.intervals(buffer, is_write=True)
        if len(writes.begin) == 0:
            continue
        pairs = _overlapping_writes(writes)
        for low, high in pairs:
            _report_writes(findings, memory, buffer, writes, low, high)
        if not pairs:
            _check_reads(findings, memory, buffer, writes)


def _overlapping_writes(writes: Intervals) -> list[tuple[int, int]]:
    """Pairs of indices; each interval is paired with the one that reaches furthest."""
    begin, end, _ = writes
    reach = np.maximum.accumulate(end)
    late = np.flatnonzero(begin[1:] < reach[:-1]) + 1
    index = np.where(end == reach, np.arange(len(end)), 0)
    furthest = np.maximum.accumulate(index)
    return [(int(furthest[i - 1]), int(i)) for i in late[:PAIRS]]


def _report_writes(
    findings: Findings,
    memory: GlobalMemory,
    buffer: Buffer,
    writes: Intervals,
    low: int,
    high: int,
) -> None:
    begin = int(writes.begin[high])
    end = int(min(writes.end[low], writes.end[high]))
    cores = sorted((int(writes.block[low]), int(writes.block[high])))
    first, second = (
        _find(memory, buffer, core, begin, end, is_write=True) for core in cores
    )
    _report(findings, "ASC-GM-06", buffer, (cores[0], first), (cores[1], second),
            begin, end)  # fmt: skip


def _check_reads(
    findings: Findings, memory: GlobalMemory, buffer: Buffer, writes: Intervals
) -> None:
    reads = memory.intervals(buffer, is_write=False)
    low = np.searchsorted(writes.end, reads.begin, "right")
    high = np.searchsorted(writes.begin, reads.end, "left")
    owner = writes.block[np.minimum(low, len(writes.block) - 1)]
    own = (high - low == 1) & (owner == reads.block)
    reported = 0
    for i in np.flatnonzero((high > low) & ~own).tolist():
        others = np.flatnonzero(writes.block[low[i] : high[i]] != reads.block[i])
        if len(others) and reported < PAIRS:
            reported += 1
            _report_read(findings, memory, buffer, (reads, i),
                         (writes, int(low[i] + others[0])))  # fmt: skip


def _report_read(
    findings: Findings,
    memory: GlobalMemory,
    buffer: Buffer,
    read: tuple[Intervals, int],
    write: tuple[Intervals, int],
) -> None:
    begin = int(max(side.begin[i] for side, i in (read, write)))
    end = int(min(side.end[i] for side, i in (read, write)))
    reader, writer = (int(side.block[i]) for side, i in (read, write))
    first = _find(memory, buffer, writer, begin, end, is_write=True)
    second = _find(memory, buffer, reader, begin, end, is_write=False)
    _report(findings, "ASC-GM-06b", buffer, (writer, first), (reader, second),
            begin, end)  # fmt: skip


def _report(
    findings: Findings,
    code: str,
    buffer: Buffer,
    first: tuple[int, GlobalTouch],
    second: tuple[int, GlobalTouch],
    begin: int,
    end: int,
) -> None:
    (first_core, first_touch), (second_core, second_touch) = first, second
    step, order = second_touch.touch.step, second_touch.touch.order
    facts = {
        "buffer": buffer.name,
        "first_core": first_core,
        "second_core": second_core,
        "first_byte": begin,
        "last_byte": end - 1,
        "nbytes": end - begin,
        "element": element_of(findings, second_touch, begin),
        "operation": step.name,
    }
    findings.add(
        code, step, facts, core=second_core, order=order, other=first_touch.touch.step
    )


def _find(
    memory: GlobalMemory,
    buffer: Buffer,
    block: int,
    begin: int,
    end: int,
    is_write: bool,
) -> GlobalTouch:
    for table in memory.of(buffer):
        if block in table.blocks:
            return table.find(block, begin, end, is_write)
    raise LookupError(f"block {block} does not use {buffer.name}")
