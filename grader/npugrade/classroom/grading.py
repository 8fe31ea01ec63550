"""`npucamp grade`: nbgrader's autograding and feedback, then a summary.

nbgrader's commands run in their own process, in the class folder. A submission that
could not be graded (no verdict: never a zero) is named; the others have their grades.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from npugrade.classroom.errors import ClassError
from npugrade.classroom.gradebook import Grade, grades
from npugrade.classroom.settings import GRADEBOOK, load_settings


@dataclass(frozen=True)
class Summary:
    """Grades of an assignment, and the students who have none for want of a verdict."""

    grades: tuple[Grade, ...]
    ungraded: tuple[str, ...]
    log: str


def grade_assignment(folder: Path, assignment: str, *, again: bool = False) -> Summary:
    """Autograde what is new (`again`: everything) and write feedback.

    ClassError if nothing was collected for the assignment.
    """
    settings = load_settings(folder)
    submitted = _students(folder / "submitted", assignment)
    if not submitted:
        raise ClassError("nothing-collected", assignment=assignment)
    force = ["--force"] if again else []
    _, log = _nbgrader(folder, "autograde", assignment, *force)
    graded = _students(folder / "autograded", assignment)
    if graded:
        code, told = _nbgrader(folder, "generate_feedback", assignment, *force)
        if code != 0:
            raise ClassError("feedback-failed", assignment=assignment, log=told)
    found = grades(folder / GRADEBOOK, settings.course, assignment)
    return Summary(
        tuple(grade for grade in found if grade.student in graded),
        tuple(sorted(submitted - graded)),
        log,
    )


def _students(folder: Path, assignment: str) -> set[str]:
    """The students that have a notebook of the assignment in this step's folder."""
    return {path.parts[-3] for path in folder.glob(f"*/{assignment}/*.ipynb")}


def _nbgrader(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run one nbgrader command in the class folder; its exit code and log.

    Autograding ends with 1 if a single submission failed: the summary tells which.
    """
    command = [sys.executable, "-P", "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
