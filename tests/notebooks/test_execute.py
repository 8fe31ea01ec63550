"""Every notebook runs to the end: lessons as released and as solved, in both languages.

By default English runs as released and Chinese as solved: the code is the same in both
(test_built.py), so that each line runs in both forms and each message in both
languages. NPUCAMP_EXPLORE=1 runs all four.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from npucamp.build.assignments import masters
from npucamp.build.headers import lesson_header
from npucamp.build.lint import Lesson
from npucamp.build.outputs import lesson_sources
from npucamp.coursemap import STEPS
from npucamp.journal import read as read_journal
from npucamp.material import load_material, material_files
from npucamp.standing import course_standing

ROOT = Path(__file__).resolve().parents[2]
SOURCES = lesson_sources(ROOT)
LESSONS = [path.stem for path in SOURCES if not lesson_header(path).page]
FRAMED = [name for name in LESSONS if name in material_files()]  # with quiz, hints, …
PAGES = [path.stem for path in SOURCES if lesson_header(path).page]
ASSIGNMENTS = [master.stem for master in masters(ROOT)]
ALL = bool(os.environ.get("NPUCAMP_EXPLORE"))
RELEASED = [("lesson", x, lang, "released") for x in LESSONS for lang in ("en", "zh")]
SOLVED = [("lesson", x, lang, "solved") for x in LESSONS for lang in ("zh", "en")]
IN_FRAME = [run for run in RELEASED if run[1] in FRAMED]
OPEN_PAGES = [("lesson", x, lang, "released") for x in PAGES for lang in ("en", "zh")]
_WIDGET = "application/vnd.jupyter.widget-view+json"
_HELPERS = re.compile(r"\b(quiz|hint|explain)\(")


def chosen(runs: list, language: str) -> list:
    return [run for run in runs if ALL or run[2] == language]


def parametrize(runs: list):
    return pytest.mark.parametrize("run", runs, ids=["-".join(r[1:]) for r in runs])


def lesson_of(executed) -> Lesson:
    about = executed.notebook.metadata.npucamp
    return Lesson(executed.notebook, load_material(about.id))


def standing(executed, monkeypatch):
    monkeypatch.setenv("NPUCAMP_HOME", str(executed.home))
    return course_standing().get(executed.notebook.metadata.npucamp.id)


# ----------------------------------------------------------------------------- lessons
@parametrize(chosen(RELEASED, "en"))
def test_a_lesson_runs_as_released(executed, run, monkeypatch):
    lesson, shown = lesson_of(executed), executed.shown()
    assert "<svg" in shown or "image/png" in shown
    assert executed.error_streams() == []
    kept = {entry.kind for entry in read_journal(executed.home)}
    assert kept <= {"begin", "turn", "expect"}, (
        "a notebook answers nothing for the learner"
    )
    reached = standing(executed, monkeypatch)
    asked = {(kind, id) for kind, id, _ in lesson.calls if kind in STEPS}
    assert reached.state == "started" and reached.all == len(asked)
    failures = {id for kind, id in asked if kind == "expect"}
    assert reached.steps["expect"] == (len(failures), len(failures))


@parametrize(chosen(IN_FRAME, "en"))
def test_a_lesson_has_an_interactive_view(executed, run):
    views = [
        cell.id
        for cell in executed.notebook.cells
        for output in cell.get("outputs", ())
        if _WIDGET in output.get("data", {}) and not _HELPERS.search(cell.source)
    ]
    assert views


@parametrize(chosen(IN_FRAME, "en"))
def test_hints_stay_closed_until_they_are_asked_for(executed, run):
    lesson = lesson_of(executed)
    steps = [s for hint in lesson.material.hint.values() for s in hint.steps]
    shown = executed.shown()
    assert [s.en for s in steps if s.en in shown or s.zh in shown] == []


@parametrize(chosen(SOLVED, "zh"))
def test_a_solved_lesson_is_done(executed, run, monkeypatch):
    """Every prediction made, every quiz right, every turn done, each explanation
    compared: the answers in solutions/lessons complete the lesson."""
    reached = standing(executed, monkeypatch)
    if run[1] in FRAMED:
        assert reached.state == "done", dict(reached.steps)
    assert reached.done > 0
    assert executed.error_streams() == []
    compared = [e for e in read_journal(executed.home) if e.kind == "predict"]
    wrong = [e.id for e in compared if e.outcome == "wrong"]
    assert wrong == [], "a solved lesson predicts what it measures"


@parametrize(OPEN_PAGES)
def test_a_page_runs(executed, run):
    assert executed.error_streams() == []
    assert "NPU Camp" in executed.shown()


# ------------------------------------------------------------------------- assignments
@parametrize([("assignment", name, "released") for name in ASSIGNMENTS])
def test_an_untouched_assignment_is_not_attempted(executed, run):
    for cell_id in _check_cells(executed.notebook):
        shown = executed.outputs(cell_id)
        assert "not attempted" in shown and "Traceback" not in shown


@parametrize([("assignment", name, "solved") for name in ASSIGNMENTS])
def test_a_solved_assignment_gets_all_points(executed, run):
    for cell_id in _check_cells(executed.notebook):
        assert re.search(r"\b100 of 100 points", executed.outputs(cell_id))


def _check_cells(notebook) -> list[str]:
    graded = (c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade"))
    ids = [cell.id for cell in graded]
    assert ids
    return ids
