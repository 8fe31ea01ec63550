"""docs/coverage.md: every sentence that a written lesson owes has a cell."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from npucamp.build.assignments import masters
from npucamp.build.coverage import (
    Sentence,
    coverage_page,
    not_shown,
    sentences,
    tagged_cells,
    unknown_tags,
)
from npucamp.build.headers import lesson_header
from npucamp.build.outputs import built_notebooks, lesson_sources
from npucamp.coursemap import course_map
from npucamp.material import material_files

ROOT = Path(__file__).resolve().parents[2]
BUILT = {
    path.as_posix(): nbformat.read(ROOT / path, as_version=4)
    for path in built_notebooks(ROOT)
    if path.parts[:2] != ("course", "zh")
}
FOUND = tagged_cells(BUILT)
FRAMED = [
    lesson_header(path).id
    for path in lesson_sources(ROOT)
    if lesson_header(path).id in material_files()
]


def notebook(lesson: str, *cells) -> nbformat.NotebookNode:
    made = new_notebook(metadata={"npucamp": {"id": lesson}})
    made.cells = list(cells)
    return made


def tagged(id: str, *tags: str, **metadata) -> nbformat.NotebookNode:
    return new_markdown_cell("x", id=id, metadata={"tags": list(tags), **metadata})


def test_there_are_317_sentences_each_once():
    ids = [one.id for one in sentences()]
    assert len(ids) == len(set(ids)) == 317
    assert sum(id.startswith("A") for id in ids) == 117
    assert ids == sorted(ids, key=lambda id: (id[:4], int(id.split(".")[1])))
    assert max(len(one.locator) for one in sentences()) <= 12


def test_every_sentence_belongs_to_lessons_of_the_map():
    known = {lesson.id for lesson in course_map().lesson}
    assert {x for one in sentences() for x in one.lessons} <= known
    assert [s.id for s in sentences() if not s.lessons] == ["B014.1", "B014.2"]


def test_no_tag_names_a_sentence_that_does_not_exist():
    assert unknown_tags(FOUND) == []


@pytest.mark.parametrize("lesson", FRAMED)
def test_every_sentence_of_a_written_lesson_is_shown(lesson):
    assert not_shown(FOUND, [lesson]) == []


def test_the_tagged_cells_are_those_of_the_lessons():
    assert {one.lesson for one in FOUND} >= {"z1"}
    assert len(FOUND) > 5


def test_the_committed_page_is_the_generated_one():
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert page == coverage_page(BUILT)
    assert len(masters(ROOT)) == sum(path.startswith("exercises") for path in BUILT)


# --------------------------------------------------------------------- the machinery
def test_an_unknown_tag_is_located():
    cell = tagged("z1-goal", "seed:B999.1", "other")
    found = tagged_cells({"course/en/z1.ipynb": notebook("z1", cell)})
    assert unknown_tags(found) == [
        "course/en/z1.ipynb: cell z1-goal: no sentence 'B999.1'"
    ]


def test_a_sentence_must_be_shown_in_each_of_its_lessons():
    where = {s.id: s.lessons for s in sentences()}
    assert where["B051.4"] == ("z6", "p3")
    cell = tagged("z6-full", "seed:B051.4")
    found = tagged_cells({"course/en/z6.ipynb": notebook("z6", cell)})
    assert not any("B051.4" in line for line in not_shown(found, ["z6"]))
    assert any("B051.4" in line for line in not_shown(found, ["p3"]))
    assert not_shown([], ["z6"])[0].startswith("z6: no cell has the tag seed:")


def test_the_page_tells_shown_from_graded_and_written_from_planned():
    grade = {"grade_id": "z1-add-check", "grade": True}
    page = coverage_page(
        {
            "course/en/z1-x.ipynb": notebook("z1", tagged("z1-goal", "seed:B039.1")),
            "exercises/z1-y/z1-y.ipynb": notebook(
                "", tagged("z1-ask", "seed:B039.1", nbgrader=grade), new_code_cell("1")
            ),
        }
    )
    (row,) = [line for line in page.splitlines() if line.startswith("| B039.1 ")]
    parts = [part.strip() for part in row.strip("|").split("|")]
    assert parts[2] == "Z1 *Z5*"
    assert parts[4] == "[z1-goal](../course/en/z1-x.ipynb)"
    assert parts[5] == "[z1-ask](../exercises/z1-y/z1-y.ipynb)"
    assert "shown in a cell: 1; with a graded cell: 1" in page


def test_no_locator_breaks_the_table(monkeypatch):
    odd = (Sentence("A001.1", "a|b[c]*d<e", ("z1",), "x"),)
    monkeypatch.setattr("npucamp.build.coverage.sentences", lambda: odd)
    (row,) = [x for x in coverage_page({}).splitlines() if x.startswith("| A001.1")]
    assert row.replace("\\|", "").count("|") == 7 and "\\[c" in row
