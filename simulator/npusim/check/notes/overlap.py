"""ASC-PERF-40: two buffers declared, yet copies and vector work take turns: why.

Looked at are queues with two buffers or more. Reasons, the first that holds: one tile
only; a PIPE_ALL barrier, or a wait of the scalar unit, in every tile; one pipe is busy
all the time, so that there is nothing to overlap.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from npusim.check.notes.barriers import passes
from npusim.check.notes.unbarred import barrier_share
from npusim.check.notes.work import ClassWork, Work, percent, threshold
from npusim.lang.program import Const, Issue, Program

_PIPES = ("MTE2", "V", "MTE3")
_SAVED = {"one_tile": 0.5}  # two tiles: one half of the smaller work runs beside


def check(work: Work) -> None:
    """One note for the run."""
    queues = _double(work.execution.program)
    if not queues or not work.classes:
        return
    part = max(work.classes, key=lambda c: c.blocks * max(c.ends, default=0.0))
    busy = [work.ratio(pipe) for pipe in _PIPES]
    if _together(part) >= threshold("idle_overlap"):
        return
    gain = (sum(busy) - max(busy)) * work.core / work.timing.cycles
    top = _PIPES[busy.index(max(busy))]
    name, where = next(iter(queues.items()))
    facts = {"queue": name, "pipe": top, "busy": percent(max(busy))}
    if max(busy) >= threshold("full_pipe"):
        work.add("ASC-PERF-40", gain, where, reason="busy", **facts)
    elif gain >= threshold("gain"):
        reason = _reason(part)
        if reason:
            kind, place, tiles = reason
            gain *= _SAVED.get(kind, 1.0)
            if kind == "barrier":
                own = barrier_share(work.execution)
                gain = own * work.longest / work.timing.cycles
            if gain < threshold("gain"):
                return
            line = work.execution.program.location(place).line
            more = {"line": line, "tiles": tiles, "share": percent(gain)}
            work.add("ASC-PERF-40", gain, place, reason=kind, **facts, **more)


def _double(program: Program) -> dict[str, int]:
    """Queues with two buffers or more: name → place of init_buffer."""
    found: dict[str, int] = {}
    for op in program.code:
        if isinstance(op, Issue) and op.name == "init_buffer":
            resource: Any = op.operands["buffer"]
            number = op.operands.get("num")
            two = isinstance(number, Const) and number.value > 1
            if resource.kind == "TQue" and two:
                found[resource.name] = op.where
    return found


def _together(part: ClassWork) -> float:
    """How much of the copies' and the vector unit's work is done side by side."""
    first, second = part.spans("MTE2"), part.spans("V")
    least = min(sum(end - start for start, end in spans) for spans in (first, second))
    both, i, j = 0.0, 0, 0
    while i < len(first) and j < len(second):
        start, end = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        both += max(0.0, end - start)
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return both / least if least else 1.0


def _reason(part: ClassWork) -> tuple[str, int, int] | None:
    """(reason, place, tiles a block)."""
    copies = Counter(s.where for s in part.steps if s.pipe == "MTE2")
    if not copies:
        return None
    place, tiles = copies.most_common(1)[0]
    if tiles == 1:
        sizes = [s.reads[0].total_nbytes for s in part.steps if s.pipe == "MTE2"]
        large = max(sizes) >= 2 * threshold("small_copy_nbytes")
        return ("one_tile", place, tiles) if large else None
    for where, count in passes(part).most_common(1):
        if count >= tiles - 1:
            return "barrier", where, tiles
    waits = Counter(
        step.where for step, cause in zip(part.steps, part.part.waits, strict=True)
        if step.sync and step.sync.kind == "wait" and step.sync.target == "S" and cause
    )  # fmt: skip
    for where, count in waits.most_common(1):
        if count >= tiles - 1:
            return "scalar", where, tiles
    return None
