"""ASC-BAR-20: a barrier of one pipe where two pipes meet.

`pipe_barrier(PIPE_V)` between a copy-in and the instruction that uses its bytes looks
like an order between them and is none. The steps looked at are the last before and the
first after the barrier that touch memory.
"""

from __future__ import annotations

from npusim.check.cells import runs
from npusim.check.findings import Findings
from npusim.core.stream import Access, Step


def check_barrier(
    findings: Findings,
    before: Step,
    barrier: Step,
    after: Step,
    core: int,
    order: int,
) -> None:
    """Warn where `before` and `after` run on two pipes and meet in local memory."""
    if before.pipe == after.pipe:
        return
    name = _shared(before, after)
    if name is None or findings.knows("ASC-BAR-20", barrier, before):
        return
    locations = findings.execution.program.locations
    assert barrier.sync is not None
    facts = {
        "pipe": barrier.sync.source,
        "first_operation": before.name,
        "first_pipe": before.pipe,
        "first_line": locations[before.where].line,
        "second_operation": after.name,
        "second_pipe": after.pipe,
        "second_line": locations[after.where].line,
        "buffer": name,
        "event": f"{before.pipe}_{after.pipe}",
    }
    findings.add(
        "ASC-BAR-20", barrier, facts, core=core, order=order, other=before,
        severity="W", more=(after,),
    )  # fmt: skip


def _shared(before: Step, after: Step) -> str | None:
    """The tensor in which a write of one step meets an access of the other."""
    pairs = (
        *((a, b) for a in before.writes for b in (*after.reads, *after.writes)),
        *((a, b) for a in before.reads for b in after.writes),
    )
    return next((b.name for a, b in pairs if _meet(a, b)), None)


def _meet(first: Access, second: Access) -> bool:
    if first.space != second.space or first.space == "GM":
        return False
    others = list(runs(second, second.base))  # type: ignore[arg-type]
    return any(
        begin < last and start < end
        for begin, end in runs(first, first.base)  # type: ignore[arg-type]
        for start, last in others
    )
