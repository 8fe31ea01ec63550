"""What if: the same streams with flags instead of PIPE_ALL barriers, timed again.

A barrier makes every pipe run dry. Where it stood, only those orders are kept that the
bytes ask for: a step waits for the last step of each other pipe that touches the same
bytes, one of them writing. Both forms are timed under the same assumptions (a cold
cache), so their ratio says what the barriers cost. Orders through global memory are
looked at for the first block of a class; long streams are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from npusim.chip import Chip
from npusim.core import Buffer, Execution
from npusim.core.stream import Access, Cost, Segment, Step, Stream, Sync
from npusim.timing import time_execution

_LONGEST = 20_000  # steps of a stream that are timed again
_FLAG = Cost("flag", "set_flag")


@dataclass(frozen=True)
class _Executed:
    """What timing needs of an execution."""

    streams: tuple[Stream, ...]
    chip: Chip
    buffers: Mapping[int, Buffer]


class _Live(NamedTuple):
    """Bytes that step `number`, of `pipe`, was the last to touch in its way."""

    space: str
    begin: int
    end: int
    pipe: str
    writes: bool
    number: int


def barrier_share(execution: Execution) -> float:
    """What part of the cores' time the PIPE_ALL barriers cost, 0 where they cost none.

    Launches whose cores wait for each other are not judged: 0.
    """
    streams = [list(stream.localized())[:_LONGEST] for stream in execution.streams]
    if any(step.cost.kind == "sync" for steps in streams for step in steps):
        return 0.0
    with_barriers = _core_cycles(execution, streams)
    without = _core_cycles(execution, [_unbarred(steps) for steps in streams])
    return max(0.0, 1 - without / with_barriers) if with_barriers else 0.0


def _core_cycles(execution: Execution, streams: list[list[Step]]) -> int:
    made = tuple(
        Stream(Segment(stream.blocks, steps=steps))
        for stream, steps in zip(execution.streams, streams, strict=True)
    )
    timed = time_execution(_Executed(made, execution.chip, execution.buffers))
    return max(timed.core_cycles, default=0)


def _unbarred(steps: list[Step]) -> list[Step]:
    kept = [s for s in steps if not (s.cost.kind == "barrier" and _all_pipes(s))]
    waits: dict[int, list[Step]] = {}
    sets: dict[int, list[Step]] = {}
    for number, (source, target) in enumerate(_orders(kept)):
        key = ("what if", number)
        first, second = kept[source], kept[target]
        sync = Sync("set", first.pipe, second.pipe, key)
        sets.setdefault(source, []).append(_flag(first, sync))
        waits.setdefault(target, []).append(_flag(second, sync._replace(kind="wait")))
    return [
        step
        for i, own in enumerate(kept)
        for step in (*waits.get(i, ()), own, *sets.get(i, ()))
    ]


def _all_pipes(step: Step) -> bool:
    return step.sync is not None and step.sync.source == "ALL"


def _flag(step: Step, sync: Sync) -> Step:
    return Step(step.pc, step.where, "flag", "S", (), (), _FLAG, sync, 0)


def _orders(steps: list[Step]) -> Iterator[tuple[int, int]]:
    """(earlier step, later step) of two pipes that must keep their order."""
    live: list[_Live] = []
    known: dict[tuple[str, str], int] = {}
    for index, step in enumerate(steps):
        touched = list(_touched(step, index))
        for pipe, source in _sources(live, touched).items():
            if source > known.get((pipe, step.pipe), -1):
                known[pipe, step.pipe] = source
                yield source, index
        for new in touched:
            live = [old for old in live if not _covers(new, old)]
            live.append(new)


def _touched(step: Step, index: int) -> Iterator[_Live]:
    if step.cost.kind not in ("vector", "copy", "scalar"):
        return
    for accesses, writes in ((step.reads, False), (step.writes, True)):
        for access in accesses:
            begin = _first(access)
            end = begin + access.pitch * (access.count - 1) + access.nbytes
            yield _Live(access.space, begin, end, step.pipe, writes, index)


def _first(access: Access) -> int:
    return int(np.ravel(access.base)[0])


def _sources(live: list[_Live], touched: list[_Live]) -> dict[str, int]:
    """Other pipe → its last step that one of `touched` has to wait for."""
    found: dict[str, int] = {}
    for new in touched:
        for old in live:
            meets = old.space == new.space and old.begin < new.end > new.begin < old.end
            if meets and old.pipe != new.pipe and (old.writes or new.writes):
                found[old.pipe] = max(found.get(old.pipe, -1), old.number)
    return found


def _covers(new: _Live, old: _Live) -> bool:
    """Whether who waits for `new` need not look at `old` any more."""
    inside = old.space == new.space and new.begin <= old.begin and old.end <= new.end
    return inside and (new.writes or (not old.writes and old.pipe == new.pipe))
