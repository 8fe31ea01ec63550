"""From an instruction stream to compact operations that the pipes can be timed with.

A step becomes one tuple `(kind, scalar ticks, a, b, cause)`. Flags, queues and barriers
are resolved here: the n-th wait on a key belongs to the n-th set, so a wait carries the
index of its set. What depends on the state of the chip (copies) is only described; its
duration is filled in by `rates`. Modelled: in-order issue on S, the round trip from
the vector to the scalar unit. Left out: dependencies on any but the previous vector
instruction, the scalar unit's cache (a read costs its share of a line).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from npusim.chip import Chip
from npusim.core.stream import Access, Pairs, Step, Stream, Sync
from npusim.timing.code import CodeCache
from npusim.timing.ticks import ticks_of_cycles
from npusim.timing.traffic import Totals, Traffic, gm_bytes, gm_traffic
from npusim.timing.vector_price import (
    Span,
    VectorPrice,
    VectorPrices,
    VectorWork,
    overlap,
    prices_of,
)

PIPES = ("S", "V", "MTE2", "MTE3", "M", "MTE1", "FIX")
PIPE_INDEX = {name: index for index, name in enumerate(PIPES)}
ALL_PIPES = -1

SCALAR, WORK, SET, WAIT_PIPE, WAIT_SCALAR, BARRIER, POSTED = range(7)
MEET, ARRIVE, AWAIT = range(7, 10)  # between cores: sync_all, flag set, flag wait
RUN = 10  # several works of one pipe: `brief`
CAUSES = ("", "issue", "pipe", "flag", "queue", "barrier", "bandwidth")
NONE, ISSUE, PIPE, FLAG, QUEUE, BARRIER_CAUSE, BANDWIDTH = range(7)
_SYNC_CAUSE = {"flag": FLAG, "queue": QUEUE}

Op = tuple[int, int, int, int, int]


class CopyWork(NamedTuple):
    """A copy: `direction` "read" or "write" of GM, or "local"; bytes and bursts."""

    direction: str
    nbytes: int
    bursts: int


@dataclass
class Lowered:
    """One stream as operations. `traffic[i]` belongs to `works[i]`, for all blocks.

    `places[i]`: the address in GM where all blocks read at once, else None.
    """

    stream: Stream
    blocks: np.ndarray
    ops: list[Op] = field(default_factory=list)
    works: list[VectorWork | CopyWork] = field(default_factory=list)
    traffic: list[Traffic | None] = field(default_factory=list)
    places: list[int | None] = field(default_factory=list)
    totals: Totals = field(default_factory=lambda: Totals(Counter(), Counter()))
    scalar_transfer: int = 0  # ticks a block that S spends moving GM bytes
    vector_ticks: int = 0  # ticks a block of vector repeats without bank conflicts
    conflict_ticks: int = 0  # ticks a block that vector repeats lose to bank conflicts

    def signature(self) -> Hashable:
        """Equal for streams that differ in GM addresses only."""
        return tuple(self.ops), tuple(self.works)


def _gm_access(step: Step) -> tuple[str, Access | None]:
    for direction, accesses in (("read", step.reads), ("write", step.writes)):
        for access in accesses:
            if access.space == "GM":
                return direction, access
    return "local", None


class Lowering:
    """Lowers one stream; keeps what the next step needs to know of earlier ones."""

    def __init__(
        self, stream: Stream, chip: Chip, prices: VectorPrices, code: CodeCache
    ):
        self.chip, self.out = chip, Lowered(stream, stream.blocks)
        self.prices, self.code = prices, code
        self.count = len(stream.blocks)
        self.rows: np.ndarray | None = None
        self.pairs: Pairs[tuple[int, str]] = Pairs()
        self.sets = 0
        self.previous: tuple[Span, ...] = ()  # what the last vector step wrote
        self.reads_of_scalar = 0
        self.fixed: dict[VectorWork, int] = {}
        self.vectors: dict[tuple[int, int], tuple[Op, VectorPrice]] = {}
        self.ticks = {
            name: ticks_of_cycles(chip.constant(name)) for name in _TICK_CONSTANTS
        }
        self.line = int(chip.constant("line"))

    def run(self) -> Lowered:
        fetch = self.code.fetches()
        for segment in self.out.stream.segments():
            same = len(segment.blocks) == self.count
            blocks = self.out.blocks
            self.rows = None if same else np.searchsorted(segment.blocks, blocks)
            for step in segment.steps:
                op = _LOWER[step.cost.kind](self, step)
                if fetch is not None and (ticks := fetch(step.pc)):
                    op = (op[0], op[1] + ticks, *op[2:])
                self.out.ops.append(op)
        return self.out

    def issue(self, step: Step, name: str) -> int:
        """Ticks S spends on a step, with the scalar operations before it."""
        return self.ticks[name] + step.scalar_steps * self.ticks["scalar_operation"]

    def vector(self, step: Step) -> Op:
        """Worked out once for each step object and what came before it."""
        key = id(step), id(self.previous)
        known = self.vectors.get(key)
        if known is None:
            known = self.vectors[key] = self.priced(step), self.prices.price(step)
        op, price = known
        self.previous = price.written
        self.out.vector_ticks += price.free_ticks
        self.out.conflict_ticks += price.conflict_ticks
        return op

    def priced(self, step: Step) -> Op:
        price = self.prices.price(step)
        depends = overlap(price.touched, self.previous)
        work = price.dependent if depends else price.independent
        return self.work(step, self.fixed_index(work))

    def fixed_index(self, work: VectorWork) -> int:
        index = self.fixed.get(work)
        if index is None:
            index = self.fixed[work] = self.add(work, None)
        return index

    def add(
        self,
        work: VectorWork | CopyWork,
        traffic: Traffic | None,
        place: int | None = None,
    ) -> int:
        self.out.works.append(work)
        self.out.traffic.append(traffic)
        self.out.places.append(place)
        return len(self.out.works) - 1

    def work(self, step: Step, index: int) -> Op:
        pipe = PIPE_INDEX[step.pipe]
        return WORK, self.issue(step, "scalar_issue"), pipe, index, NONE

    def copy(self, step: Step) -> Op:
        direction, access = _gm_access(step)
        if access is None:
            nbytes = sum(a.total_nbytes for a in step.reads)
            return self.work(step, self.fixed_index(self.prices.local_copy(nbytes)))
        traffic = self.count_bytes(direction, access)
        copied = CopyWork(direction, access.total_nbytes, step.cost.repeats)
        return self.work(step, self.add(copied, traffic, self.place(access)))

    def place(self, access: Access) -> int | None:
        """The one address of all blocks, None where they differ."""
        base = access.base
        if not isinstance(base, np.ndarray):
            return base
        chosen = base if self.rows is None else base[self.rows]
        if chosen[0] != chosen[-1]:
            return None
        return int(chosen[0]) if (chosen == chosen[0]).all() else None

    def count_bytes(self, direction: str, access: Access) -> Traffic:
        """Adds an access to the launch's totals; returns its traffic with lines."""
        plain, lined = gm_traffic(access, self.rows, self.count, self.line)
        self.count_plain(direction, plain)
        return lined

    def count_plain(self, direction: str, plain: Traffic) -> None:
        totals = self.out.totals
        counter = totals.read if direction == "read" else totals.written
        for buffer, nbytes in plain.items():
            counter[buffer] += nbytes

    def scalar(self, step: Step) -> Op:
        ticks = self.issue(step, "scalar_access")
        direction, access = _gm_access(step)
        if access is None:
            return SCALAR, ticks, 0, 0, NONE
        self.count_plain(direction, gm_bytes(access, self.rows, self.count))
        self.out.scalar_transfer += self.ticks["scalar_access"]
        handle = self.scalar_read if direction == "read" else self.scalar_write
        return handle(access, ticks)

    def scalar_write(self, access: Access, ticks: int) -> Op:
        """S goes on; the bytes land one latency later."""
        latency = self.chip.cycles_of_ns(self.chip.constant("write_latency"))
        return POSTED, ticks, 0, ticks_of_cycles(latency), NONE

    def scalar_read(self, access: Access, ticks: int) -> Op:
        stall = self.stall(access)
        self.out.scalar_transfer += stall
        return SCALAR, ticks + stall, 0, 0, NONE

    def stall(self, access: Access) -> int:
        """A whole latency for the first read, then its share of a cache line."""
        constant = self.chip.constant
        cycles = self.chip.cycles_of_ns(constant("read_latency"))
        if self.reads_of_scalar:
            cycles *= min(1.0, access.total_nbytes / constant("scalar_line"))
        self.reads_of_scalar += 1
        return ticks_of_cycles(cycles)

    def setup(self, step: Step) -> Op:
        return SCALAR, self.issue(step, "scalar_setup"), 0, 0, NONE

    def mask(self, step: Step) -> Op:
        """Mask state: S issues it and writes a special register."""
        ticks = self.issue(step, "scalar_issue") + self.ticks["mask_set"]
        return SCALAR, ticks, 0, 0, NONE

    def flag(self, step: Step) -> Op:
        return self.sync(step, self.issue(step, "scalar_issue"))

    def queue(self, step: Step) -> Op:
        return self.sync(step, self.issue(step, "scalar_queue"))

    def barrier(self, step: Step) -> Op:
        ticks = self.issue(step, "scalar_issue")
        source = step.sync.source if step.sync else "ALL"
        self.previous = self.previous if source not in ("ALL", "V") else ()
        pipe, trip = PIPE_INDEX.get(source, ALL_PIPES), self.ticks["vector_to_scalar"]
        return BARRIER, ticks, pipe, trip, BARRIER_CAUSE

    def between_cores(self, step: Step) -> Op:
        """`b` numbers the meeting: the n-th sync_all, or the n-th time of a flag."""
        ticks, sync = self.issue(step, "scalar_issue"), step.sync
        assert sync is not None
        kind, cause = _MEETINGS[sync.kind]
        pipe = PIPE_INDEX.get(sync.target, ALL_PIPES)
        self.previous = ()
        return kind, ticks, pipe, meeting_number(sync.key), cause

    def sync(self, step: Step, ticks: int) -> Op:
        sync = step.sync
        if sync is None:
            return SCALAR, ticks, 0, 0, NONE
        return (
            self.publish(sync, ticks) if sync.kind == "set" else self.wait(sync, ticks)
        )

    def publish(self, sync: Sync, ticks: int) -> Op:
        self.pairs.set(sync.key, (self.sets, sync.source))
        self.sets += 1
        return SET, ticks, PIPE_INDEX[sync.source], 0, NONE

    def wait(self, sync: Sync, ticks: int) -> Op:
        """The matching set; a wait without one was a fault and holds nobody here."""
        matching = self.pairs.wait(sync.key)
        if matching is None:
            return SCALAR, ticks, 0, 0, NONE
        index, source = matching
        cause = _SYNC_CAUSE[step_kind(sync.key)]
        if sync.target != "S":
            return WAIT_PIPE, ticks, PIPE_INDEX[sync.target], index, cause
        extra = self.ticks["vector_to_scalar"] if source == "V" else 0
        return WAIT_SCALAR, ticks, extra, index, cause


