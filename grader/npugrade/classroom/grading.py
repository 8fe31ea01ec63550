"""`npucamp grade`: nbgrader's autograding and feedback, then a summary.

A submission that could not be graded (no verdict: never a zero) is named with the
reason; the others have their grades. One that was being graded when the machine or the
command stopped has a notebook in `autograded/` without a verdict: nbgrader would pass
over it for ever, so it is graded anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from npugrade.classroom.ahead import judge_ahead, questions
from npugrade.classroom.errors import ClassError, sentence
from npugrade.classroom.gradebook import Grade, grades
from npugrade.classroom.runner import LOG, Runner, open_log
from npugrade.classroom.settings import GRADEBOOK, ClassSettings, load_settings
from npugrade.nbgrader.collect import TIMESTAMP
from npugrade.nbgrader.judge_cells import is_judged

Progress = Callable[[int, int, str], None]  # number, how many, student


@dataclass(frozen=True)
class Summary:
    """Grades of an assignment, and why some students have none."""

    grades: tuple[Grade, ...]
    ungraded: Mapping[str, str]  # student → reason
    log: Path


@dataclass(frozen=True)
class _Work:
    """One assignment of a class, as its folders and its gradebook show it."""

    folder: Path
    assignment: str
    settings: ClassSettings

    @property
    def submitted(self) -> set[str]:
        return self._students("submitted")

    @property
    def autograded(self) -> set[str]:
        return self._students("autograded")

    def grades(self) -> dict[str, Grade]:
        """Of students with a verdict, in the gradebook and in the graded notebooks."""
        here = self.autograded
        book = self.folder / GRADEBOOK
        found = grades(book, self.settings.course, self.assignment)
        return {
            grade.student: grade
            for grade in found
            if grade.has_verdict and grade.student in here and self._done(grade.student)
        }

    def has_newer(self, student: str) -> bool:
        """Whether a submission was collected after the graded one."""
        steps = ("submitted", "autograded")
        texts = [self._place(step, student) / TIMESTAMP for step in steps]
        first, second = (path.read_text() if path.is_file() else "" for path in texts)
        return first != second

    def notebooks(self, step: str, student: str = ".") -> list[Path]:
        """The notebooks of a student, or of the class."""
        return sorted(self._place(step, student).glob("*.ipynb"))

    def _done(self, student: str) -> bool:
        paths = self.notebooks("autograded", student)
        return all(is_judged(nbformat.read(path, as_version=4)) for path in paths)

    def _place(self, step: str, student: str) -> Path:
        return self.folder / step / student / self.assignment

    def _students(self, step: str) -> set[str]:
        paths = (self.folder / step).glob(f"*/{self.assignment}/*.ipynb")
        return {path.parts[-3] for path in paths}


def grade_assignment(
    folder: Path,
    assignment: str,
    *,
    again: bool = False,
    workers: int = 1,
    progress: Progress = lambda number, count, student: None,
) -> Summary:
    """Autograde what has no verdict (`again`: everything) and write feedback.

    `workers`: judges at work at the same time; nbgrader alone writes the gradebook.

    ClassError if nothing was collected for the assignment, the gradebook is missing, or
    nbgrader could not write the feedback.
    """
    work = _Work(folder, assignment, load_settings(folder))
    _check(work)
    judged = set() if again else set(work.grades())
    current = {student for student in judged if not work.has_newer(student)}
    due = work.submitted - current
    count = _Count(len(due), progress)
    asked = questions(folder, assignment, due)
    judge_ahead(folder, work.settings, asked, workers, count.next)
    with open_log(folder) as log:
        runner = Runner(folder, log, count.next)
        if not again:
            _finish(work, runner, work.autograded & work.submitted - judged)
        force = ["--force"] if again else []
        runner.run("autograde", assignment, *force)
        if work.autograded:
            _write_feedback(work, runner, *force)
    found = work.grades()
    reasons = {
        student: _reason(work, student, runner.faults.get(student, ""))
        for student in sorted(work.submitted - set(found))
    }
    return Summary(tuple(found.values()), reasons, folder / LOG)


@dataclass
class _Count:
    """Numbers the submissions as their turn comes."""

    total: int
    progress: Progress
    told: set[str] = field(default_factory=set)

    def next(self, student: str) -> None:
        if student not in self.told:
            self.told.add(student)
            self.progress(len(self.told), self.total, student)


def _check(work: _Work) -> None:
    if not work.submitted or "/" in work.assignment:
        paths = (work.folder / "submitted").glob("*/*/*.ipynb")
        names = ", ".join(sorted({path.parts[-2] for path in paths})) or "-"
        raise ClassError("nothing-collected", assignment=work.assignment, names=names)
    if not (work.folder / GRADEBOOK).is_file():
        raise ClassError("no-gradebook", path=work.folder / GRADEBOOK)


def _finish(work: _Work, runner: Runner, half_done: set[str]) -> None:
    for student in sorted(half_done):
        options = ("--student", student, "--force")
        if runner.run("autograde", work.assignment, *options) == 0:
            _write_feedback(work, runner, *options)


def _write_feedback(work: _Work, runner: Runner, *options: str) -> None:
    if runner.run("generate_feedback", work.assignment, *options) != 0:
        log = work.folder / LOG
        raise ClassError("feedback-failed", assignment=work.assignment, log=log)


def _reason(work: _Work, student: str, fault: str) -> str:
    """Why a student has no grade, as far as it can be seen."""
    wanted = {path.name for path in work.notebooks("release")}
    found = {path.name for path in work.notebooks("submitted", student)}
    if wanted and not wanted & found:
        names = {"found": ", ".join(sorted(found)), "wanted": ", ".join(sorted(wanted))}
        return sentence("no-such-notebook", **names)
    return fault or sentence("no-reason", log=work.folder / LOG)
