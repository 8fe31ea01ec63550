"""A learner's attempts: a small local history, one line a check.

`attempts.jsonl` in the state folder holds one JSON object a line, oldest first: task,
score, and for each counted case the cycles of the attempt, of the base and of the
floor. Nothing else is kept, no code and no clock time. A line that cannot be read is
passed over and stays; a write that fails is no reason to fail a check. The newest
`KEPT` attempts of a task are kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from npucamp.records import append, parsed, rows

KEPT = 200  # attempts of one task; some 300 B each
FILE = "attempts.jsonl"


@dataclass(frozen=True)
class CaseTime:
    """Cycles of one counted case: of this attempt, of the base, of the floor."""

    case: str
    cycles: int
    base: int
    floor: int


@dataclass(frozen=True)
class Attempt:
    """One check of a task; `cases` is empty where the result was not right."""

    task: str
    score: float
    cases: tuple[CaseTime, ...] = ()

    @classmethod
    def of(cls, task: str, score: float, facts: Mapping[str, Any]) -> Attempt:
        """From a verdict's facts; cases without a time are left out."""
        times = (
            CaseTime(name, *(int(one[key]) for key in ("cycles", "base", "floor")))
            for name, one in sorted(facts.items())
            if {"cycles", "base", "floor"} <= set(one)
        )
        return cls(task, float(score), tuple(times))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Attempt:
        """The attempt of one line; KeyError, TypeError or ValueError for other data."""
        cases = tuple(CaseTime(**case) for case in data["cases"])
        return cls(str(data["task"]), float(data["score"]), cases)

    @property
    def share(self) -> float:
        """Mean of floor over cycles of its cases: 1 is the roofline, 0 no time."""
        shares = [c.floor / c.cycles for c in self.cases if c.cycles]
        return sum(shares) / len(shares) if shares else 0.0


def read(home: Path) -> list[Attempt]:
    """Every readable attempt, oldest first; none where there is no file."""
    return rows(home / FILE, Attempt.from_json)


def record(home: Path, attempt: Attempt) -> bool:
    """Append an attempt; False where the folder cannot be written."""
    try:
        if not append(home / FILE, asdict(attempt)):
            return False
        _trim(home, attempt.task)
    except OSError:
        return False
    return True


def _trim(home: Path, task: str) -> None:
    """Drop the oldest attempts of `task` beyond twice `KEPT`, in one replace."""
    path = home / FILE
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    own = [n for n, line in enumerate(lines) if _is_of(line, task)]
    if len(own) <= 2 * KEPT:
        return
    dropped = set(own[:-KEPT])
    kept = [line for n, line in enumerate(lines) if n not in dropped]
    fresh = path.with_suffix(".new")
    fresh.write_text("\n".join([*kept, ""]), encoding="utf-8", newline="\n")
    os.replace(fresh, path)


def _is_of(line: str, task: str) -> bool:
    attempt = parsed(line, Attempt.from_json)
    return attempt is not None and attempt.task == task


def ladder(attempts: Iterable[Attempt]) -> list[tuple[int, Attempt]]:
    """The attempts that were faster than every earlier one, with their number.

    Numbers count from 1 over the attempts that have a time.
    """
    steps: list[tuple[int, Attempt]] = []
    timed = [a for a in attempts if a.cases]
    for number, attempt in enumerate(timed, 1):
        if not steps or attempt.share > steps[-1][1].share:
            steps.append((number, attempt))
    return steps
