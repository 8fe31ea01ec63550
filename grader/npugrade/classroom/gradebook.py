"""The class' gradebook through nbgrader's own interface: make it, enter, sum up.

nbgrader stamps a new gradebook with a version that it asks `alembic` for; called
without an activated environment it would fail half way. Here the environment's own
programs come first on PATH.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.api import Gradebook

from npugrade.classroom.programs import scripts_first_on_path
from npugrade.nbgrader.export import NO_VERDICT, status


@dataclass(frozen=True)
class Grade:
    """One submission in the gradebook: points, and who must still look at it."""

    student: str
    score: float
    max_score: float
    needs_manual: bool  # a person
    has_verdict: bool  # false: the judge, `score` means nothing yet


def create_gradebook(path: Path, course: str) -> None:
    """A new gradebook with nbgrader's version stamp."""
    scripts_first_on_path()
    _open(path, course).close()


def enter_assignment(
    path: Path, course: str, assignment: str, deadline: datetime | None
) -> None:
    """Make the assignment known, with its deadline (kept in UTC) if there is one."""
    fields = {} if deadline is None else {"duedate": _utc(deadline)}
    with _open(path, course) as gradebook:
        gradebook.update_or_create_assignment(assignment, **fields)


def grades(path: Path, course: str, assignment: str) -> list[Grade]:
    """The submissions of an assignment in the gradebook, by student."""
    with _open(path, course) as gradebook:
        found = [
            Grade(
                student=submission.student.id,
                score=submission.score,
                max_score=submission.max_score,
                needs_manual=submission.needs_manual_grade,
                has_verdict=status(submission) != NO_VERDICT,
            )
            for submission in gradebook.assignment_submissions(assignment)
        ]
    return sorted(found, key=lambda grade: grade.student)


def _open(path: Path, course: str) -> Gradebook:
    return Gradebook(f"sqlite:///{path.resolve()}", course)


def _utc(moment: datetime) -> datetime:
    """nbgrader keeps moments without a zone, in UTC."""
    return moment.astimezone(UTC).replace(tzinfo=None)
