"""Worlds of driven tasks, by the name that a task file gives.

A world holds time and data; the learner's coroutines hold neither. Each `await` of one
is a request; the world says which program goes on next, and with what value. All
programs of a submission share a process: a world must demand only what it knows a
program to have been given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from npugrade.outcome import Outcome
from npugrade.worlds import broadcast
from npugrade.worlds.repeat import Repeat


class World(Protocol):
    """One simulation. Methods raise `Refused` where a program is at fault."""

    programs: int
    proxy: str  # what a program holds, by its name in `worker_plain`

    def arguments(self, program: int) -> tuple[Any, ...]:
        """Plain data that the coroutine `program` is called with."""

    def request(self, program: int, name: str, arguments: list[Any]) -> None:
        """The program awaits `name(*arguments)`."""

    def finished(self, program: int, answer: Any) -> None:
        """The program returned."""

    def next(self) -> tuple[int, Any] | None:
        """Who goes on and with what value; None where nobody can."""

    def also(self) -> tuple[int, Any] | None:
        """Who else goes on at the same moment; asked until it is None."""

    def outcome(self) -> Outcome:
        """The cost of what happened, when all programs have finished."""

    def repeats(self) -> Sequence[Repeat]:
        """Worlds that must be run through too, each in a process of its own."""


def _all_reduce(arguments: Mapping[str, Any]) -> World:
    """Loads SimPy, which the judge does not need at its start."""
    from npugrade.worlds.ranks import AllReduce

    return AllReduce(arguments)


def _training(arguments: Mapping[str, Any]) -> World:
    """Loads SimPy too."""
    from npugrade.worlds.training import Training

    return Training(arguments)


WORLDS: Mapping[str, Callable[[Mapping[str, Any]], World]] = {
    "all-reduce": _all_reduce,
    "broadcast": broadcast.Broadcast,
    "training": _training,
}
