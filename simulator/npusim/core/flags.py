"""Flags, barriers, and tensors placed by hand.

Execution is in program order, so a wait whose set has not been executed yet can never
be served: on the device it would stall for ever. Ids 0..7 for each pair of pipes
(public Ascend C documentation of SetFlag).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npusim.core.group import Group
from npusim.core.operands import Lowering, check_range
from npusim.core.plan import Operation, issue_cost, plan_finder
from npusim.core.signals import agree, stop
from npusim.core.stream import Cost, Step, Sync
from npusim.lang.program import Const, Issue, Program
from npusim.lang.types import HardEvent

LAST_EVENT_ID = 7


@dataclass(frozen=True)
class Flag:
    """One row of the table: set_flag or wait_flag."""

    name: str
    sets: bool

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        event = Event(HardEvent(issue.operands["event"]))
        act = _set if self.sets else _wait

        def prepare(group: Group, scalar_steps: int, values: Any) -> Step:
            return self._step(issue, pc, event, values[0], scalar_steps)

        numbers = [lowering.integer(issue, "event_id")]
        find = plan_finder(issue, pc, numbers, prepare)

        def operation(group: Group) -> int:
            step = find(group)
            act(group, issue, event, step.sync.key[2])
            group.record(step)
            return pc + 1

        return operation

    def _step(
        self, issue: Issue, pc: int, event: Event, event_id: int, scalar_steps: int
    ) -> Step:
        if not 0 <= event_id <= LAST_EVENT_ID:
            facts = {"event": event.name, "event_id": event_id, "limit": LAST_EVENT_ID}
            stop("ASC-FLAG-19d", issue.where, operation=issue.name, **facts)
        key = ("flag", event.name, event_id)
        kind = "set" if self.sets else "wait"
        sync = Sync(kind, event.source, event.target, key)
        cost, where = Cost("flag", issue.name), issue.where
        return Step(pc, where, issue.name, "S", (), (), cost, sync, scalar_steps)


class Event:
    """A HardEvent as plain strings: an enum's properties are slow to read."""

    def __init__(self, event: Any):
        self.name: str = event.value
        self.source: str = event.source
        self.target: str = event.target


def _set(group: Group, issue: Issue, event: Event, event_id: int) -> None:
    pending = group.flags.setdefault((event.name, event_id), [])
    if pending:
        earlier = group.machine.program.location(pending[-1])
        facts = {"event": event.name, "event_id": event_id, "related": (earlier,)}
        group.machine.report(
            "ASC-FLAG-19b", "W", issue.where, group.first_block, **facts
        )
    pending.append(issue.where)


def _wait(group: Group, issue: Issue, event: Event, event_id: int) -> None:
    key = (event.name, event_id)
    pending = group.flags.get(key)
    if not pending:
        facts = {"pipe": event.target, "event": event.name, "event_id": event_id}
        facts["missing"] = f"set_flag(asc.HardEvent.{event.name}, {event_id})"
        last = group.consumed.get(key)
        if last is not None:
            place = group.machine.program.location(last)
            facts |= {"last_line": place.line, "related": (place,)}
        else:
            facts |= _later_set(group.machine.program, issue, event_id)
        stop("ASC-FLAG-19", issue.where, **facts)
    group.consumed[key] = pending.pop(0)


def _later_set(program: Program, wait: Issue, event_id: int) -> dict[str, Any]:
    """Facts on a set that stands below a wait which is the first of its flag: in a loop
    it answers the next round, and nothing answers the first."""
    below = program.code[program.code.index(wait) + 1 :]
    for op in below:
        if isinstance(op, Issue) and op.name == "set_flag":
            number = op.operands["event_id"]
            same_id = not isinstance(number, Const) or number.value == event_id
            if same_id and op.operands["event"] == wait.operands["event"]:
                place = program.location(op.where)
                return {"reason": "later", "set_line": place.line, "related": (place,)}
    return {}


@dataclass(frozen=True)
class Barrier:
    """pipe_barrier: what one pipe (or every pipe) has begun is finished after it."""

    name: str = "pipe_barrier"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        operand: Any = issue.operands["pipe"]
        pipe = operand.value
        sync = Sync("barrier", pipe, pipe, ("barrier", pipe))
        cost, priced = issue_cost(issue), Cost("barrier", issue.name)

        def operation(group: Group) -> int:
            steps = group.scalar + cost
            group.record(
                Step(pc, issue.where, issue.name, "S", (), (), priced, sync, steps)
            )
            return pc + 1

        return operation


@dataclass(frozen=True)
class Placement:
    """local_tensor: a tensor at a chosen address must lie in UB."""

    name: str = "local_tensor"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        tensor = lowering.tensor(issue, "tensor")
        cost = issue_cost(issue)

        def operation(group: Group) -> int:
            address = agree(tensor.address(group.regs))
            size = agree(tensor.size(group.regs))
            available = group.machine.chip.ub_nbytes
            check_range(issue.where, "LocalTensor", "size", size, 0)
            end = address + size * tensor.dtype.itemsize
            if address < 0 or end > available:
                facts = {"buffer": tensor.name, "nbytes": end - address}
                facts |= {"first_byte": address, "last_byte": end - 1}
                facts |= {"available": available, "reason": "tensor"}
                stop("ASC-UB-09", issue.where, **facts)
            if (address, end) not in group.placed:
                group.placed.append((address, end))
            group.scalar += cost
            return pc + 1

        return operation
