"""The judge's verdict written where nbgrader looks for the result of execution.

For each autograded test cell (`check("<task>")`, grade id `<task>-check`) the judge
gets the text of the notebook's other code cells and the class seed. The cell's outputs
become a report on stdout and the points as a plain float, which is nbgrader's form of
partial credit: gradebook, formgrader and feedback then work unchanged. Nothing is
executed here and no kernel starts. A verdict that was given ahead (`kept`) is taken.

A judge that cannot do its work raises `client.JudgeUnavailable`: nbgrader then reports
this one submission as failed, stores no grade for it and goes on with the next.
"""

from __future__ import annotations

import atexit
import math
from functools import cache
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import Integer, Unicode

from npugrade import client
from npugrade.classroom.errors import languages_of, sentence
from npugrade.classroom.settings import ClassSettings, load_settings
from npugrade.draw import class_key
from npugrade.nbgrader import kept
from npugrade.nbgrader.submission import refusal
from npugrade.verdict import Picture, Verdict
from npugrade.warm import WarmJudge

SUFFIX = "-check"
DEADLINE_S = 120  # of one task of one submission, on a busy machine


@cache
def warm_judge() -> WarmJudge:
    """The judge of this process, for all submissions that nbgrader hands to it."""
    judge = WarmJudge()
    atexit.register(judge.close)
    return judge


class JudgeCells(NbGraderPreprocessor):
    """Autograding step in place of `Execute`."""

    class_directory = Unicode(".", help="the folder of class.toml").tag(config=True)
    deadline_s = Integer(DEADLINE_S, help="seconds for one task of one submission").tag(
        config=True
    )

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """`nb` with a report and points in the outputs of its test cells."""
        settings = load_settings(Path(self.class_directory))
        number_code_cells(nb)
        texts = learner_cells(nb)
        student = str(resources.get("nbgrader", {}).get("student", ""))
        for cell in filter(is_test_cell, nb.cells):
            cell.outputs = self._outputs(nb, cell, texts, settings, student)
        return nb, resources

    def _outputs(
        self,
        nb: NotebookNode,
        cell: NotebookNode,
        texts: list[tuple[str, str]],
        settings: ClassSettings,
        student: str,
    ) -> list[NotebookNode]:
        if refusal(nb):
            return outputs(sentence(refusal(nb), settings.language), 0.0)
        verdict = self._verdict(task_of(cell), texts, settings, student)
        points = scaled_points(
            verdict.score, verdict.max_score, float(cell.metadata.nbgrader["points"])
        )
        text = report(verdict, settings.language)
        shown = picture_outputs(verdict.picture, settings.language)
        stream, score = outputs(text, points)
        return [stream, *shown, score]

    def _verdict(
        self,
        task: str,
        texts: list[tuple[str, str]],
        settings: ClassSettings,
        student: str,
    ) -> Verdict:
        key = kept.key_of(task, texts, settings.seed, settings.language, student)
        found = kept.take(Path(self.class_directory), key)
        if found is not None:
            return found
        try:
            return client.run_judge(
                task,
                texts,
                seed=settings.seed,
                language=settings.language,
                deadline_s=self.deadline_s,
                picture=True,
                warm=warm_judge(),
                ticket=(class_key(settings.seed), student),
            )
        except Exception as error:
            self.log.error(sentence("no-verdict", "en", task=task, error=error))
            raise client.JudgeUnavailable(f"{task}: {error}") from error


def is_test_cell(cell: NotebookNode) -> bool:
    """Whether the judge fills this cell: autograded code, not an answer."""
    return cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)


def is_judged(nb: NotebookNode) -> bool:
    """Whether every test cell has its outputs, which sanitising had taken away."""
    return all(cell.outputs for cell in filter(is_test_cell, nb.cells))


def task_of(cell: NotebookNode) -> str:
    """`z1-add` for a test cell `z1-add-check`; ValueError for any other grade id."""
    grade_id = cell.metadata.nbgrader["grade_id"]
    if not grade_id.endswith(SUFFIX):
        raise ValueError(f"grade id {grade_id!r} of a test cell must end in '{SUFFIX}'")
    return grade_id.removesuffix(SUFFIX)


def number_code_cells(nb: NotebookNode) -> None:
    """Give code cells the numbers that the verdict's messages use, `Cell [n]`."""
    for number, cell in enumerate(_code_cells(nb), start=1):
        cell.execution_count = number


def learner_cells(nb: NotebookNode) -> list[tuple[str, str]]:
    """(label, text) of every code cell but the test cells, in order."""
    return [
        (f"Cell [{cell.execution_count}]", cell.source)
        for cell in _code_cells(nb)
        if not is_test_cell(cell)
    ]


def scaled_points(score: float, max_score: float, points: float) -> float:
    """`score` of `max_score` as a part of the cell's `points`, a finite plain float."""
    if not (math.isfinite(score) and 0.0 <= score <= max_score and max_score > 0.0):
        raise client.JudgeUnavailable(
            f"the judge gave {score!r} of {max_score!r} points"
        )
    return min(points, round(points * score / max_score, 4))


def report(verdict: Verdict, language: str) -> str:
    """The verdict as text, in both languages if the class shows both."""
    return "\n\n".join(verdict.text(name) for name in languages_of(language))


def picture_outputs(picture: Picture | None, language: str) -> list[NotebookNode]:
    """The caption and the timeline as outputs of a cell, if there is one."""
    if picture is None:
        return []
    caption = "\n".join(picture.caption[name] for name in languages_of(language))
    return [
        new_output("stream", name="stdout", text=caption + "\n"),
        new_output("display_data", data={"image/png": picture.png}),
    ]


def outputs(text: str, points: float) -> list[NotebookNode]:
    """A text report and the points, as nbgrader's `determine_grade` reads them."""
    return [
        new_output("stream", name="stdout", text=text.rstrip() + "\n"),
        new_output("execute_result", data={"text/plain": repr(float(points))}),
    ]


def _code_cells(nb: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in nb.cells if cell.cell_type == "code"]
