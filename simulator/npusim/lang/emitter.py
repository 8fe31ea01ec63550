"""Where operations go: code with labels, registers, resources and locations.

Jumps name labels until `finish` turns them into program counters. A jump to the very
next operation is never kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from npusim.diagnostic import Location
from npusim.lang.program import (
    Assign,
    Branch,
    Const,
    Expr,
    Jump,
    Op,
    Reg,
    Resource,
    System,
)


@dataclass(eq=False)
class Label:
    """A place in the code; `pc` is None until it is placed."""

    pc: int | None = None


@dataclass(frozen=True)
class _Jump:
    to: Label
    where: int


@dataclass(frozen=True)
class _Branch:
    condition: Expr
    otherwise: Label
    where: int


@dataclass
class Emitter:
    """Collects the operations of one program.

    `unsigned`: registers that hold an element of an unsigned tensor, with its dtype.
    """

    code: list[Op | _Jump | _Branch] = field(default_factory=list)
    registers: int = 0
    resources: list[Resource] = field(default_factory=list)
    locations: dict[Location, int] = field(default_factory=dict)
    placed: dict[int, list[Label]] = field(default_factory=dict)
    unsigned: dict[int, str] = field(default_factory=dict)

    def location(self, location: Location) -> int:
        return self.locations.setdefault(location, len(self.locations))

    def register(self) -> int:
        self.registers += 1
        return self.registers - 1

    def emit(self, op: Op | _Jump | _Branch) -> None:
        self.code.append(op)

    def jump(self, to: Label, where: int) -> None:
        self.emit(_Jump(to, where))

    def branch(self, condition: Expr, otherwise: Label, where: int) -> None:
        self.emit(_Branch(condition, otherwise, where))

    def place(self, label: Label) -> None:
        """Put `label` here, and drop a jump to it that stands just before."""
        last = self.code[-1] if self.code else None
        if isinstance(last, _Jump) and last.to is label:
            after = self.placed.pop(len(self.code), [])
            self.code.pop()
            for other in after:
                self._put(other)
        self._put(label)

    def _put(self, label: Label) -> None:
        label.pc = len(self.code)
        self.placed.setdefault(label.pc, []).append(label)

    def mark(self) -> int:
        """A point of the code that `rewind` can go back to."""
        return len(self.code)

    def rewind(self, mark: int) -> None:
        """Forget all code since `mark`; labels placed there are dead."""
        del self.code[mark:]

    def materialise(self, value: Expr, where: int) -> Reg:
        """A fresh register that holds `value` from here on."""
        register = self.register()
        self.emit(Assign(register, value, where))
        return Reg(register, value.type)

    def finish(self) -> tuple[Op, ...]:
        return tuple(_resolved(op) for op in self.code)


def _resolved(op: Op | _Jump | _Branch) -> Op:
    if isinstance(op, _Jump):
        assert op.to.pc is not None
        return Jump(op.to.pc, op.where)
    if isinstance(op, _Branch):
        assert op.otherwise.pc is not None
        return Branch(op.condition, op.otherwise.pc, op.where)
    return op


def is_trivial(value: Expr, mutable: set[int]) -> bool:
    """Whether `value` can be read again later at no cost and with the same result."""
    if isinstance(value, Reg):
        return value.index not in mutable
    return isinstance(value, (Const, System))
