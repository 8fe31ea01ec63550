"""Order between all cores: sync_all and cross-core flags of mode 0.

A block that waits for others is *suspended*: its group leaves the scheduler until the
phase is over, that is until every block has ended or waits. Then all groups go on whose
wait is served: at `sync_all` when every block of the launch is there, at a flag when
every block has set it as often as this one has waited. A wait suspends even if it could
be served at once, so that phases are the same however blocks are grouped.

Rules: public Ascend C documentation (SyncAll, CrossCoreSetFlag, CrossCoreWaitFlag; ids
0..10). Modes 1 and 2 belong to kernels with cube cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from npusim.core.group import Group
from npusim.core.operands import Lowering, check_range
from npusim.core.plan import Operation, issue_cost
from npusim.core.signals import agree, stop
from npusim.core.stream import Cost, Step, Sync
from npusim.lang.program import Issue

LAST_FLAG_ID = 10
SUSPENDED = -2  # what an operation returns when its group has to wait


class Meeting(NamedTuple):
    """What a suspended group waits for: sync_all, or the `number`-th set of a flag."""

    where: int
    resume: int  # pc after the wait
    flag_id: int = -1
    number: int = 0
    pipe: str = "ALL"

    @property
    def is_sync_all(self) -> bool:
        return self.flag_id < 0


@dataclass(frozen=True)
class SyncAll:
    """Every block waits for every other; each core has finished all it has begun."""

    name: str = "sync_all"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        cost = Cost("sync", self.name)

        def operation(group: Group) -> int:
            _check_cores(group, issue)
            group.rounds += 1
            sync = Sync("all", "ALL", "ALL", ("all", group.rounds))
            _record(group, issue, pc, sync, cost, group.scalar)
            group.meeting = Meeting(issue.where, pc + 1)
            return SUSPENDED

        return operation


@dataclass(frozen=True)
class CrossFlag:
    """One row of the table: cross_core_set_flag or cross_core_wait_flag."""

    name: str
    sets: bool

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        value = lowering.integer(issue, "flag_id")
        pipe: Any = issue.operands.get("pipe")
        pipe = "S" if pipe is None else pipe.value
        steps, cost = issue_cost(issue), Cost("sync", self.name)
        act = _set if self.sets else _wait

        def operation(group: Group) -> int:
            flag_id = agree(value(group.regs))
            check_range(issue.where, issue.name, "flag_id", flag_id, 0, LAST_FLAG_ID)
            _check_cores(group, issue)
            number, following = act(group, issue, flag_id, pipe, pc)
            kind = "cross_set" if self.sets else "cross_wait"
            sync = Sync(kind, pipe, pipe, ("cross", flag_id, number))
            _record(group, issue, pc, sync, cost, group.scalar + steps)
            return following

        return operation


def _set(
    group: Group, issue: Issue, flag_id: int, pipe: str, pc: int
) -> tuple[int, int]:
    number = group.cross_sets[flag_id] = group.cross_sets.get(flag_id, 0) + 1
    for block in group.blocks.tolist():
        group.machine.arrived[flag_id, block] = number
    group.cross_where[flag_id] = issue.where
    return number, pc + 1


def _wait(
    group: Group, issue: Issue, flag_id: int, pipe: str, pc: int
) -> tuple[int, int]:
    number = group.cross_waits[flag_id] = group.cross_waits.get(flag_id, 0) + 1
    group.meeting = Meeting(issue.where, pc + 1, flag_id, number, pipe)
    return number, SUSPENDED


def _check_cores(group: Group, issue: Issue) -> None:
    blocks, cores = group.machine.blocks, group.machine.chip.vector_cores
    if blocks > cores:
        facts = {"blocks": blocks, "cores": cores, "last": blocks - 1}
        stop("ASC-SYNC-23", issue.where, operation=issue.name, **facts)


def _record(
    group: Group, issue: Issue, pc: int, sync: Sync, cost: Cost, steps: int
) -> None:
    where, name = issue.where, issue.name
    group.record(Step(pc, where, name, "S", (), (), cost, sync, steps))


# --------------------------------------------------------------------- end of a phase
def served(suspended: Sequence[Group]) -> list[Group]:
    """The suspended groups that go on into the next phase."""
    at_sync_all = [g for g in suspended if g.meeting.is_sync_all]
    present = sum(g.lanes for g in at_sync_all)
    everyone = bool(suspended) and present == suspended[0].machine.blocks
    return at_sync_all if everyone else [g for g in suspended if _is_served(g)]


def _is_served(group: Group) -> bool:
    meeting, machine = group.meeting, group.machine
    if meeting.is_sync_all:
        return False
    counts = (
        machine.arrived.get((meeting.flag_id, b), 0) for b in range(machine.blocks)
    )
    return min(counts) >= meeting.number


def deadlock(group: Group, suspended: Sequence[Group]) -> tuple[str, dict[str, Any]]:
    """Code and facts of a wait that nothing can serve any more."""
    machine, meeting = group.machine, group.meeting
    facts: dict[str, Any] = {"waiting": group.first_block, "blocks": machine.blocks}
    if meeting.is_sync_all:
        here = {
            b for g in suspended if g.meeting.is_sync_all for b in g.blocks.tolist()
        }
        missing = min(b for b in range(machine.blocks) if b not in here)
        facts |= {"reason": "returned", "count": len(here), "missing": missing}
        return "ASC-SYNC-23", facts | {"operation": "sync_all"}
    flag_id, number = meeting.flag_id, meeting.number
    late = (
        b
        for b in range(machine.blocks)
        if machine.arrived.get((flag_id, b), 0) < number
    )
    facts |= {"flag_id": flag_id, "number": number, "pipe": meeting.pipe}
    return "ASC-SYNC-23b", facts | {"missing": min(late)}
