"""ASC-DCACHE-25: cores whose scalar writes share a line of the data cache.

The scalar unit writes global memory through a cache of its own core, in lines of 64 B
(public Ascend C documentation, DataCacheCleanAndInvalid). A line is written back whole,
so cores that write different bytes of one line lose one of the updates. Blocks in
different waves are looked at like blocks that run at once.
"""

from __future__ import annotations

import numpy as np

from npusim.check.clocks import SCALAR
from npusim.check.findings import Findings
from npusim.check.shared import GlobalMemory, GlobalTouch, Kind, Table, element_of
from npusim.core import Buffer

LINE_NBYTES = 64
LINES = 64  # shared lines of a buffer looked up; one pair of places is one message


def check_lines(findings: Findings, memory: GlobalMemory) -> None:
    """One message for each pair of places that write a line in two blocks."""
    for buffer in memory.buffers.values():
        tables = [(t, _scalar_writes(t)) for t in memory.of(buffer)]
        parts = [_lines(table, rows) for table, rows in tables if rows.any()]
        if not parts:
            continue
        line, block = (np.concatenate(column) for column in zip(*parts, strict=True))
        for number, first, second in _shared(line, block)[:LINES]:
            _report(findings, memory, buffer, number, first, second)


def _scalar_writes(table: Table) -> np.ndarray:
    scalar = np.array([t.touch.pipe == SCALAR for t in table.touches], bool)
    return table.is_write & scalar[table.row]


def _lines(table: Table, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(line, block) of each scalar write; an element never straddles two lines."""
    lines = table.begin[rows] // LINE_NBYTES
    blocks = np.broadcast_to(table.blocks, lines.shape)
    return lines.ravel(), blocks.ravel()


def _shared(line: np.ndarray, block: np.ndarray) -> list[tuple[int, int, int]]:
    """(line, lowest block, next block) of each line that two blocks write."""
    order = np.lexsort((block, line))
    line, block = line[order], block[order]
    starts = np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1])))
    change = np.flatnonzero((line[1:] == line[:-1]) & (block[1:] != block[:-1])) + 1
    owner = np.searchsorted(starts, change, "right") - 1
    _, first = np.unique(owner, return_index=True)
    return [
        (int(line[i]), int(block[starts[o]]), int(block[i]))
        for i, o in zip(change[first].tolist(), owner[first].tolist(), strict=True)
    ]


def _report(
    findings: Findings,
    memory: GlobalMemory,
    buffer: Buffer,
    line: int,
    first: int,
    second: int,
) -> None:
    begin = line * LINE_NBYTES
    end = min(begin + LINE_NBYTES, buffer.nbytes)
    a = _writer(memory, buffer, first, begin, end)
    b = _writer(memory, buffer, second, begin, end)
    if findings.knows("ASC-GM-06", b.touch.step, a.touch.step):
        return
    facts = {
        "buffer": buffer.name,
        "first_core": first,
        "second_core": second,
        "line": begin,
        "first_byte": begin,
        "last_byte": end - 1,
        "element": element_of(findings, b, begin),
        "operation": b.touch.step.name,
        "nbytes": LINE_NBYTES,
    }
    step, order = b.touch.step, b.touch.order
    findings.add(
        "ASC-DCACHE-25", step, facts, core=second, order=order, other=a.touch.step
    )


def _writer(
    memory: GlobalMemory, buffer: Buffer, block: int, begin: int, end: int
) -> GlobalTouch:
    table = next(t for t in memory.of(buffer) if block in t.blocks)
    found = table.find(block, begin, end, Kind(True))
    return next(t for t in found if t.touch.pipe == SCALAR)
