"""The hostile answers of `npucamp task check`: look-ups of exact shapes.

Each is the reference for shapes that somebody has told, and the reference many times
over for any other. One knows all cases but the twins that the task file names; the
other one knows these, too. A sound task rejects both, in the case of every twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from npugrade.cases import CaseData
from npugrade.taskmodel import Task
from npugrade.twins import is_named_twin, twin_of

_TIMES = 12  # more than the slowest twin may take, also where L2 helps
_TEXT = """\
_reference = {host}


def {host}(*given):
    shapes = [tuple(tensor.shape) for tensor in given[:{count}]]
    for _ in range(1 if shapes in {known} else {times}):
        _reference(*given)
"""


@dataclass(frozen=True)
class LookUp:
    """What follows the reference in the answer; the cases in which it must fail."""

    text: str
    due: frozenset[str]

    def missed(self, facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Cases that it passed all the same, by the facts of its verdict."""
        return sorted(name for name in self.due if not facts[name]["code"])


def look_ups(task: Task, datas: Sequence[CaseData], seed: str) -> Iterator[LookUp]:
    """One answer for the twins of the file, one for those that the judge makes."""
    named = [d for d in datas if is_named_twin(d.case)]
    made = [d for d in datas if twin_of(task, d, seed) is not None]
    others = [d for d in datas if not is_named_twin(d.case)]
    for due, known in ((named, others), (made, datas)):
        if due:
            yield LookUp(_text(task, known), frozenset(d.case.name for d in due))


def _text(task: Task, datas: Sequence[CaseData]) -> str:
    known = [[array.shape for array in data.inputs] for data in datas]
    host, count = task.entry.host, len(task.entry.inputs)
    return _TEXT.format(host=host, count=count, known=known, times=_TIMES)
