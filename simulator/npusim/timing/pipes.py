"""The pipes of one core in integer ticks: when every step starts and ends.

S issues in program order. Every other pipe runs its work in order:

    start = max(issued, pipe free, released by a flag, queue or barrier)
    end   = max(ready + latency, pipe free + gap) + transfer

where ready = max(issued, released). Latency is hidden behind earlier work in the same
pipe; all times are monotone: no step ends earlier because another takes longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from npusim.timing.lower import (
    ALL_PIPES,
    BARRIER_CAUSE,
    ISSUE,
    NONE,
    PIPE,
    PIPES,
    POSTED,
    SCALAR,
    SET,
    WAIT_PIPE,
    WAIT_SCALAR,
    WORK,
    Op,
)


class Duration(NamedTuple):
    """Ticks of one work: latency where the pipe is idle, gap where not, transfer."""

    latency: int
    gap: int
    transfer: int


class Path(NamedTuple):
    """One core's run of a stream; `busy` in ticks by pipe, in the order of PIPES."""

    end: int
    starts: list[int]
    ends: list[int]
    causes: list[int]
    busy: list[int]


def run_pipes(ops: Sequence[Op], durations: Sequence[Duration]) -> Path:
    """Times of all steps of a core that starts at tick 0."""
    free, held, why = [0] * len(PIPES), [0] * len(PIPES), [NONE] * len(PIPES)
    busy, published = [0] * len(PIPES), list[int]()
    starts, ends, causes = list[int](), list[int](), list[int]()
    issued = landed = 0
    for kind, ticks, a, b, cause in ops:
        start = issued
        issued += ticks
        busy[0] += ticks
        end = issued
        if kind == WORK:
            latency, gap, transfer = durations[b]
            start, cause, before = issued, NONE, free[a]
            if held[a] > start:
                start, cause = held[a], why[a]
            end = max(start + latency, before + gap) + transfer
            if before > start:
                start, cause = before, PIPE
            elif cause == NONE and 0 < before < start:
                cause = ISSUE
            busy[a] += end - start
            free[a] = end
        elif kind == SET:
            published.append(issued if a == 0 else max(issued, free[a]))
        elif kind == WAIT_PIPE:
            if published[b] > held[a]:
                held[a], why[a] = published[b], cause
            cause = NONE
        elif kind == WAIT_SCALAR:
            cause = cause if published[b] > issued else NONE
            end = issued = max(issued, published[b]) + a
        elif kind == POSTED:
            landed = issued + b
        elif kind != SCALAR:
            end = _drain(a, issued, free, held, why)
            cause, issued = cause if end > issued else NONE, end
        starts.append(start)
        ends.append(end)
        causes.append(cause)
    return Path(max(issued, landed, *free), starts, ends, causes, busy)


def _drain(
    pipe: int, issued: int, free: list[int], held: list[int], why: list[int]
) -> int:
    """A barrier: later work waits until the pipe is empty; ALL holds S as well."""
    if pipe == ALL_PIPES:
        return max(issued, *free)
    if pipe and free[pipe] > held[pipe]:
        held[pipe], why[pipe] = free[pipe], BARRIER_CAUSE
    return issued
