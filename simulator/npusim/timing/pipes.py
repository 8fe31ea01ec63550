"""The pipes of one core in integer ticks: when every step starts and ends.

S issues in program order. Every other pipe runs its work in order:

    start = max(issued, pipe free, released by a flag, queue or barrier)
    end   = max(ready + latency, pipe free + gap) + transfer

where ready = max(issued, released). Latency is hidden behind earlier work in the same
pipe; all times are monotone: no step ends earlier because another takes longer.

S learns of the end of vector work one round trip later, from a flag or from a barrier
of all pipes.

Where cores wait for each other, each one's run stops until it is told when the others
have arrived (`Arrival`); `meetings` brings them together.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

from npusim.timing.lower import (
    ALL_PIPES,
    ARRIVE,
    AWAIT,
    BARRIER_CAUSE,
    FLAG,
    ISSUE,
    MEET,
    NONE,
    PIPE,
    PIPES,
    POSTED,
    RUN,
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


class Bounds(NamedTuple):
    """Works in a row end at the latest of these ticks after their pipe was issued the
    last, released, and free."""

    issued: int
    held: int
    free: int


class Path(NamedTuple):
    """One core's run of a stream; `busy` in ticks by pipe, in the order of PIPES."""

    end: int
    starts: list[int]
    ends: list[int]
    causes: list[int]
    busy: list[int]


class Arrival(NamedTuple):
    """A core is at a meeting of all cores at tick `at`.

    `sets`: the others may go on as far as this core is concerned. `waits`: it must be
    sent the tick from which on all have arrived.
    """

    meeting: int
    at: int
    sets: bool
    waits: bool


Run = Generator[Arrival, int, Path]
Durations = Sequence[Duration | Bounds]
_V = PIPES.index("V")


def run_pipes(ops: Sequence[Op], durations: Durations) -> Path:
    """Times of all steps of a core that starts at tick 0 and waits for no other."""
    run, answer = pipe_run(ops, durations), None
    while True:
        try:
            answer = run.send(answer).at  # type: ignore[arg-type]
        except StopIteration as end:
            return end.value


def pipe_run(ops: Sequence[Op], durations: Durations) -> Run:
    """The run of one core; stops at each `Arrival`, is sent a tick where it waits."""
    free, held, busy, why = ([0] * len(PIPES) for _ in range(4))
    published, starts, ends, causes = (list[int]() for _ in range(4))
    issued = landed = scalar = 0
    for kind, ticks, a, b, cause in ops:
        start, scalar = issued, scalar + ticks
        end = issued = issued + ticks
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
            free[a], busy[a] = end, busy[a] + end - start
        elif kind == SET:
            published.append(issued if a == 0 else max(issued, free[a]))
        elif kind == WAIT_PIPE:
            if published[b] > held[a]:
                held[a], why[a] = published[b], cause
            cause = NONE
        elif kind == WAIT_SCALAR:
            cause = cause if published[b] > issued else NONE
            end = issued = _told(a, published[b], issued, held)
        elif kind == POSTED:
            landed = issued + b
        elif kind == RUN:
            free[a] = _bounded(durations[b], issued, held[a], free[a])
        elif kind >= MEET:
            release = yield _arrival(kind, a, b, issued, free)
            cause = cause if a <= 0 else NONE
            if kind != ARRIVE:
                end = issued = _released(a, release, issued, held, why)
        elif kind != SCALAR:
            end = _drain(a, b, issued, free, held, why)
            cause, issued = cause if end > issued else NONE, end
        starts.append(start)
        ends.append(end)
        causes.append(cause)
    return Path(max(issued, landed, *free), starts, ends, causes, [scalar, *busy[1:]])


def _told(trip: int, published: int, issued: int, held: list[int]) -> int:
    """Tick at which S knows of a flag; a trip is paid for work of V only."""
    if trip:
        held[0] = max(held[0], published)
    return max(issued, published) + trip


def _bounded(bounds: Duration | Bounds, issued: int, held: int, free: int) -> int:
    after_issue, after_hold, after_work = bounds
    return max(issued + after_issue, held + after_hold, free + after_work)


def _arrival(
    kind: int, pipe: int, meeting: int, issued: int, free: list[int]
) -> Arrival:
    """At a meeting: done with what `pipe` (or all of them) was given so far."""
    if kind == AWAIT:
        return Arrival(meeting, issued, False, True)
    done = max(issued, *free) if pipe == ALL_PIPES else max(issued, free[pipe])
    return Arrival(meeting, done, True, kind == MEET)


def _released(
    pipe: int, release: int, issued: int, held: list[int], why: list[int]
) -> int:
    """Tick at which S goes on; a single pipe is held until `release`, S is not."""
    if pipe in (0, ALL_PIPES):
        held[0] = max(issued, release)
        return held[0]
    if release > held[pipe]:
        held[pipe], why[pipe] = release, FLAG
    return issued


def _drain(
    pipe: int, trip: int, issued: int, free: list[int], held: list[int], why: list[int]
) -> int:
    """A barrier: later work waits until the pipe is empty; ALL holds S as well.

    Work of V of which no flag has told S yet (`held[0]`: up to where one has) reaches S
    `trip` ticks after its end, as by a flag.
    """
    if pipe == ALL_PIPES:
        told = free[_V] + trip if free[_V] > held[0] else 0
        held[0] = free[_V]
        return max(issued, told, *free)
    if pipe and free[pipe] > held[pipe]:
        held[pipe], why[pipe] = free[pipe], BARRIER_CAUSE
    return issued
