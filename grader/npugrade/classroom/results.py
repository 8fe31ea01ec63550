"""What the gradebook has of one assignment, task by task: the ground of a certificate.

Points are those after manual grading and late penalty, as nbgrader sums them. A grade
cell `k2-a3-check` is the task `k2-a3`.
"""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment

from npugrade.certificate.faults import CertificateError
from npugrade.certificate.issuing import Result, TaskPoints, decimal_text
from npugrade.classroom.programs import scripts_first_on_path
from npugrade.nbgrader.export import NO_VERDICT, status
from npugrade.tasks import TaskError, load_task

CHECK_CELL = "-check"


def result_of(
    gradebook: Path, course: str, examination: str, student: str, language: str
) -> Result:
    """One student's result; CertificateError if it is missing or not final."""
    scripts_first_on_path()
    with Gradebook(f"sqlite:///{gradebook.resolve()}", course) as book:
        try:
            submission = book.find_submission(examination, student)
        except MissingEntry:
            facts = {"student": student, "examination": examination}
            raise CertificateError("no-submission", **facts) from None
        if submission.needs_manual_grade or status(submission) == NO_VERDICT:
            facts = {"student": student, "examination": examination}
            raise CertificateError("not-final", **facts)
        return Result(
            learner=student,
            name=_name(submission),
            points=max(0.0, submission.score - submission.late_submission_penalty),
            of=submission.max_score,
            tasks=_tasks(submission, language),
        )


def students_with(gradebook: Path, course: str, examination: str) -> list[str]:
    """Everybody who has a graded submission of the examination, in order."""
    scripts_first_on_path()
    with Gradebook(f"sqlite:///{gradebook.resolve()}", course) as book:
        found = book.assignment_submissions(examination)
        return sorted(submission.student.id for submission in found)


def _name(submission: SubmittedAssignment) -> str:
    student = submission.student
    parts = [student.first_name, student.last_name]
    if any(_is_chinese(part) for part in parts if part):
        return "".join(part for part in reversed(parts) if part).strip()
    return " ".join(part for part in parts if part).strip()


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def _tasks(submission: SubmittedAssignment, language: str) -> tuple[TaskPoints, ...]:
    return tuple(
        TaskPoints(
            id=grade.name.removesuffix(CHECK_CELL),
            title=_title(grade.name.removesuffix(CHECK_CELL), language),
            points=float(decimal_text(grade.score)),
            of=float(decimal_text(grade.max_score)),
        )
        for notebook in submission.notebooks
        for grade in notebook.grades
        if grade.name.endswith(CHECK_CELL)
    )


def _title(task: str, language: str) -> str:
    try:
        title = load_task(task).title
    except TaskError:
        return task  # graded by hand, or by an instructor's own code
    return title.zh if language == "zh" else title.en
