"""A class with a graded examination, made once a test session."""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import Gradebook

from npugrade.classroom.folder import create_class

COURSE = "npu101"
EXAMINATION = "k2-mock-exam"
TASKS = ("k2-a5", "k2-b4")
STUDENTS = {  # id → first name, last name, points of two tasks of 50 each
    "ada": ("Ada", "Lovelace", (50, 42.5)),
    "xiaotong": ("晓彤", "欧阳", (40, 25)),
    "bob": ("Bob", "Stone", (30, 20)),
    "nameless": (None, None, (50, 50)),
}


def make(folder: Path) -> Path:
    """The class in `folder`, with a submission of each student in the gradebook."""
    create_class(folder, COURSE)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", COURSE) as book:
        book.add_assignment(EXAMINATION)
        book.add_notebook("exam", EXAMINATION)
        for task in TASKS:
            facts = {"max_score": 50, "cell_type": "code"}
            book.add_grade_cell(f"{task}-check", "exam", EXAMINATION, **facts)
        for student in STUDENTS:
            _enter(book, student)
        book.db.commit()
    return folder


def _enter(book: Gradebook, student: str) -> None:
    first, last, points = STUDENTS[student]
    book.add_student(student, first_name=first, last_name=last)
    book.add_submission(EXAMINATION, student)
    for task, score in zip(TASKS, points, strict=True):
        grade = book.find_grade(f"{task}-check", "exam", EXAMINATION, student)
        grade.auto_score, grade.needs_manual_grade = score, False
