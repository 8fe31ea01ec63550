"""Lowering: a Program becomes a list of closures `operation(group) → next pc`.

Every closure first evaluates, then acts: it may leave by `Split` or `Stop` only before
it has changed its group. Scalar work is counted as it is done; a backward jump checks
the budget, so that a loop without instructions ends too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npusim.core.group import Group
from npusim.core.instructions import INSTRUCTIONS
from npusim.core.operands import Lowering
from npusim.core.plan import Operation
from npusim.core.scalar import operators
from npusim.core.signals import agree, stop
from npusim.core.stamps import Line
from npusim.core.text import add_lines, lower_text
from npusim.lang.program import (
    Assign,
    Binary,
    Branch,
    Check,
    End,
    Issue,
    Jump,
    Print,
    Program,
)

END = -1


def lower_program(
    program: Program, lowering_type: type[Lowering] = Lowering
) -> list[Operation]:
    """One closure for each op of `program.code`."""
    inputs = {p.register: p.name for p in program.params}
    lowering = lowering_type(program.registers, inputs)
    return [LOWER[type(op)](op, pc, lowering) for pc, op in enumerate(program.code)]


def _assign(op: Assign, pc: int, lowering: Lowering) -> Operation:
    value = lowering.scalars.compile(op.value, op.where)
    target, cost, following = op.target, max(1, operators(op.value)), pc + 1

    def operation(group: Group) -> int:
        registers = group.regs
        registers[target] = value(registers)
        group.scalar += cost
        return following

    return operation


def _jump(op: Jump, pc: int, lowering: Lowering) -> Operation:
    target, where = op.to, op.where
    backward = target <= pc

    def operation(group: Group) -> int:
        group.scalar += 1
        if backward:
            group.check_budget(where)
        return target

    return operation


def _branch(op: Branch, pc: int, lowering: Lowering) -> Operation:
    condition = lowering.scalars.converted(op.condition, "bool", op.where)
    cost, following, otherwise = 1 + operators(op.condition), pc + 1, op.otherwise
    backward, where = otherwise <= pc, op.where

    def operation(group: Group) -> int:
        holds = condition(group.regs)
        if type(holds) is not bool:
            holds = agree(holds)
        group.scalar += cost
        if holds:
            return following
        if backward:
            group.check_budget(where)
        return otherwise

    return operation


def _issue(op: Issue, pc: int, lowering: Lowering) -> Operation:
    return INSTRUCTIONS[op.name].lower(op, pc, lowering)


def _print(op: Print, pc: int, lowering: Lowering) -> Operation:
    render = lower_text(op, lowering)

    def operation(group: Group) -> int:
        add_lines(group, render)
        group.scalar += 1
        group.machine.executed += group.lanes
        return pc + 1

    return operation


def _check(op: Check, pc: int, lowering: Lowering) -> Operation:
    condition = lowering.scalars.converted(op.condition, "bool", op.where)
    render = lower_text(op, lowering)
    step = op.condition.left if isinstance(op.condition, Binary) else op.condition
    name = lowering.scalars.input_name(step) if op.rule == "range-step" else ""

    def operation(group: Group) -> int:
        holds = condition(group.regs)
        if holds if type(holds) is bool else holds.all():
            return pc + 1
        bad: Any = True if type(holds) is bool else ~holds
        if name:
            stop("ASC-TILING-28", op.where, bad, name=name, operation="range")
        facts = {"reason": op.rule} if op.rule else {}
        if op.parts:
            facts["message"] = Line(0, render(group, 0)).text()
        stop("ASC-RUN-05", op.where, bad, **facts)

    return operation


def _end(op: End, pc: int, lowering: Lowering) -> Operation:
    return lambda group: END


LOWER: dict[type, Callable[[Any, int, Lowering], Operation]] = {
    Assign: _assign,
    Jump: _jump,
    Branch: _branch,
    Issue: _issue,
    Print: _print,
    Check: _check,
    End: _end,
}
