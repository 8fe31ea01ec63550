"""Worlds of driven tasks, by the name that a task file gives.

A world holds time and data; the learner's coroutines hold neither. Each `await` of one
is a request; the world says which program goes on next, and with what value. All
programs of a submission share a process: a world must demand only what it knows a
program to have been given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from npugrade.outcome import Outcome
from npugrade.worlds import broadcast


class World(Protocol):
    """One simulation. Methods raise `Refused` where a program is at fault."""

    programs: int

    def arguments(self, program: int) -> tuple[Any, ...]:
        """Plain data that the coroutine `program` is called with."""

    def request(self, program: int, name: str, arguments: list[Any]) -> None:
        """The program awaits `name(*arguments)`."""

    def finished(self, program: int, answer: Any) -> None:
        """The program returned."""

    def next(self) -> tuple[int, Any] | None:
        """Who goes on and with what value; None where nobody can."""

    def outcome(self) -> Outcome:
        """The cost of what happened, when all programs have finished."""


WORLDS: Mapping[str, Callable[[Mapping[str, Any]], World]] = {
    "broadcast": broadcast.Broadcast
}
