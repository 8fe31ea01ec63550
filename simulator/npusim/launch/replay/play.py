"""The replay: every step takes effect in the time order of the timed strict run.

Control flow and addresses are those of the strict run; only data change. The result
depends on the program, its arguments and the chip, on nothing else. Not modelled:
updates lost in a shared line of the scalar data cache.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from npusim.core.group import Machine
from npusim.core.lower import lower_program
from npusim.core.memory import Buffer
from npusim.core.signals import Stop
from npusim.core.stamps import Line
from npusim.core.stream import Step
from npusim.core.text import printed
from npusim.diagnostic import Diagnostic
from npusim.lang.program import Issue
from npusim.launch.replay.faults import survivable
from npusim.launch.replay.memory import BlockMemory, Landing, Registers
from npusim.launch.replay.order import BEGIN, Moment, moments, steps_by_block
from npusim.launch.replay.pattern import pattern
from npusim.launch.replay.record import Recorder
from npusim.launch.replay.scalar_unit import (
    DataLowering,
    Dispatch,
    ScalarUnit,
    steering_registers,
)
from npusim.launch.run import Run

_UNBOUNDED = 1 << 62


@dataclass(frozen=True)
class Replayed:
    """`contents`: what each written buffer holds, by id; lines and notes of the run."""

    contents: dict[int, np.ndarray]
    lines: tuple[Line, ...]
    notes: tuple[Diagnostic, ...]


def replay(run: Run, recorder: Recorder) -> Replayed:
    """Replay a strict run that ended without a fault. Changes nothing in `run`."""
    player = _Player(run, recorder)
    with np.errstate(all="ignore"):
        player.play()
    machine = player.machine
    contents = {i: b.data for i, b in machine.buffers.items() if b.data.flags.writeable}
    return Replayed(contents, printed(machine), player.notes())


def _buffer(buffer: Buffer, start: np.ndarray) -> Buffer:
    """A buffer as it was before the launch; bytes without contents hold the pattern."""
    if not buffer.data.flags.writeable:
        return _defined(buffer, start.copy()) if buffer.written is not None else buffer
    return _defined(buffer, start)


def _defined(buffer: Buffer, data: np.ndarray) -> Buffer:
    read_only = not buffer.data.flags.writeable
    if buffer.written is not None:
        undefined = ~buffer.written
        data.view(np.uint8)[undefined] = pattern(0, data.nbytes)[undefined]
    if read_only:
        data.flags.writeable = False
    return replace(buffer, data=data)


class _Player:
    def __init__(self, run: Run, recorder: Recorder):
        execution = run.execution
        program, blocks = execution.program, execution.blocks
        buffers = {
            i: _buffer(b, recorder.start[i]) for i, b in execution.buffers.items()
        }
        overflow = run.options.overflow
        self.run = run
        self.machine = Machine(
            program, execution.chip, buffers, blocks, _UNBOUNDED, overflow,
            survives=survivable(),
        )  # fmt: skip
        self.code = lower_program(program, DataLowering)
        self.steps: dict[int, list[Step]] = steps_by_block(run)
        self.recorder = recorder
        self.steering = steering_registers(program)
        self.memories: dict[int, BlockMemory] = {}  # of the blocks that are at work
        self.units: dict[int, ScalarUnit] = {}
        self.landings: dict[tuple[int, int], Landing] = {}
        self.copies: dict[tuple[int, int], Dispatch] = {}
        self.noted: dict[tuple[str, int], Diagnostic] = {}

    def _enter(self, block: int) -> None:
        self.memories[block] = BlockMemory(self.machine, block)
        self.units[block] = self._unit(block)

    def _leave(self, block: int) -> None:
        self.units.pop(block).finish()
        del self.memories[block]

    def _unit(self, block: int) -> ScalarUnit:
        group = self.memories[block].group
        registers = [*self.recorder.registers, *group.regs[-2:]]

        def note(where: int, reason: str, strict: Any, damaged: Any) -> None:
            facts = {"reason": reason, "strict": strict, "damaged": damaged}
            location = self.machine.program.location(where)
            found = Diagnostic("ASC-REPLAY-01", "W", location, facts, block)
            known = self.noted.setdefault((reason, where), found)
            if block < (known.core or 0):
                self.noted[reason, where] = found

        entries = self.recorder.entries.get(block, [])
        return ScalarUnit(group, self.code, entries, registers, self.steering, note)

    def play(self) -> None:
        found = moments(self.run, self.steps)
        left = Counter(moment.block for moment in found)
        for moment in found:
            if moment.block not in self.units:
                self._enter(moment.block)
            if moment.part == BEGIN:
                self._begin(moment)
            else:
                self._land(moment)
            left[moment.block] -= 1
            if not left[moment.block]:
                self._leave(moment.block)
        for block in sorted(set(self.steps) - set(left)):  # without access to memory
            self._enter(block)
            self._leave(block)

    def _begin(self, moment: Moment) -> None:
        key = block, number = moment.block, moment.step
        dispatch = self.units[block].dispatch(number)
        if moment.parts > 1:
            self.copies[key] = dispatch
        else:
            self.landings[key] = self._perform(block, number, dispatch)

    def _land(self, moment: Moment) -> None:
        key, parts, overflow = moment[2:4], moment.parts, self.machine.overflow
        if parts == 1:
            self.landings.pop(key).land(overflow)
            return
        landing = self._perform(*key, self.copies[key])
        landing.land(overflow, moment.part, parts)
        if moment.part + 1 == parts:
            del self.copies[key]

    def _perform(self, block: int, number: int, dispatch: Dispatch) -> Landing:
        unit, memory = self.units[block], self.memories[block]
        entry, registers = dispatch
        group, step = memory.group, self.steps[block][number]
        group.masking, group.atomic = entry.masking, entry.atomic
        operation, op = self.code[entry.pc], self.machine.program.code[entry.pc]
        try:
            landing = memory.perform(operation, registers, step)
        except Stop:  # a damaged number that the operand cannot hold
            unit.note(step.where, "fault", None, None)
            strict = Registers(registers)
            strict.data = strict
            return self._strictly(memory, operation, strict, step)
        if isinstance(op, Issue) and op.name == "get_value":
            unit.deliver(op.results[0], registers[op.results[0]])
        return landing

    def _strictly(
        self, memory: BlockMemory, operation: Any, strict: Registers, step: Step
    ) -> Landing:
        try:
            return memory.perform(operation, strict, step)
        except Stop:  # what was read fits in no register: the strict value stays
            return Landing([], [])

    def notes(self) -> tuple[Diagnostic, ...]:
        """By block, then line."""
        found = self.noted.values()
        return tuple(sorted(found, key=lambda d: (d.core, d.where and d.where.line)))
