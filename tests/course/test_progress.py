"""progress: what is done in a lesson and in the course, as text and HTML."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from npucamp import begin, expect, history, progress
from npucamp.cli import app
from npucamp.coursemap import CourseMap, built_lessons, course_map, helper_calls
from npucamp.journal import note
from npucamp.material import MaterialError, parse
from npusim.diagnostic import language
from npusim.diagnostic.model import Diagnostic, KernelError

MAP = """
[[track]]
id = "T"
en = "Test"
zh = "测试"
[[cut]]
id = "all"
en = "All"
zh = "全部"
[[lesson]]
id = "t1"
track = "T"
minutes = 45
en = "one"
zh = "一"
[[lesson]]
id = "t2"
track = "T"
minutes = 45
needs = ["t1"]
en = "two"
zh = "二"
"""
CODE = """
from npucamp import *
predict("t1-size", None, 3)
quiz("t1-order"); quiz("t1-several")
explain("t1-why", None)
check("t1-turn-flags", done=ok)
hint("t1-turn-flags")
check("z1-add")
with expect("ASC-MTE-01"):
    run()
"""


def notebook(root, place, lesson, title, code):
    cells = [
        {"cell_type": "markdown", "source": ["# x"]},
        {"cell_type": "code", "source": code.splitlines(keepends=True)},
        {"cell_type": "code", "source": "%magic is no Python"},
    ]
    about = {"id": lesson, "title": title}
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": cells, "metadata": {"npucamp": about}}))


@pytest.fixture
def course(small):
    (small / "course/src/course.toml").write_text(MAP, encoding="utf-8")
    for name, title in (("en", "One, built"), ("zh", "第一课")):
        notebook(small, f"course/{name}/t1-x.ipynb", "t1", title, CODE)
    notebook(small, "exercises/t1-ex/t1-ex.ipynb", "", "", 'check("t1-task")')
    return small


def rows(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_a_cell_says_what_it_calls():
    assert list(helper_calls(CODE)) == [
        ("predict", "t1-size"),
        ("quiz", "t1-order"),
        ("quiz", "t1-several"),
        ("explain", "t1-why"),
        ("turn", "t1-turn-flags"),
        ("hint", "t1-turn-flags"),
        ("task", "z1-add"),
        ("expect", "ASC-MTE-01"),
    ]


def test_a_new_learner_sees_what_there_is(course):
    language.use("en")
    text = repr(progress())
    assert "○ t1   One, built · new" in text
    assert "Planned, not written yet: t2" in text
    assert "Next: t1 · One, built" in text


def test_each_step_counts_once_and_only_when_done(course):
    language.use("en")
    begin("t1", "en")
    note("predict", "t1-size", "wrong", "1")
    note("predict", "t1-size", "right", "3")
    note("quiz", "t1-order", "wrong")
    note("quiz", "t1-several", "right")
    note("quiz", "t1-several", "wrong")
    note("explain", "t1-why", "short")
    note("turn", "t1-turn-flags", "done")
    note("hint", "t1-turn-flags", "opened", "2")
    note("quiz", "t1-unknown", "right")
    with expect("ASC-MTE-01"):
        raise KernelError((Diagnostic(code="ASC-MTE-01", severity="E", where=None),))
    found = rows(repr(progress()))
    assert "predictions: 1 of 1 made, 0 right at the first guess" in found
    assert "quizzes: 1 of 2" in found
    assert "explanations: 0 of 1" in found
    assert "your turns: 1 of 1" in found
    assert "hints: opened for 1" in found
    assert "messages met on purpose: 1 of 1" in found
    assert any("started, 4 of 6 steps" in line for line in found)


def test_a_lesson_is_done_when_every_step_is(course):
    language.use("zh")
    note("predict", "t1-size", "wrong")
    for kind, id, outcome in [
        ("quiz", "t1-order", "right"),
        ("quiz", "t1-several", "right"),
        ("explain", "t1-why", "compared"),
        ("expect", "t1-asc-mte-01", "met"),
    ]:
        note(kind, id, outcome)
    assert "进行中" in repr(progress("t1"))
    note("turn", "t1-turn-flags", "done")
    text = repr(progress("t1"))
    assert "● t1   第一课 · 已完成" in text and "已有的课程全部完成。" in text


def test_tasks_show_their_best_score(course, home):
    language.use("en")
    for score in (20.0, 85.5, 60.0):
        history.record(home, history.Attempt("t1-task", score))
    found = rows(repr(progress("t1-ex")))
    assert "task t1-task: best score 85.5 of 100, attempts 3" in found
    assert "task z1-add: not tried yet" in found
    assert any("started" in line and "t1-task 85.5" in line for line in found)


def test_html_says_the_same(course):
    language.use("en")
    note("quiz", "t1-order", "right")
    html = progress("t1")._repr_mimebundle_()["text/html"]
    for words in ("One, built", "1 of 2", "started, 1 of 6 steps", "Next: t1"):
        assert words in html


def test_what_could_not_be_saved_is_said(course, tmp_path, monkeypatch):
    language.use("en")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NPUCAMP_HOME", str(tmp_path / "file"))
    note("quiz", "t1-order", "right")
    text = repr(progress("t1"))
    assert "quizzes: 1 of 2" in text and "could not be saved" in text


def test_a_broken_map_is_said(course):
    (course / "course/src/course.toml").write_text(MAP.replace("45", '"x"', 1))
    assert "course.toml:" in repr(progress())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('needs = ["t1"]', 'needs = ["t3"]', "t2 needs t3"),
        ('needs = ["t1"]', 'needs = ["t2"]', "t2 needs t2"),
        ('track = "T"', 'track = "X"', "no track 'X'"),
        ('id = "t2"', 'id = "t1"', "there twice: t1"),
        ('zh = "全部"', 'zh = "全部"\nlessons = ["t9"]', "no lesson t9"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(old, new, words):
    with pytest.raises(MaterialError, match=words):
        parse(CourseMap, MAP.replace(old, new, 1), "course.toml")


# ----------------------------------------------------------------------- the real one
def test_the_course_map_has_thirty_lessons_and_three_cuts():
    course = course_map()
    assert len(course.lesson) == 30
    counts = [len(course.lessons_of(cut)) for cut in course.cut]
    assert counts == [5, 12, 30]
    assert set(built_lessons()) - {one.id for one in course.lesson} <= {
        "gallery",
        "start-here",
        "glossary",
    }


def test_the_command_prints_the_same():
    language.use("en")
    note("predict", "z1-start", "wrong")
    shown = CliRunner().invoke(app, ["progress", "z1"])
    assert shown.stdout.strip() == repr(progress("z1"))
    failed = CliRunner().invoke(app, ["progress", "z99"])
    assert failed.exit_code == 1 and "z99" in failed.stderr
