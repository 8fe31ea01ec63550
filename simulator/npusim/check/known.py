"""Walks of an earlier launch of the same program that found nothing, used again.

What a walk finds depends on the steps only, not on numbers in memory or on where in a
buffer the copies lie. If all segments of a launch have the steps that those of an
earlier one had, the walk would end as it did then: no finding, and the same clock for
each access to global memory. Steps of prepared instructions are the same objects then,
so most of the comparison is one of identities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from npusim.check.local import GlobalTouch, LocalCheck
from npusim.core import Execution
from npusim.core.reuse import kept_for
from npusim.core.stream import Access, Segment, Step, Stream
from npusim.lang.program import ADDRESS_BITS

Walked = list[tuple[Stream, list[tuple[Segment, list[GlobalTouch]]]]]

STEPS = 100_000  # launches with more steps are walked each time
NOTE = "check.known"


class Noted(NamedTuple):
    """An access to global memory: which of its side's, and the touch of then."""

    step: int  # index in its segment
    access: int
    touch: GlobalTouch


class Part(NamedTuple):
    """One segment of an earlier launch; `parent`: index of its parent's part."""

    parent: int
    steps: list[Step]
    noted: list[Noted]


def walk_streams(local: LocalCheck, execution: Execution) -> Walked:
    """The accesses to global memory by stream and segment; findings are reported."""
    segments = _segments(execution)
    parts: list[Part] | None = kept_for(execution.program).notes.get(NOTE)
    if parts is not None and not execution.faults and not local.flags:
        touches = _recalled(parts, segments)
        if touches is not None:
            return [
                (stream, [(s, touches[id(s)]) for s in stream.segments()])
                for stream in execution.streams
            ]
    walked = [(stream, local.walk(stream)) for stream in execution.streams]
    if not execution.faults and not local.flags and not local.findings.sorted():
        _note(execution, segments, walked)
    return walked


def _segments(execution: Execution) -> list[Segment]:
    """Each segment once, parents first."""
    found: dict[int, Segment] = {}
    for stream in execution.streams:
        for segment in stream.segments():
            found.setdefault(id(segment), segment)
    return list(found.values())


def _parents(segments: list[Segment]) -> list[int]:
    place = {id(segment): index for index, segment in enumerate(segments)}
    return [-1 if s.parent is None else place[id(s.parent)] for s in segments]


# --------------------------------------------------------------------------- recalled
def _recalled(
    parts: list[Part], segments: list[Segment]
) -> dict[int, list[GlobalTouch]] | None:
    """Accesses by the segment's id, if every segment is as it was then."""
    parents = _parents(segments)
    if len(parts) != len(segments):
        return None
    for part, segment, parent in zip(parts, segments, parents, strict=True):
        if part.parent != parent or not _are_alike(part.steps, segment.steps):
            return None
    return {
        id(segment): [_renewed(noted, segment) for noted in part.noted]
        for part, segment in zip(parts, segments, strict=True)
    }


def _renewed(noted: Noted, segment: Segment) -> GlobalTouch:
    step, touch = segment.steps[noted.step], noted.touch.touch
    access = _side(step, touch.kind)[noted.access]
    touch = touch._replace(step=step, access=access)
    return noted.touch._replace(touch=touch)


def _side(step: Step, kind: str) -> tuple[Access, ...]:
    return step.reads if kind == "read" else step.writes


def _are_alike(first: list[Step], second: list[Step]) -> bool:
    return len(first) == len(second) and all(
        a is b or _is_alike(a, b) for a, b in zip(first, second, strict=True)
    )


def _is_alike(a: Step, b: Step) -> bool:
    """Equal but for where in their buffers the accesses to global memory lie."""
    return (
        a[:4] == b[:4]
        and a[6:8] == b[6:8]
        and list(map(_shape, a.reads)) == list(map(_shape, b.reads))
        and list(map(_shape, a.writes)) == list(map(_shape, b.writes))
    )


def _shape(access: Access) -> tuple:
    base = access.base
    first = int(base[0]) if isinstance(base, np.ndarray) else base
    place = first >> ADDRESS_BITS if access.space == "GM" else first
    return (access.space, place, *access[2:])


# ------------------------------------------------------------------------------- noted
def _note(execution: Execution, segments: list[Segment], walked: Walked) -> None:
    """Keep what a walk without findings saw, for the next launch."""
    notes = kept_for(execution.program).notes
    notes.pop(NOTE, None)
    if sum(len(segment.steps) for segment in segments) > STEPS:
        return
    touches = {id(s): found for _, parts in walked for s, found in parts}
    parents = _parents(segments)
    starts: list[int] = []  # steps before each segment
    parts: list[Part] = []
    for segment, parent in zip(segments, parents, strict=True):
        before = segments[parent]
        starts.append(0 if parent < 0 else starts[parent] + len(before.steps))
        noted = [_noted(t, segment, starts[-1]) for t in touches[id(segment)]]
        parts.append(Part(parent, list(segment.steps), noted))
    notes[NOTE] = parts


def _noted(found: GlobalTouch, segment: Segment, start: int) -> Noted:
    touch, index = found.touch, found.touch.order - start
    side = _side(segment.steps[index], touch.kind)
    access = next(i for i, access in enumerate(side) if access is touch.access)
    return Noted(index, access, found)
