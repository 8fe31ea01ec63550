"""What the strict run leaves for the replay: results of instructions, mask, mode.

The replay repeats a block's scalar work by itself; what it cannot repeat is what came
back from memory and from queues. One `Entry` an executed instruction, in program order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from npusim.core.deferred import AtomicMode
from npusim.core.execute import initial_registers
from npusim.core.group import Group
from npusim.core.memory import Buffer
from npusim.core.pipe import Masking
from npusim.core.plan import Operation
from npusim.core.stamps import Line
from npusim.lang.program import Issue, Program
from npusim.launch.replay.faults import survivable


class Entry(NamedTuple):
    """One executed instruction of a block.

    `step`: its number in the block's stream, -1 where it left none. `results`: values
    of `Issue.results`. `lines`: what it printed.
    """

    pc: int
    step: int
    results: tuple
    masking: Masking
    atomic: AtomicMode | None
    lines: tuple[Line, ...] = ()


class Recorder:
    """Watches an execution; `entries` by block. `start`: GM contents before it."""

    survives = survivable()

    def __init__(self, program: Program, values: Mapping[str, Any]):
        self.program = program
        self.entries: dict[int, list[Entry]] = {}
        self.registers, buffers = initial_registers(program, values)
        self.start = {i: _contents(buffer) for i, buffer in buffers.items()}

    def wrap(self, code: list[Operation]) -> list[Operation]:
        """The same operations, watched."""
        pairs = zip(self.program.code, code, strict=True)
        return [
            self._watched(op, pc, operation) if isinstance(op, Issue) else operation
            for pc, (op, operation) in enumerate(pairs)
        ]

    def _watched(self, op: Issue, pc: int, operation: Operation) -> Operation:
        results, entries = op.results, self.entries
        prints = op.name == "dump_tensor"

        def watched(group: Group) -> int:
            before = len(group.steps)
            following = operation(group)
            step = group.past + before if len(group.steps) > before else -1
            values = tuple([group.regs[register] for register in results])
            lines = tuple(group.machine.lines[-1:]) if prints else ()
            entry = Entry(pc, step, values, group.masking, group.atomic, lines)
            entries.setdefault(group.first_block, []).append(entry)
            return following

        return watched


def _contents(buffer: Buffer) -> np.ndarray:
    return buffer.data.copy() if buffer.data.flags.writeable else buffer.data
