"""Several judges at once: the verdicts of a class before nbgrader asks for them.

    submissions ─▶ pool of warm judges ─▶ judged/*.json ─▶ nbgrader, the one writer

Each worker is a judge process that stays; each submission is a fork of it. A verdict
that cannot be had here (no judge, a task that is not known) is left to nbgrader's own
step, which tries again and reports. Left out: workers on other machines.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from npugrade import client
from npugrade.classroom.settings import ClassSettings
from npugrade.draw import class_key
from npugrade.nbgrader import kept
from npugrade.nbgrader.graft import graft
from npugrade.nbgrader.judge_cells import (
    DEADLINE_S,
    is_test_cell,
    learner_cells,
    number_code_cells,
    task_of,
)
from npugrade.nbgrader.released import load_released
from npugrade.nbgrader.submission import read_cells, read_notebook, refusal
from npugrade.warm import WarmJudge

MOST_WORKERS = 8  # by default; a judge may need 4 GiB
Texts = list[tuple[str, str]]


@dataclass(frozen=True)
class Question:
    """One task of one submission, as the judge gets it."""

    student: str
    task: str
    texts: Texts


def usual_workers() -> int:
    """One for each core that this process may use."""
    return min(MOST_WORKERS, len(os.sched_getaffinity(0)))


def questions(folder: Path, assignment: str, students: Iterable[str]) -> list[Question]:
    """All tasks of these students' submissions, rebuilt as nbgrader's step does it."""
    return [
        question
        for student in sorted(students)
        for path in sorted(
            (folder / "submitted" / student / assignment).glob("*.ipynb")
        )
        for question in _of_notebook(folder, assignment, student, path)
    ]


def _of_notebook(
    folder: Path, assignment: str, student: str, path: Path
) -> Iterator[Question]:
    try:
        released = load_released(
            assignment, path.stem, folder / "release", folder / "source"
        )
        with path.open(encoding="utf-8") as stream:
            submitted = read_notebook(stream)
    except (OSError, ValueError):
        return  # nbgrader meets the same and reports it
    if refusal(submitted):
        return
    notebook = graft(released, read_cells(submitted))
    number_code_cells(notebook)
    texts = learner_cells(notebook)
    for cell in filter(is_test_cell, notebook.cells):
        yield Question(student, task_of(cell), texts)


def judge_ahead(
    folder: Path,
    settings: ClassSettings,
    asked: Sequence[Question],
    workers: int,
    done: Callable[[str], None],
) -> None:
    """Keep the verdicts on `asked`; `done` is called with a student when all of the
    student's are there. An interrupt ends the judges; what they gave is kept."""
    judges: queue.SimpleQueue[WarmJudge] = queue.SimpleQueue()
    pool = [WarmJudge() for _ in range(min(workers, len(asked)))]
    for judge in pool:
        judges.put(judge)
    left = _Left(asked, done)

    def work(question: Question) -> None:
        judge = judges.get()
        try:
            _keep(folder, settings, question, judge)
        finally:
            judges.put(judge)

    executor = ThreadPoolExecutor(max(len(pool), 1))
    try:
        running: dict[Future[None], Question] = {
            executor.submit(work, question): question for question in asked
        }
        for future in as_completed(running):
            left.take(running[future], failed=future.exception() is not None)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for judge in pool:
            judge.close()


class _Left:
    """How many verdicts of each student are still to come, and who has failed."""

    def __init__(self, asked: Sequence[Question], done: Callable[[str], None]):
        self._counts: dict[str, int] = {}
        self._failed: set[str] = set()
        self._done = done
        for question in asked:
            self._counts[question.student] = self._counts.get(question.student, 0) + 1

    def take(self, question: Question, failed: bool) -> None:
        student = question.student
        self._counts[student] -= 1
        if failed:
            self._failed.add(student)
        if not self._counts[student] and student not in self._failed:
            self._done(student)


def _keep(
    folder: Path, settings: ClassSettings, question: Question, judge: WarmJudge
) -> None:
    student = question.student
    key = kept.key_of(
        question.task, question.texts, settings.seed, settings.language, student
    )
    if kept.has(folder, key):
        return
    verdict = client.run_judge(
        question.task,
        question.texts,
        seed=settings.seed,
        language=settings.language,
        deadline_s=DEADLINE_S,
        picture=True,
        warm=judge,
        ticket=(class_key(settings.seed), student),
    )
    kept.keep(folder, key, verdict)
