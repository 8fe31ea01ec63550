"""One block's local memory in a replay, and the effect of one step.

A step is performed at its start on the memory as it is then; what it wrote is taken
back and kept as a `Landing` until its end. Bytes that a step leaves undefined get the
pattern of `pattern`; atomic contributions combine with memory as it is when they land.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from npusim.core.deferred import Contribution
from npusim.core.group import Group, Machine
from npusim.core.memory import DATA_BLOCK_NBYTES, local_window
from npusim.core.plan import Operation
from npusim.core.stream import Access, Step
from npusim.lang.program import split_address
from npusim.launch.replay.pattern import fresh_memory, pattern


class Landing(NamedTuple):
    """What a step will write at its end."""

    plain: list[tuple[np.ndarray, np.ndarray]]  # window, bytes
    atomic: list[Contribution]

    def land(self, overflow: str, part: int = 0, parts: int = 1) -> None:
        """Write it, or of plain bytes part `part` of `parts`."""
        for window, contents in self.plain:
            chosen = _part_of(window, part, parts)
            window[chosen] = contents[chosen]
        for contribution in self.atomic:
            contribution.apply(overflow)


def _part_of(window: np.ndarray, part: int, parts: int) -> np.ndarray:
    """Which bytes of a window belong to a part; parts end on whole data blocks."""
    chosen = np.zeros(window.size, bool)
    begin, end = (window.size * n // parts for n in (part, part + 1))
    begin = begin // DATA_BLOCK_NBYTES * DATA_BLOCK_NBYTES
    if part + 1 < parts:
        end = end // DATA_BLOCK_NBYTES * DATA_BLOCK_NBYTES
    chosen[begin:end] = True
    return chosen.reshape(window.shape)


class Registers(list):
    """Strict values, which steer; `data` are those that an operand's value is of."""

    data: list


class BlockMemory:
    """A group of one block whose local memory lives in the order of time."""

    def __init__(self, machine: Machine, block: int):
        registers: list[Any] = [0] * machine.program.registers
        self.group = Group(machine, np.array([block]), registers)
        self.machine, self.block = machine, block
        nbytes = self.group.local.shape[1]
        self.group.local[0] = fresh_memory(nbytes)
        self.group.filled = nbytes

    def perform(
        self, operation: Operation, registers: Registers, step: Step
    ) -> Landing:
        """Do `step` on present memory; nothing is written before it lands."""
        windows = [self._window(a) for a in step.writes if not a.atomic]
        before = [window.copy() for window in windows]
        self.machine.deferred.log.clear()
        try:
            self._run(operation, registers)
            for access in step.writes:
                if access.undefined:
                    self._disturb(access)
            plain = [(window, window.copy()) for window in windows]
        finally:
            for window, contents in zip(windows, before, strict=True):
                window[...] = contents
        return Landing(plain, self.machine.deferred.log.pop(self.block, []))

    def _run(self, operation: Operation, registers: Registers) -> None:
        group, machine = self.group, self.machine
        group.regs, group.scalar = registers, 0
        machine.deferred.stamps.clear()
        operation(group)
        group.steps.clear()
        machine.recorded = machine.executed = 0

    def _window(self, access: Access) -> np.ndarray:
        """uint8[1, count, nbytes]."""
        shape = access.nbytes, access.count, access.pitch
        base = int(np.ravel(access.base)[0])
        if access.space != "GM":
            return local_window(self.group.local, base, *shape)
        buffer_id, start = split_address(base)
        memory = self.machine.memory[buffer_id].reshape(1, -1)
        return local_window(memory, start, *shape)

    def _disturb(self, access: Access) -> None:
        window, base = self._window(access), int(access.base)
        for row in range(access.count):
            window[0, row] = pattern(base + row * access.pitch, access.nbytes)
