"""Which lesson this kernel is in: what `begin` said last.

Left out: assignments, whose name is no lesson's but begins with one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npugrade.draw import Ticket

_begun: list[str] = []
_tickets: dict[str, Ticket] = {}


def start(lesson: str) -> None:
    """Remember that `lesson` (or an assignment of it) begins."""
    _begun[:] = [lesson]


def lesson() -> str:
    """The lesson or assignment of this session, "" before the first `begin`."""
    return _begun[-1] if _begun else ""


def keep_ticket(assignment: str, ticket: Ticket) -> None:
    """Remember whose draw was shown for `assignment`."""
    _tickets[assignment] = ticket


def ticket_of_task(task: str) -> Ticket | None:
    """The ticket of the draw that `task` belongs to; None if nothing was drawn."""
    if not _tickets:
        return None
    from npugrade.tasks import TaskError, load_task

    try:
        return _tickets.get(load_task(task).assignment)
    except TaskError:
        return None