def step_kind(key: Hashable) -> str:
    """The kind of a synchronisation key: "queue" or "flag"."""
    return "queue" if isinstance(key, tuple) and key[0] == "queue" else "flag"


def meeting_number(key: Hashable) -> int:
    """A number for each meeting of all cores: flag 0..10, or 15 for sync_all, and n."""
    assert isinstance(key, tuple)
    flag, number = (15, key[1]) if key[0] == "all" else (key[1], key[2])
    return (flag << 24) + number


_MEETINGS = {
    "all": (MEET, BARRIER_CAUSE),
    "cross_set": (ARRIVE, NONE),
    "cross_wait": (AWAIT, FLAG),
}

_TICK_CONSTANTS = (
    "vector_to_scalar", "scalar_issue", "scalar_queue", "scalar_access",
    "scalar_operation", "scalar_setup", "mask_set",
)  # fmt: skip

_LOWER: dict[str, Callable[[Lowering, Step], Op]] = {
    "vector": Lowering.vector,
    "copy": Lowering.copy,
    "scalar": Lowering.scalar,
    "setup": Lowering.setup,
    "mask": Lowering.mask,
    "flag": Lowering.flag,
    "queue": Lowering.queue,
    "barrier": Lowering.barrier,
    "sync": Lowering.between_cores,
}


def lower(streams: Iterable[Stream], chip: Chip, program: Any = None) -> list[Lowered]:
    """The operations of every stream; `program`: whose code they execute, if known."""
    prices, code = prices_of(chip), CodeCache(chip, program)
    return [Lowering(stream, chip, prices, code).run() for stream in streams]
