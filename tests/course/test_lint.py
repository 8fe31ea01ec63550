"""The form of a lesson: every written one has it, and each rule can fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from lessondata import TEXT
from nbformat.v4 import new_code_cell, new_markdown_cell

from npucamp.build.headers import lesson_header
from npucamp.build.lessons import build_lesson
from npucamp.build.lint import Lesson, lint
from npucamp.build.notebook import make_notebook
from npucamp.build.outputs import lesson_sources
from npucamp.material import Material, load_material, material_files, parse

ROOT = Path(__file__).resolve().parents[2]
FRAMED = [p for p in lesson_sources(ROOT) if lesson_header(p).id in material_files()]
MATERIAL = parse(Material, TEXT, "t1.toml")
TURN = {"tags": ["your-turn"]}
CODE = {
    "begin": 'from npucamp import begin\n\nbegin("t1", "en")',
    "guess": 'from npucamp import predict\n\npredict("t1-size", None, 3)',
    "guess2": 'predict("t1-ratio", None, 3)',
    "quiz": 'quiz("t1-order")',
    "quiz2": 'quiz("t1-several")',
    "fail": 'with expect("ASC-MTE-01"):\n    run()',
    "view": "run.step()",
    "turn": "y = 0\ncheck('t1-turn-flags', y == 1)",
    "hint": 'hint("t1-turn-flags")',
    "why": 'explain("t1-why", None)',
    "end": "progress()",
}


def lesson(changes: dict | None = None, *, turn=TURN, more=0, last="**Next:** T2."):
    """The small lesson in form, with some of its cells changed (None: left out)."""
    texts = {k: v for k, v in {**CODE, **(changes or {})}.items() if v is not None}
    cells = [
        new_code_cell(v, id=f"t1-{k}", metadata=turn if k == "turn" else {})
        for k, v in texts.items()
    ]
    cells[1:1] = [new_code_cell("x = 1", id=f"t1-more{n}") for n in range(more)]
    cells.append(new_markdown_cell(last, id="t1-next"))
    about = {"npucamp": {"id": "t1", "language": "en"}}
    return Lesson(make_notebook(cells, about), MATERIAL)


@pytest.mark.parametrize("source", FRAMED, ids=[p.stem for p in FRAMED])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lesson_is_in_form(source, language):
    notebook = build_lesson(source)[language]
    assert lint(Lesson(notebook, load_material(source.stem))) == []


def test_the_small_lesson_is_in_form():
    assert lint(lesson()) == []


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"fail": "run()"}, "t1: expect 0, at least 1"),
        ({"view": "run"}, "t1: no interactive view"),
        ({"guess2": "x = 1"}, "t1: predict 1, at least 2"),
        ({"guess2": 'predict("t1-size", 1, 3)'}, "predict 't1-size' stands there tw"),
        ({"why": "x = 1"}, "t1: explain 0, at least 1"),
        ({"quiz2": "x = 1"}, "t1: quiz 't1-several' is never asked"),
        ({"quiz2": 'quiz("t1-some")'}, "t1: no data for quiz 't1-some'"),
        ({"guess": 'predict("z9-size", 1, 2)'}, "t1-guess: predict 'z9-size' does not"),
        ({"hint": "x = 1"}, "t1-turn: no hint(…) near this turn"),
        ({"quiz": 'quiz("t1-order")\nx = 1'}, "t1-quiz: quiz(…) is not the last"),
        ({"quiz": 'shown = quiz("t1-order")'}, "t1-quiz: what quiz says is lost"),
        ({"guess": 'from npucamp import build\n\npredict("t1-size", 1, 3)'},
         "t1-guess: build is no helper"),
        ({"end": "x = 1"}, "t1-end: the last code cell does not call progress()"),
        ({"view": "run.step()\n" + "x = 1\n" * 25}, "t1-view: 26 lines of code"),
        ({k: v + "\n" + "# a\n" * 7 for k, v in CODE.items()}, "median code cell"),
    ],
)  # fmt: skip
def test_each_rule_can_fail(changes, complaint):
    found = lint(lesson(changes))
    assert [line for line in found if line.startswith(complaint) or complaint in line]


def test_turns_ends_and_sizes():
    assert "t1: no cell has the tag your-turn" in lint(lesson(turn={}))
    assert any("what comes next" in line for line in lint(lesson(last="Done.")))
    long = lint(lesson(more=60))
    assert any(line.startswith("t1: 72 cells, at most 60") for line in long)


def test_a_cell_that_is_no_python_is_named():
    found = lint(lesson({"turn": "y = ...  # here\nx ="}))
    assert "t1-turn: no Python (line 2)" in found
    assert lint(lesson({"view": "%matplotlib inline\n"}))[0].startswith("t1: no inter")
