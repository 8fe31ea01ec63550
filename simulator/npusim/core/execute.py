"""Execution of a launch: groups of blocks run one after another to their ends.

A launch runs in phases; a block that waits for others ends its phase (`cores`). All
blocks start in one group (or a few, where there are very many); a group whose
blocks part is replaced by its parts, and the group with the lowest first block goes
on. A fault ends the blocks it concerns; the others run to their own ends, so that what
a launch reports does not depend on how its blocks were grouped. Only an exhausted
budget ends all of them. `lockstep=False` starts every block alone, with bit-identical
buffers, streams and reports for launches whose blocks do not race in global memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from npusim.chip import Chip
from npusim.core.cores import SUSPENDED, deadlock, served
from npusim.core.group import Group, Machine
from npusim.core.lanes import as_float
from npusim.core.lower import lower_program
from npusim.core.memory import Buffer
from npusim.core.pipe import FREE
from npusim.core.plan import Operation
from npusim.core.reuse import Kept, kept_for
from npusim.core.signals import Split, Stop
from npusim.core.stamps import Line, StampStore
from npusim.core.stream import Stream
from npusim.core.tally import report_tallies
from npusim.core.text import printed
from npusim.diagnostic import Diagnostic
from npusim.lang.collector import collector_paused
from npusim.lang.program import Program

LANES = 64  # blocks that start together: bounds local memory to 12 MiB a group
OVERFLOW_MODES = ("inf", "saturate")


class Watcher(Protocol):
    """Looks on while a launch executes; `survives`: codes of faults to go past."""

    survives: frozenset[str]

    def wrap(self, code: list[Operation]) -> list[Operation]: ...


@dataclass(frozen=True)
class Execution:
    """What a launch left behind; the buffers hold its results.

    `streams`: one a group of alike blocks, ordered by first block. `faults` stopped
    their blocks (empty: all ran to the end), `findings` did not; both in order of the
    first core concerned. `executed` counts block-instructions and scalar steps.
    `lines` were printed, in canonical order; `stamps` were stored in GM; `cache_hints`
    are the L2 modes that the kernel asked for, by buffer id. `registers`: those that
    every block started with.
    """

    program: Program
    blocks: int
    chip: Chip
    buffers: dict[int, Buffer]
    streams: tuple[Stream, ...]
    faults: tuple[Diagnostic, ...]
    findings: tuple[Diagnostic, ...]
    lines: tuple[Line, ...]
    executed: int
    stamps: tuple[StampStore, ...] = ()
    cache_hints: Mapping[int, str] = field(default_factory=dict)
    registers: tuple[Any, ...] = ()

    @property
    def prints(self) -> tuple[str, ...]:
        """The printed lines; a stamp, whose number timing tells, shows as `…`."""
        return tuple(line.text() for line in self.lines)


def execute(
    program: Program,
    values: Mapping[str, Buffer | int | float | bool],
    blocks: int,
    chip: Chip,
    *,
    budget: int = 20_000_000,
    overflow: str = "inf",
    lockstep: bool = True,
    watcher: Watcher | None = None,
) -> Execution:
    """Run `blocks` blocks of `program`; a kernel's fault is reported, never raised.

    `values`: one a parameter by name. Stores land in the buffers' own arrays.
    ValueError for a missing value, no block or an unknown overflow mode.
    `watcher`: sees every operation, and names the faults that do not end a block.
    """
    if blocks < 1:
        raise ValueError(f"blocks must be at least 1, not {blocks}")
    if overflow not in OVERFLOW_MODES:
        raise ValueError(f"overflow must be one of {OVERFLOW_MODES}, not {overflow!r}")
    registers, buffers = initial_registers(program, values)
    survives = watcher.survives if watcher else frozenset()
    machine = Machine(program, chip, buffers, blocks, budget, overflow, survives)
    kept = machine.kept = Kept(program) if watcher else kept_for(program)
    code = _lowered(kept)
    scheduler = _Scheduler(machine, watcher.wrap(code) if watcher else code)
    with np.errstate(all="ignore"), collector_paused():
        scheduler.run(registers, LANES if lockstep else 1)
    if not machine.findings:
        kept.offer(machine.spares)
    return _left_behind(scheduler, blocks, registers)


def _lowered(kept: Kept) -> list[Operation]:
    """The operations of a program, made at its first launch."""
    if kept.code is None:
        kept.code = lower_program(kept.program)
    return kept.code


def _left_behind(scheduler: _Scheduler, blocks: int, registers: list) -> Execution:
    machine = scheduler.machine
    report_tallies(machine)
    return Execution(
        machine.program,
        blocks,
        machine.chip,
        machine.buffers,
        tuple(scheduler.streams()),
        scheduler.reported_faults(),
        _by_core(machine.findings.values()),
        printed(machine),
        machine.executed,
        tuple(machine.deferred.stamps),
        machine.cache_hints,
        tuple(registers),
    )


def initial_registers(
    program: Program, values: Mapping[str, Any]
) -> tuple[list, dict[int, Buffer]]:
    """The registers that every block starts with, and the buffers by id."""
    registers: list[Any] = [0] * program.registers
    buffers: dict[int, Buffer] = {}
    for param in program.params:
        if param.name not in values:
            raise ValueError(f"no value for parameter {param.name!r}")
        value = values[param.name]
        if isinstance(value, Buffer):
            buffers[value.buffer_id] = value
        registers[param.register] = _PARAMETER[param.type](value)
    return registers, buffers


_PARAMETER: dict[str, Callable[[Any], Any]] = {
    "buffer": lambda buffer: buffer.address,
    "int": int,
    "float": as_float,
    "bool": bool,
}


def _by_core(diagnostics: Any) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda d: d.core or 0))


class _Scheduler:
    def __init__(self, machine: Machine, code: list[Operation]):
        self.machine, self.code = machine, code
        self.waiting: list[tuple[int, Group]] = []
        self.ended: list[Group] = []
        self.suspended: list[Group] = []
        self.deadlocked = False
        self.faults: dict[tuple[str, int], Diagnostic] = {}
        self.last_fault: Diagnostic | None = None

    def run(self, registers: list, lanes: int) -> None:
        """Start the blocks `lanes` at a time and run them all, phase by phase."""
        blocks = np.arange(self.machine.blocks, dtype=np.int64)
        for start in range(0, len(blocks), lanes):
            part = blocks[start : start + lanes]
            self._push(Group(self.machine, part, list(registers)))
            self._drain()
            if self.last_fault is not None:
                break
        self.machine.deferred.end_phase()
        while self.suspended and self.last_fault is None:
            self._next_phase()
            self._drain()
            self.machine.deferred.end_phase()

    def _next_phase(self) -> None:
        """Let the groups go on whose wait is served. Where some blocks are at fault,
        or nobody can go on, all that wait end."""
        waiting, self.suspended = self.suspended, []
        going = served(waiting) if not self.faults else []
        for group in waiting:
            if group in going:
                group.pc, group.meeting = group.meeting.resume, None
                self._push(group)
            elif going:
                self.suspended.append(group)
            elif self.faults and not self.deadlocked:
                self._end(group)
            else:
                self.deadlocked = True
                code, facts = deadlock(group, waiting)
                self._fault(group, Stop(code, group.meeting.where, facts))

    def _push(self, group: Group) -> None:
        heapq.heappush(self.waiting, (group.first_block, group))

    def _drain(self) -> None:
        while self.waiting and self.last_fault is None:
            _, group = heapq.heappop(self.waiting)
            try:
                self._run_group(group)
                if group.pc == SUSPENDED:
                    self.suspended.append(group)
                else:
                    self._finish(group)
            except Split as split:
                for part in group.split(split.values):
                    self._push(part)
                group.leave()
            except Stop as fault:
                self._fault(group, fault)
            except MemoryError:
                self._fault(group, self._out_of_memory(group))

    def _run_group(self, group: Group) -> None:
        code, pc = self.code, group.pc
        try:
            while pc >= 0:
                pc = code[pc](group)
        finally:
            group.pc = pc

    def _finish(self, group: Group) -> None:
        machine, core = self.machine, group.first_block
        machine.executed += group.scalar * group.lanes
        group.scalar = 0
        for (event, event_id), pending in group.flags.items():
            if pending:
                facts = {"event": event, "event_id": event_id, "count": len(pending)}
                machine.report("ASC-FLAG-19c", "E", pending[0], core, **facts)
        for flag_id, count in group.cross_sets.items():
            left = count - group.cross_waits.get(flag_id, 0)
            if left > 0:
                facts = {"flag_id": flag_id, "count": left}
                where = group.cross_where[flag_id]
                machine.report("ASC-SYNC-23c", "E", where, core, **facts)
        for queue in group.pipe.queues.values():
            held = [state for _, state in queue.states if state is not FREE]
            if held:
                facts = {"queue": queue.name, "states": queue.states, "num": len(held)}
                facts["missing"] = f"{queue.name}.free_tensor(…)"
                machine.report("ASC-QUE-22b", "W", queue.where, core, **facts)
        if group.masking.counts:
            facts = {"reason": "left", "operation": "set_mask_count"}
            machine.report("ASC-MASK-30", "W", group.masking.where, core, **facts)
        self._end(group)

    def _end(self, group: Group) -> None:
        self.ended.append(group)
        group.leave()

    def _fault(self, group: Group, fault: Stop) -> None:
        core, facts = group.first_block, dict(fault.facts)
        related = facts.pop("related", ())
        where = self.machine.program.location(fault.where)
        found = Diagnostic(fault.code, "E", where, facts, core, related)
        known = self.faults.get((fault.code, fault.where))
        if known is None or core < (known.core or 0):
            self.faults[fault.code, fault.where] = found
        if fault.everything:
            self.last_fault = found
        self._end(group)

    def _out_of_memory(self, group: Group) -> Stop:
        where = self.machine.program.code[max(group.pc, 0)].where
        machine = self.machine
        facts = {"executed": machine.executed, "limit": machine.budget}
        return Stop("ASC-RUN-04", where, {**facts, "reason": "memory"}, True)

    def reported_faults(self) -> tuple[Diagnostic, ...]:
        """In order of the first core; the one that ended the launch is the last."""
        last = self.last_fault
        others = [fault for fault in self.faults.values() if fault is not last]
        return _by_core(others) + (() if last is None else (last,))

    def streams(self) -> list[Stream]:
        """Of ended groups and of those that an exhausted budget left waiting."""
        groups = [*self.ended, *self.suspended, *(g for _, g in self.waiting)]
        groups.sort(key=lambda group: group.first_block)
        return [Stream(group.segment) for group in groups]
