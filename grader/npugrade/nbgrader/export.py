"""`nbgrader export` for a class: one CSV row for each assignment and student.

nbgrader's own table gives 0.0 to a submission that has no grade yet. Here such a row
has an empty score, and the column `status` says why:

    graded         every point is given
    by-hand        a person must still grade a part (the score counts the rest)
    no-verdict     the judge gave none: autograde again
    not-submitted  nothing was collected (score 0)

`duedate` and `timestamp` are in UTC. Leaves out students that the gradebook does not
know: `nbgrader db student import` enters a class list.
"""

from __future__ import annotations

import csv
import os
from typing import Any

from nbgrader.api import (
    Assignment,
    Gradebook,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import ExportPlugin

NO_VERDICT = "no-verdict"
COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "seconds_late",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
    "status",
)


class GradesTable(ExportPlugin):
    """Writes `grades.csv`, or the file of `--to`."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the table; `--assignment` and `--student` choose rows."""
        path = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", path)
        with open(path, "w", encoding="utf-8", newline="", opener=_private) as stream:
            writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._rows(gradebook))

    def _rows(self, gradebook: Gradebook) -> list[dict[str, Any]]:
        return [
            _row(gradebook, assignment, student)
            for assignment in gradebook.assignments
            for student in gradebook.students
            if _chosen(assignment.name, self.assignment)
            and _chosen(student.id, self.student)
        ]


def _private(path: str, flags: int) -> int:
    """Open a file so that only its owner can read it, also one that exists."""
    handle = os.open(path, flags, 0o600)
    os.fchmod(handle, 0o600)
    return handle


def status(submission: SubmittedAssignment) -> str:
    """`graded`, `by-hand` or `no-verdict`."""
    if any(_lacks_verdict(notebook) for notebook in submission.notebooks):
        return NO_VERDICT
    return "by-hand" if submission.needs_manual_grade else "graded"


def _lacks_verdict(submitted: SubmittedNotebook) -> bool:
    """Whether a test cell has no points, neither from the judge nor from a person."""
    master = submitted.notebook
    by_hand = {cell.name for cell in (*master.solution_cells, *master.task_cells)}
    return any(
        grade.auto_score is None and grade.manual_score is None
        for grade in submitted.grades
        if grade.name not in by_hand
    )


def _chosen(name: str, wanted: list[Any]) -> bool:
    return not wanted or name in map(str, wanted)


def _row(
    gradebook: Gradebook, assignment: Assignment, student: Student
) -> dict[str, Any]:
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "max_score": assignment.max_score,
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return {**row, "score": 0.0, "raw_score": 0.0, "status": "not-submitted"}
    return {
        **row,
        "timestamp": submission.timestamp,
        "seconds_late": round(submission.total_seconds_late),
        **_points(submission),
    }


def _points(submission: SubmittedAssignment) -> dict[str, Any]:
    found = status(submission)
    if found == NO_VERDICT:
        return {"status": found}
    penalty = submission.late_submission_penalty
    return {
        "raw_score": submission.score,
        "late_submission_penalty": penalty,
        "score": max(0.0, submission.score - penalty),
        "status": found,
    }
