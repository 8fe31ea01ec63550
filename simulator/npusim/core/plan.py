"""Instructions on local memory are prepared once and performed many times.

The first execution of an instruction with given addresses and counts checks them and
makes views and the Step record: its *plan*. A loop that comes by again with the same
numbers finds the plan by these numbers and only computes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from npusim.core.group import Group
from npusim.core.operands import scalar_cost
from npusim.core.scalar import Value
from npusim.core.signals import agree
from npusim.lang.program import Issue, Reg, System, atoms

PLAN_LIMIT = 4_096  # plans kept a group; beyond it all are made afresh
MISSES = 64  # look-ups by registers that may fail before an instruction gives them up

Operation = Callable[[Group], int]
Prepare = Callable[[Group, int, Sequence[int]], Any]


def plan_finder(
    issue: Issue,
    pc: int,
    values: list[Value],
    prepare: Prepare,
    state: Callable[[Group], tuple] | None = None,
) -> Callable[[Group], Any]:
    """`find(group)`: the plan for the present values of an instruction's operands.

    `prepare(group, scalar_steps, values)` makes it; all blocks agree on the values.
    A plan that depends on more of the group than that gets it first: `state(group)`.
    """
    cost = issue_cost(issue)

    def by_values(group: Group) -> Any:
        registers = group.regs
        key = (pc, group.scalar + cost, *[value(registers) for value in values])
        if state is not None:
            key = (*key[:2], *state(group), *key[2:])
        try:
            plan = group.plans.get(key)
        except TypeError:  # an array: some operand differs from block to block
            key = tuple([agree(value) for value in key])
            plan = group.plans.get(key)
        if plan is None:
            plan = prepare(group, key[1], key[2:])
            if len(group.plans) >= PLAN_LIMIT:
                group.plans.clear()
            group.plans[key] = plan
        return plan

    return _by_registers(issue, pc, by_values, state)


def _by_registers(
    issue: Issue,
    pc: int,
    by_values: Callable[[Group], Any],
    state: Callable[[Group], tuple] | None,
) -> Callable[[Group], Any]:
    """As `by_values`, but where the registers that operands are made from are what they
    were, the operands are not evaluated again. An instruction for which this seldom
    helps (its registers change all the time, or differ between blocks) stops trying."""
    operands = issue.operands.values()
    used = sorted({_register(atom) for part in operands for atom in atoms(part)})
    read: Any = operator.itemgetter(*used) if used else lambda registers: None
    misses_left, by_registers = MISSES, -1 - pc  # no key by values begins so

    def find(group: Group) -> Any:
        nonlocal misses_left
        if misses_left <= 0:
            return by_values(group)
        more = None if state is None else state(group)
        key = (by_registers, group.scalar, more, read(group.regs))
        try:
            plan = group.plans.get(key)
        except TypeError:  # an array
            misses_left = 0
            return by_values(group)
        if plan is None:
            misses_left -= 1
            plan = group.plans[key] = by_values(group)
        return plan

    return find


def _register(atom: Reg | System) -> int:
    """An index into `Group.regs`; the system values are its last two."""
    if isinstance(atom, Reg):
        return atom.index
    return -2 if atom.name == "block_idx" else -1


def issue_cost(issue: Issue) -> int:
    """Scalar steps that an instruction's operands take."""
    return sum(map(scalar_cost, issue.operands.values()))
