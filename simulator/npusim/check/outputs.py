"""Outputs: which bytes a launch has defined, and which it left out (ASC-TILE-26).

Where a buffer is declared an output, every element must be written; for an ordinary
array that a launch writes only in part, the same message is a warning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from npusim.check.intervals import gaps, merge
from npusim.core import Buffer, Execution
from npusim.core.stream import Access, Step
from npusim.diagnostic import Diagnostic
from npusim.lang.program import ADDRESS_BITS


class Written(NamedTuple):
    """What a launch wrote in one buffer: disjoint bytes, sorted; the last step."""

    begin: np.ndarray
    end: np.ndarray
    last: Step


def mark_written(execution: Execution) -> None:
    """Note in every poisoned buffer (`Buffer.written`) the bytes this launch wrote."""
    poisoned = {b: one.written for b, one in execution.buffers.items()}
    if all(mask is None for mask in poisoned.values()):
        return
    for buffer_id, written in written_bytes(execution).items():
        mask = poisoned[buffer_id]
        if mask is None:
            continue
        pairs = zip(written.begin.tolist(), written.end.tolist(), strict=True)
        for begin, end in pairs:
            mask[begin:end] = True


def check_outputs(execution: Execution) -> tuple[Diagnostic, ...]:
    """ASC-TILE-26 for each buffer with elements that were left out."""
    written = written_bytes(execution)
    found = []
    for buffer_id, buffer in sorted(execution.buffers.items()):
        part = written.get(buffer_id)
        if buffer.output or (part is not None and buffer.written is None):
            found += _check_output(execution, buffer, part)
    return tuple(found)


def _check_output(
    execution: Execution, buffer: Buffer, part: Written | None
) -> list[Diagnostic]:
    holes = _holes(buffer, part)
    if not holes:
        return []
    facts = {
        "buffer": buffer.name,
        "count": sum(stop - start for start, stop in holes),
        "total": buffer.nbytes // buffer.dtype.itemsize,
        "first": holes[0][0],
        "last": holes[-1][1] - 1,
    }
    where = None if part is None else execution.program.location(part.last.where)
    return [Diagnostic("ASC-TILE-26", "E" if buffer.output else "W", where, facts)]


def _holes(buffer: Buffer, part: Written | None) -> list[tuple[int, int]]:
    """Ranges of elements with an undefined byte."""
    nothing = np.zeros(0, np.int64)
    begin, end = (nothing, nothing) if part is None else (part.begin, part.end)
    if buffer.written is not None:
        edges = np.flatnonzero(np.diff(np.concatenate(([0], buffer.written, [0]))))
        begin = np.concatenate((begin, edges[0::2]))
        end = np.concatenate((end, edges[1::2]))
    size = buffer.dtype.itemsize
    left_out = gaps(*merge(begin, end), buffer.nbytes)
    spans = np.array([(a // size, -(-b // size)) for a, b in left_out]).reshape(-1, 2)
    first, last = merge(spans[:, 0], spans[:, 1])
    return list(zip(first.tolist(), last.tolist(), strict=True))


def written_bytes(execution: Execution) -> dict[int, Written]:
    """buffer id → the bytes that any block of the launch wrote."""
    segments = _segments(execution)
    writes = [access for part in segments.values() for _, access in part]
    if not writes:
        return {}
    starts = [_starts(access) for access in writes]
    begin = np.concatenate(starts)
    lengths = np.array([access.nbytes for access in writes])
    end = begin + np.repeat(lengths, [len(part) for part in starts])
    owner = begin >> ADDRESS_BITS
    result = {}
    for buffer_id, step in _last_writes(execution, segments).items():
        own, shift = owner == buffer_id, buffer_id << ADDRESS_BITS
        result[buffer_id] = Written(*merge(begin[own] - shift, end[own] - shift), step)
    return result


def _starts(access: Access) -> np.ndarray:
    """Device addresses of all runs of all blocks."""
    base = np.atleast_1d(access.base)
    if access.count == 1:
        return base
    return (base[:, None] + access.pitch * np.arange(access.count)).ravel()


Writes = list[tuple[Step, Access]]


def _segments(execution: Execution) -> dict[int, Writes]:
    """The writes to global memory of each segment, by the segment's id."""
    found: dict[int, Writes] = {}
    for stream in execution.streams:
        for segment in stream.segments():
            if id(segment) not in found:
                found[id(segment)] = [
                    (step, access)
                    for step in segment.steps
                    for access in step.writes
                    if access.space == "GM"
                ]
    return found


def _last_writes(execution: Execution, segments: dict[int, Writes]) -> dict[int, Step]:
    """buffer id → the last write of the highest block that writes it: the same however
    blocks were grouped."""
    last: dict[int, tuple[int, Step]] = {}
    for stream in execution.streams:
        block = int(stream.blocks[-1])
        own = {
            int(np.atleast_1d(access.base)[0]) >> ADDRESS_BITS: (block, step)
            for segment in stream.segments()
            for step, access in segments[id(segment)]
        }
        for buffer_id, (_, step) in own.items():
            if buffer_id not in last or last[buffer_id][0] < block:
                last[buffer_id] = block, step
    return {buffer_id: step for buffer_id, (_, step) in sorted(last.items())}
