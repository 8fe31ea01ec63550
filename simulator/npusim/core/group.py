"""A group: blocks that execute as one, with their registers and local memory.

The machine is what all groups of a launch share: buffers, budget and what execution
reports. A group splits by parting all of this by rows; it never merges again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from npusim.chip import Chip
from npusim.core.deferred import AtomicMode, Deferred
from npusim.core.memory import POISON, Buffer, local_memory
from npusim.core.pipe import Flags, Masking, Pipe
from npusim.core.reuse import SPARE_NBYTES, Kept, Room
from npusim.core.signals import Stop, narrow
from npusim.core.stamps import Line
from npusim.core.stream import Segment, Step
from npusim.diagnostic import Diagnostic
from npusim.lang.program import Program

STEP_LIMIT = 500_000  # recorded steps a launch: about 0.6 GB in the worst case


@dataclass
class Machine:
    """What the groups of one launch share. `executed` counts block-instructions;
    `arrived`: (cross-core flag, block) → how often that block has set it."""

    program: Program
    chip: Chip
    buffers: dict[int, Buffer]
    blocks: int
    budget: int
    overflow: str
    survives: frozenset[str] = frozenset()  # faults that are reported and gone past
    executed: int = 0
    recorded: int = 0
    memory: dict[int, np.ndarray] = field(default_factory=dict)  # bytes of a buffer
    tallies: dict[tuple[str, int], Any] = field(default_factory=dict)
    findings: dict[tuple, Diagnostic] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    arrived: dict[tuple[int, int], int] = field(default_factory=dict)
    cache_hints: dict[int, str] = field(default_factory=dict)  # by buffer id
    kept: Kept | None = None
    spares: list[Room] = field(default_factory=list)  # of groups that ended

    def __post_init__(self) -> None:
        self.deferred = Deferred(self.overflow)
        for buffer_id, buffer in self.buffers.items():
            self.memory[buffer_id] = buffer.data.view(np.uint8)

    def exhausted(self, where: int) -> NoReturn:
        """End the launch: it used up its budget or recorded too many steps."""
        facts: dict[str, Any] = {"executed": self.executed, "limit": self.budget}
        if self.executed <= self.budget:
            facts = {"executed": self.recorded, "limit": STEP_LIMIT, "reason": "steps"}
        raise Stop("ASC-RUN-04", where, facts, True)

    def report(self, code: str, severity: str, where: int, core: int, **facts: Any):
        """A finding that does not stop; the first core of each place is kept."""
        known = self.findings.get((code, where))
        if known is None or core < (known.core or 0):
            location = self.program.location(where)
            related = facts.pop("related", ())
            found = Diagnostic(code, severity, location, facts, core, related)
            self.findings[code, where] = found


def _room(machine: Machine, lanes: int, taken: int) -> Room:
    """Local memory, poisoned from `taken` on as far as it was in use."""
    nbytes, kept = machine.chip.ub_nbytes, machine.kept
    spare = None if kept is None else kept.take(lanes, nbytes)
    if spare is None:
        return Room(local_memory(lanes, nbytes))
    spare.memory[:, taken : spare.filled] = POISON
    return spare


class Group:
    """Blocks `blocks` (sorted) in the same state up to values in registers, memory."""

    def __init__(
        self,
        machine: Machine,
        blocks: np.ndarray,
        registers: list,
        room: Room | None = None,
    ):
        """`room`: its local memory, if it has some already."""
        self.machine = machine
        self.blocks = blocks
        self.lanes = len(blocks)
        system = [int(blocks[0]) if self.lanes == 1 else blocks, machine.blocks]
        self.regs = registers + system
        self.room = room or _room(machine, self.lanes, 0)
        self.local, self.plans = self.room.memory, self.room.plans
        self.filled = self.room.filled
        self.placed: list[tuple[int, int]] = []  # (start, end) of buffers in UB
        self.segment = Segment(blocks, placed=self.placed)
        self.steps = self.segment.steps
        self.flags: Flags = {}
        self.consumed: dict[tuple[str, int], int] = {}  # last set that a wait took
        self.pipe = Pipe(machine.chip.ub_nbytes)
        self.masking = Masking()
        self.scalar = 0  # scalar steps since the last recorded step
        self.pc = 0
        self.past = 0  # steps in the segments before this one
        self.atomic: AtomicMode | None = None
        self.rounds = 0  # sync_all so far
        self.cross_sets: dict[int, int] = {}  # cross-core flag → sets, waits so far
        self.cross_waits: dict[int, int] = {}
        self.cross_where: dict[int, int] = {}  # place of the last set
        self.meeting: Any = None  # what a suspended group waits for (`cores.Meeting`)

    @property
    def first_block(self) -> int:
        return int(self.blocks[0])

    def leave(self) -> None:
        """Give up local memory, to whom it may serve next."""
        spares, room = self.machine.spares, self.room
        room.leave(self.filled)
        is_whole = room.whole is None
        if is_whole and sum(one.memory.nbytes for one in spares) < SPARE_NBYTES:
            spares.append(room)
        del self.local, self.plans, self.room

    def outlives(self, fault: Stop) -> bool:
        """Report `fault` and say True where this launch goes on behind it."""
        if fault.code not in self.machine.survives:
            return False
        core = self.first_block
        self.machine.report(fault.code, "E", fault.where, core, **fault.facts)
        return True

    def fill(self, nbytes: int) -> None:
        """Poison local memory up to `nbytes`: its first use."""
        if nbytes > self.filled:
            self.local[:, self.filled : nbytes] = POISON
            self.filled = nbytes

    def record(self, step: Step) -> None:
        """Append one executed instruction and count it."""
        self.steps.append(step)
        self.scalar = 0
        machine = self.machine
        machine.recorded += 1
        machine.executed += (step.scalar_steps + 1) * self.lanes
        if machine.executed > machine.budget or machine.recorded > STEP_LIMIT:
            machine.exhausted(step.where)

    def check_budget(self, where: int) -> None:
        """For loops without an instruction: count the scalar steps still pending."""
        machine = self.machine
        pending = self.scalar * self.lanes
        if machine.executed + pending > machine.budget:
            machine.executed += pending
            machine.exhausted(where)

    def split(self, values: np.ndarray) -> list[Group]:
        """One group for each of `values` (one a block), first block first."""
        kinds = np.unique(values, equal_nan=True)
        parts = [np.flatnonzero(_same(values, kind)) for kind in kinds]
        return [self._part(rows) for rows in sorted(parts, key=lambda rows: rows[0])]

    def _room_of(self, rows: np.ndarray) -> Room:
        """Local memory of a part: rows of this one's, copied where they lie apart."""
        first, last = int(rows[0]), int(rows[-1])
        if last - first == len(rows) - 1:
            self.room.filled = self.filled
            return self.room.part(first, last)
        room = _room(self.machine, len(rows), self.filled)
        room.filled = max(room.filled, self.filled)
        room.memory[:, : self.filled] = self.local[rows, : self.filled]
        return room

    def _part(self, rows: np.ndarray) -> Group:
        registers = [narrow(value, rows) for value in self.regs[:-2]]
        part = Group(self.machine, self.blocks[rows], registers, self._room_of(rows))
        part.segment.parent = self.segment if self.steps else self.segment.parent
        part.flags = {key: list(pending) for key, pending in self.flags.items()}
        part.consumed = dict(self.consumed)
        part.pipe = self.pipe.copy()
        part.placed += self.placed
        part.scalar, part.pc, part.masking = self.scalar, self.pc, self.masking
        part.past = self.past + len(self.steps)
        part.atomic, part.rounds = self.atomic, self.rounds
        part.cross_sets = dict(self.cross_sets)
        part.cross_waits = dict(self.cross_waits)
        part.cross_where = dict(self.cross_where)
        return part


def _same(values: np.ndarray, kind: Any) -> np.ndarray:
    return values == kind if kind == kind else values != values
