"""`check("z1-add")`: the check cell of a lesson or an assignment.

`check("z3-turn-flags", condition)` marks a "your turn" cell of a lesson as done where
the condition, computed in the cell itself, holds; the judge has no part in it.

Sends the text of the cells executed so far to the judge (a process of its own) and
returns its `Verdict`: what goes wrong becomes a note of the verdict. Raises only under
nbgrader's Validate button, which takes a cell without an error for a passed one.
Imports only what is needed to start the judge.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any, overload

from npucamp.journal import note
from npucamp.lesson.session import ticket_of_task
from npucamp.speech import LANGUAGES, listed, speak
from npugrade.client import BadRequest, JudgeUnavailable, run_judge
from npugrade.messages import Text, say
from npugrade.verdict import Verdict
from npusim.diagnostic import language as shown_language

_ASK_THE_JUDGE = object()
PUBLIC_SEED = "self-study"  # of npugrade.cases, which would import numpy


class CheckFailed(AssertionError):
    """The verdict as an error, shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


@dataclass(frozen=True, repr=False)
class Turn:
    """Whether a "your turn" cell does what it should.

    `right` of `total` values hold, the first that does not at `place`; of a condition
    that is no array `total` is 0."""

    id: str
    done: bool
    right: int = 0
    total: int = 0
    place: str = ""

    def __repr__(self) -> str:
        key = "turn-done" if self.done else "turn-partly" if self.total else "turn-open"
        facts = {"right": self.right, "total": self.total, "place": self.place}
        return speak(key, shown_language.current(), id=self.id, **facts)


def _turn(id: str, condition: Any) -> Turn:
    """Done where the condition holds; an array holds where all of it does."""
    every = getattr(condition, "all", None)
    done = bool(every() if callable(every) else condition)
    note("turn", id, "done" if done else "open")
    counted = not done and getattr(condition, "ndim", 0) > 0
    return Turn(id, done, *_counts(condition)) if counted else Turn(id, done)


def _counts(holds: Any) -> tuple[int, int, str]:
    """Of a numpy array of truths: how many hold, of how many, where the first fails."""
    first = [int(axis[0]) for axis in (~holds.astype(bool)).nonzero()]
    return int(holds.astype(bool).sum()), int(holds.size), str(first)


@overload
def check(task: str) -> Verdict: ...
@overload
def check(task: str, done: Any) -> Turn: ...
def check(task: str, done: Any = _ASK_THE_JUDGE) -> Verdict | Turn:
    """The verdict on the latest definitions in this notebook, visible cases only; with
    a condition, whether that turn of a lesson is done.

    CheckFailed under nbgrader's validation if points are missing; else never raises."""
    if done is not _ASK_THE_JUDGE:
        return _turn(task, done)
    verdict = _verdict(task)
    _remember(verdict)
    validating = os.environ.get("NBGRADER_EXECUTION") == "validate"
    if validating and verdict.score < verdict.max_score:
        raise CheckFailed(verdict.text())
    return verdict


def _remember(verdict: Verdict) -> None:
    """Add an attempt to the learner's history; a full disk is no reason to fail."""
    if verdict.attempted and verdict.items:
        from npucamp.history import Attempt, record
        from npucamp.paths import state_home

        record(state_home(), Attempt.of(verdict.task, verdict.score, verdict.facts))


def unknown_task(task: str) -> Text | None:
    """What to say about a task id that is not known; None if it is."""
    from npugrade.tasks import task_names

    known = task_names()
    if task in known:
        return None
    return {
        one: speak("check-unknown", one, task=task, known=listed(known, one))
        for one in LANGUAGES
    }


def _verdict(task: str) -> Verdict:
    language = _language()
    cells = executed_cells()
    if cells is None:
        return _note(task, "note.not-ipython", language)
    ticket = ticket_of_task(task)
    alone = ticket is not None and ticket.key == PUBLIC_SEED
    try:
        return run_judge(
            task,
            cells,
            seed=PUBLIC_SEED if alone else None,  # nobody else will grade it
            language=language,
            ticket=(ticket.key, ticket.learner) if ticket else None,
        )
    except (BadRequest, JudgeUnavailable, OSError) as error:
        missing = unknown_task(task) if isinstance(error, BadRequest) else None
        if missing:
            return _result(task, missing, language)
        return _note(task, "note.unavailable", language, reason=error)


def executed_cells() -> list[tuple[str, str]] | None:
    """(label, text) of every cell executed in this session, oldest first; None outside
    IPython."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    history = shell.user_ns.get("In", [])
    return [(f"Cell [{n}]", str(text)) for n, text in enumerate(history) if n and text]


def _language() -> str:
    """The session's language; one at a time."""
    current = shown_language.current()
    return current if current in ("en", "zh") else "en"


def _note(task: str, key: str, language: str, **facts: Any) -> Verdict:
    return _result(task, say(key, task=task, **facts), language)


def _result(task: str, note: Text, language: str) -> Verdict:
    return Verdict(str(task), 0.0, 100.0, (), notes=(note,), language=language)
