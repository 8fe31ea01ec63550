"""The instruction stream: what execution leaves behind for every observer.

Blocks that behave alike run as one *group* and share one stream. A step names its
instruction, its pipe, the bytes it reads and writes, what it costs and how it orders
other pipes. Timing, hazard checks, counters and pictures read it; none changes it.

The n-th wait on a key belongs to the n-th set of it (`Pairs`).

A group that splits leaves its past in a shared parent segment, so a stream is a chain
of segments and `Stream.steps()` walks it from the launch on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np


class Access(NamedTuple):
    """`count` runs of `nbytes` bytes, `pitch` bytes apart, the first at `base`.

    `base` is a byte address of local memory, or of GM (then one device address, or an
    array with one a block of the segment). `undefined` marks a write that leaves bytes
    without a defined value (padding). `name` is the tensor in the source. `spoils`
    marks a reduction's write of its "work" area, or of its result into its "source".
    `loose`: any of the bytes may be touched, the data decide which.
    `atomic`: "add", "max" or "min" where a write combines with what is in memory.
    """

    space: str  # "GM", "UB", …
    base: int | np.ndarray
    nbytes: int
    count: int  # type: ignore[assignment]
    pitch: int
    name: str
    undefined: bool = False
    spoils: str = ""
    loose: bool = False
    atomic: str = ""

    @property
    def total_nbytes(self) -> int:
        return self.nbytes * self.count


class Sync(NamedTuple):
    """How a step orders pipes.

    `set`: what `source` did so far is published under `key`. `wait`: `target` goes on
    only after the matching set (first in, first out per key). `barrier`: `source` is
    the pipe that drains, or "ALL". Flags have the key `("flag", event, id)`; queues
    `("queue", resource index, slot, "full" | "free")`.
    Between cores: `all`, every block meets here (sync_all), key `("all", n)`, n counted
    from 1 by each block; `cross_set` and `cross_wait`: the wait is for the n-th set of
    every block, key `("cross", flag id, n)`.
    """

    kind: str
    source: str
    target: str
    key: Hashable


_Past = TypeVar("_Past")


class Pairs(Generic[_Past]):
    """Sets that no wait has taken yet, first in, first out per key.

    A set leaves what an observer wants its wait to know; a wait without a set, which
    was a fault, gets None.
    """

    def __init__(self) -> None:
        self._open: dict[Hashable, deque[_Past]] = {}

    def set(self, key: Hashable, past: _Past) -> None:
        """Leave `past` for the wait that belongs to this set."""
        waiting = self._open.get(key)
        if waiting is None:
            waiting = self._open[key] = deque()
        waiting.append(past)

    def wait(self, key: Hashable) -> _Past | None:
        """What the matching set left."""
        waiting = self._open.get(key)
        return waiting.popleft() if waiting else None

    def copy(self) -> Pairs[_Past]:
        """An independent copy, for the parts of a group that splits."""
        other: Pairs[_Past] = Pairs()
        other._open = {key: deque(left) for key, left in self._open.items()}
        return other


class Cost(NamedTuple):
    """What timing needs besides the accesses.

    `kind`: "vector" (key = row of the cost table, repeats of 256 B), "copy" (repeats =
    number of bursts), "scalar" (get_value, set_value), "flag", "queue", "barrier",
    "setup" (init_buffer), "mask" (mask state), "sync" (between
    cores). `banks` of a vector step with strides:
    (address, block pitch, repeat pitch, blocks of a repeat), destination first.
    """

    kind: str
    key: str
    repeats: int = 0
    dtype: str = ""
    banks: tuple[tuple[int, int, int, int], ...] = ()


class Step(NamedTuple):
    """One executed instruction of one group."""

    pc: int  # index into Program.code
    where: int  # index into Program.locations
    name: str
    pipe: str  # whose time it takes: "V", "MTE2", …; "S" for flags and queues too
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    cost: Cost
    sync: Sync | None
    scalar_steps: int  # scalar operations executed since the previous step


@dataclass
class Segment:
    """Steps that the blocks `blocks` (sorted block indices) executed together.

    `placed`: (start, end) of the buffers in local memory, the latest last; messages
    count bytes from the start of a buffer.
    """

    blocks: np.ndarray
    parent: Segment | None = None
    steps: list[Step] = field(default_factory=list)
    placed: list[tuple[int, int]] = field(default_factory=list)

    def origin(self, address: int) -> int:
        """Start of the buffer that holds `address`; the address itself if none does."""
        for start, end in reversed(self.placed):
            if start <= address < end:
                return start
        return address


@dataclass(frozen=True)
class Stream:
    """The whole history of the blocks that ended together in `leaf`."""

    leaf: Segment

    @property
    def blocks(self) -> np.ndarray:
        return self.leaf.blocks

    def segments(self) -> list[Segment]:
        """From the launch to the end."""
        chain = []
        segment: Segment | None = self.leaf
        while segment is not None:
            chain.append(segment)
            segment = segment.parent
        return chain[::-1]

    def steps(self) -> Iterator[Step]:
        for segment in self.segments():
            yield from segment.steps

    def localized(self) -> Iterator[Step]:
        """Steps with GM bases restricted to the blocks of this stream."""
        for segment in self.segments():
            if len(segment.blocks) == len(self.blocks):
                yield from segment.steps
                continue
            rows = np.searchsorted(segment.blocks, self.blocks)
            for step in segment.steps:
                yield step._replace(
                    reads=_select(step.reads, rows), writes=_select(step.writes, rows)
                )


def _select(accesses: tuple[Access, ...], rows: np.ndarray) -> tuple[Access, ...]:
    return tuple(
        a._replace(base=a.base[rows]) if isinstance(a.base, np.ndarray) else a
        for a in accesses
    )
