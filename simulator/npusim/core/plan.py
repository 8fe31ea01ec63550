"""Instructions on local memory are prepared once and performed many times.

The first execution of an instruction with given addresses and counts checks them and
makes views and the Step record: its *plan*. A loop that comes by again with the same
numbers finds the plan by these numbers and only computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from npusim.core.group import Group
from npusim.core.operands import scalar_cost
from npusim.core.scalar import Value
from npusim.core.signals import agree
from npusim.lang.program import Issue

PLAN_LIMIT = 4_096  # plans kept a group; beyond it all are made afresh

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

    def find(group: Group) -> Any:
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

    return find


def issue_cost(issue: Issue) -> int:
    """Scalar steps that an instruction's operands take."""
    return sum(map(scalar_cost, issue.operands.values()))
