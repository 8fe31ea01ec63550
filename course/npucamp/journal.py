"""What a learner did in lessons: guesses, quizzes, hints, answers, turns, failures.

`progress.jsonl` in the state folder holds one entry a line, oldest first, without clock
time. An entry that only repeats the last one about the same thing is not written again,
so that running a notebook twice changes nothing. Where the file cannot be written the
entries of this session are kept in memory, and `unsaved` says how many.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from npucamp.paths import state_home
from npucamp.records import append, rows

FILE = "progress.jsonl"
KINDS = ("begin", "predict", "quiz", "hint", "explain", "turn", "expect")
TEXT_LIMIT = 4000  # characters of a kept answer
_pending: list[Entry] = []


@dataclass(frozen=True)
class Entry:
    """One thing done: `outcome` is a word of its kind ("right", "close", "wrong",
    "done", …), `detail` the guess, the letters, the number of steps or the answer."""

    kind: str
    id: str
    outcome: str
    detail: str = ""

    @classmethod
    def from_json(cls, data: Any) -> Entry:
        """The entry of one line; KeyError, TypeError or ValueError for other data."""
        made = cls(*(str(data[k]) for k in ("kind", "id", "outcome", "detail")))
        if made.kind not in KINDS:
            raise ValueError(made.kind)
        return made


def read(home: Path) -> list[Entry]:
    """Every readable entry of the folder, oldest first."""
    return rows(home / FILE, Entry.from_json)


def entries() -> list[Entry]:
    """The learner's entries: from the file, then those that it could not take."""
    return [*read(state_home()), *_pending]


def unsaved() -> int:
    """Entries of this session that could not be written."""
    return len(_pending)


def note(kind: str, id: str, outcome: str, detail: str = "") -> bool:
    """Remember what was done; False where it is kept for this session only.

    Nothing is kept while a submission is graded: that is not the learner's machine."""
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        return True
    entry = Entry(kind, str(id), outcome, str(detail)[:TEXT_LIMIT])
    if latest(entries(), kind, entry.id) == entry:
        return True
    _pending.append(entry)
    return save_pending(state_home())


def save_pending(home: Path) -> bool:
    """Write what waits, oldest first; False if something still waits."""
    while _pending:
        if not append(home / FILE, asdict(_pending[0])):
            return False
        del _pending[0]
    return True


def latest(found: Iterable[Entry], kind: str, id: str) -> Entry | None:
    """The newest entry about a thing, None if there is none."""
    own = [e for e in found if e.kind == kind and e.id == id]
    return own[-1] if own else None
