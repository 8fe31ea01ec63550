"""ASC-PERF-38: copies that are too small, or that start inside a line of 512 B.

The start of a copy costs the same however much it moves, and the memory system moves
whole lines: what a row begins and ends in is moved in full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npusim.check.notes.work import ClassWork, Work, percent, threshold
from npusim.core.stream import Access, Step


@dataclass
class _Line:
    """Copies of one line of the kernel; all blocks together but for `most`."""

    pipe: str
    copies: int = 0
    nbytes: float = 0.0
    moved: float = 0.0  # bytes of the lines that were touched
    unaligned: float = 0.0
    rows: float = 0.0
    most: int = 0  # executions by one block
    cycles: float = 0.0


def check(work: Work) -> None:
    """At most one note: for the most costly line of a pipe that is busy."""
    size = int(work.execution.chip.constant("line"))
    lines: dict[int, _Line] = {}
    for part in work.classes:
        _count(part, lines, size)
    own = {
        where: line for where, line in lines.items()
        if work.ratio(line.pipe) >= threshold("busy")
    }  # fmt: skip
    for where in sorted(own, key=lambda w: -own[w].cycles):
        if _judge(work, where, own[where], size):
            return


def _count(part: ClassWork, lines: dict[int, _Line], size: int) -> None:
    passed: dict[int, int] = {}
    for i, step in enumerate(part.steps):
        access = _in_gm(step)
        if access is None:
            continue
        line = lines.setdefault(step.where, _Line(step.pipe))
        passed[step.where] = passed.get(step.where, 0) + 1
        line.most = max(line.most, passed[step.where])
        line.copies += part.blocks
        line.cycles += (part.ends[i] - part.starts[i]) * part.blocks
        _add_rows(line, access, part.blocks, size)


def _in_gm(step: Step) -> Access | None:
    if step.cost.kind != "copy":
        return None
    return next((a for a in (*step.reads, *step.writes) if a.space == "GM"), None)


def _add_rows(line: _Line, access: Access, blocks: int, size: int) -> None:
    """Rows that follow each other without a gap are one run of bytes."""
    count, nbytes = access.count, access.nbytes
    if access.pitch == nbytes:
        count, nbytes = 1, access.total_nbytes
    base = np.atleast_1d(np.asarray(access.base, np.int64))
    starts = base[:, None] + access.pitch * np.arange(count, dtype=np.int64)
    touched = (starts + nbytes - 1) // size - starts // size + 1
    times = blocks / len(base)  # a class may hold blocks of other streams
    line.rows += starts.size * times
    line.nbytes += nbytes * starts.size * times
    line.moved += int(touched.sum()) * size * times
    line.unaligned += int((starts % size != 0).sum()) * times


def _judge(work: Work, where: int, line: _Line, size: int) -> bool:
    average = line.nbytes / line.copies
    time = work.share(line.cycles)
    rate = work.execution.chip.constant(
        "read_cap" if line.pipe == "MTE2" else "write_cap"
    )
    spare = work.share(max(0.0, line.cycles - line.nbytes / rate))
    small = average < threshold("small_copy_nbytes") and line.most >= threshold("many")
    facts = {
        "average": round(average), "wanted": int(threshold("wanted_copy_nbytes")),
        "pipe": line.pipe, "busy": percent(work.ratio(line.pipe)),
        "count": line.copies, "line": size,
        "unaligned": percent(line.unaligned / line.rows),
        "times": f"{line.moved / line.nbytes:.3g}",
    }  # fmt: skip
    if small and spare >= threshold("gain"):
        work.add("ASC-PERF-38", spare, where, **facts)
        return True
    wasted = time * (1 - line.nbytes / line.moved)
    if line.unaligned and wasted >= threshold("gain") and average >= size:
        work.add("ASC-PERF-38", wasted, where, reason="unaligned", **facts)
        return True
    return False
