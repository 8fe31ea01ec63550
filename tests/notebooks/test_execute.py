"""Every notebook runs to the end, as released and as solved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from notebooktools import answers, execute, outputs, read, solved

from npucamp.build.assignments import masters, source_notebook
from npucamp.build.headers import LANGUAGES, lesson_header
from npucamp.build.outputs import lesson_sources

ROOT = Path(__file__).resolve().parents[2]
LESSONS = lesson_sources(ROOT)
ASSIGNMENTS = [master.stem for master in masters(ROOT)]
_WORDS = {
    "en": "not quite|right|close|no prediction",
    "zh": "不对|正确|接近|还没有预测",
}


def lesson_file(source: Path, language: str) -> Path:
    return ROOT / "course" / language / lesson_header(source).file_name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("source", LESSONS, ids=[p.stem for p in LESSONS])
def test_a_lesson_runs_as_released(source, language, tmp_path):
    path = lesson_file(source, language)
    made = execute(read(path), tmp_path)
    shown = "\n".join(outputs(made, c.id) for c in made.cells if c.cell_type == "code")
    assert re.search(_WORDS[language], shown)
    assert "<svg" in shown or "image/png" in shown


@pytest.mark.parametrize("source", LESSONS, ids=[p.stem for p in LESSONS])
def test_a_lesson_runs_as_solved(source, tmp_path):
    changes = answers(ROOT / "solutions" / "lessons" / source.name)
    notebook = read(lesson_file(source, "en"))
    before, after = (
        execute(notebook, tmp_path),
        execute(solved(notebook, changes), tmp_path),
    )
    for cell_id in changes:
        assert outputs(before, cell_id) != outputs(after, cell_id)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_an_untouched_assignment_is_not_attempted(assignment, tmp_path):
    path = ROOT / "exercises" / assignment / f"{assignment}.ipynb"
    made = execute(read(path), tmp_path)
    for cell_id in _check_cells(made):
        shown = outputs(made, cell_id)
        assert "not attempted" in shown and "Traceback" not in shown


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_solved_assignment_gets_all_points(assignment, tmp_path):
    made = execute(source_notebook(assignment), tmp_path)
    for cell_id in _check_cells(made):
        assert re.search(r"\b100 of 100 points", outputs(made, cell_id))


def _check_cells(notebook) -> list[str]:
    graded = (c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade"))
    ids = [cell.id for cell in graded]
    assert ids
    return ids
