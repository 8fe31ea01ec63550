"""The scalar unit of one block in a replay: strict registers and damaged ones.

Strict registers steer: branches, addresses, counts. Damaged ones are what the data say:
they start to differ when `get_value` returns something else than in the strict run.
Where a damaged value would have steered, a note is made and the strict path is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from npusim.core.group import Group
from npusim.core.operands import Lowering
from npusim.core.plan import Operation
from npusim.core.scalar import Value
from npusim.core.signals import Stop
from npusim.lang.program import Assign, Issue, Print, Program, Record, Tensor
from npusim.launch.replay.memory import Registers
from npusim.launch.replay.record import Entry
from npusim.launch.writes import registers_in

DATA_ROLES = ("scalar", "value", "src1")
"""Operands that are numbers to compute with; all others place, count or mask."""
DATA_FIELDS = ("padding_value",)

Note = Callable[[int, str, Any, Any], None]
"""(where, what would have been steered, strict value, damaged value)."""


class DataLowering(Lowering):
    """Operands that are data read the damaged registers, all others the strict ones."""

    def scalar(self, issue: Issue, operand: Any) -> Value:
        value = super().scalar(issue, operand)
        mine = (issue.operands.get(role) for role in DATA_ROLES)
        if any(operand is one for one in mine):
            return _of_data(value)
        return value

    def integer(self, issue: Issue, role: str, default: int | None = None) -> Value:
        return Lowering.scalar(self, issue, issue.operands.get(role, default))

    def fields(self, issue: Issue, role: str, names: tuple[str, ...]) -> list[Value]:
        found = super().fields(issue, role, names)
        return [
            _of_data(value) if name in DATA_FIELDS else value
            for name, value in zip(names, found, strict=True)
        ]


def _of_data(value: Value) -> Value:
    def data(registers: Any) -> Any:
        return value(registers.data)

    return data


def steering_registers(program: Program) -> dict[int, frozenset[int]]:
    """pc of an instruction → registers that place, count or mask in it."""
    found = {}
    for pc, op in enumerate(program.code):
        if isinstance(op, Issue):
            found[pc] = frozenset(
                register
                for role, operand in op.operands.items()
                for part in _steering(role, operand)
                for register in registers_in(part)
            )
    return found


def _steering(role: str, operand: Any) -> list[Any]:
    """The parts of an operand that place, count or mask."""
    if isinstance(operand, Record):
        fields = operand.fields.items()
        return [part for name, part in fields if name not in DATA_FIELDS]
    is_data = role in DATA_ROLES and not isinstance(operand, Tensor)
    return [] if is_data else [operand]


class Dispatch(NamedTuple):
    """An instruction as the scalar unit handed it out."""

    entry: Entry
    registers: Registers


class ScalarUnit:
    """Walks the program of one block as far as it is asked to."""

    def __init__(
        self, group: Group, code: list[Operation], entries: list[Entry],
        registers: list, steering: dict[int, frozenset[int]], note: Note,
    ):  # fmt: skip
        self.group, self.code, self.note = group, code, note
        self.ops = group.machine.program.code
        self.entries: Iterator[Entry] = iter(entries)
        self.steering = steering
        self.strict = registers
        self.damaged = registers  # the same list as long as nothing differs
        self.dispatched: dict[int, Dispatch] = {}
        self.pc = 0

    def dispatch(self, step: int) -> Dispatch:
        """The instruction of step `step`; the walk stops behind it."""
        while step not in self.dispatched:
            self._advance()
        return self.dispatched.pop(step)

    def finish(self) -> None:
        """Walk to the end of the program."""
        while self.pc >= 0:
            self._advance()

    def deliver(self, register: int, value: Any) -> None:
        """What memory really gave to `get_value`."""
        if self.damaged is self.strict and not _differ(self.strict[register], value):
            return
        if self.damaged is self.strict:
            self.damaged = list(self.strict)
        self.damaged[register] = value

    # ------------------------------------------------------------------ one operation
    def _advance(self) -> None:
        op = self.ops[self.pc]
        if isinstance(op, Issue):
            self._issue(op)
        elif isinstance(op, Print):
            self.pc = self._print(op)
        else:
            self.pc = self._scalar(op)

    def _issue(self, op: Issue) -> None:
        entry = next(self.entries)
        self.group.machine.lines.extend(entry.lines)
        if self.damaged is not self.strict:
            self._compare(op)
        if entry.step >= 0:
            registers = Registers(self.strict)
            same = self.damaged is self.strict
            registers.data = registers if same else list(self.damaged)
            self.dispatched[entry.step] = Dispatch(entry, registers)
        for target, value in zip(op.results, entry.results, strict=True):
            self.strict[target] = self.damaged[target] = value
        self.pc += 1

    def _compare(self, op: Issue) -> None:
        for register in sorted(self.steering[self.pc]):
            strict, damaged = self.strict[register], self.damaged[register]
            if _differ(strict, damaged):
                self.note(op.where, "address", strict, damaged)

    def _print(self, op: Print) -> int:
        try:
            return self._run(self.damaged)
        except Stop:
            return self._run(self.strict)

    def _scalar(self, op: Any) -> int:
        following = self._run(self.strict)
        if self.damaged is self.strict:
            return following
        try:
            if self._run(self.damaged) != following:
                self.note(op.where, "branch", None, None)
        except Stop:
            self.note(op.where, "fault", None, None)
            if isinstance(op, Assign):
                self.damaged[op.target] = self.strict[op.target]
        return following

    def _run(self, registers: list) -> int:
        self.group.regs = registers
        return self.code[self.pc](self.group)


def _differ(a: Any, b: Any) -> bool:
    return a != b and not (a != a and b != b)
