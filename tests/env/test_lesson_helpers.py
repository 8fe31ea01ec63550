"""begin, expect, predict: what every lesson calls (others: tests/course)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import npucamp
from npucamp import begin, check, expect, predict
from npucamp.coursemap import course_map
from npusim.diagnostic import language
from npusim.diagnostic.model import Diagnostic, KernelError


def diagnostic(code: str, severity: str = "E") -> Diagnostic:
    return Diagnostic(code=code, severity=severity, where=None)


# ------------------------------------------------------------------------------ begin
def test_begin_says_the_place_in_the_course_and_sets_the_language(capsys):
    begin("z1", "zh")
    place, versions, *_ = capsys.readouterr().out.splitlines()
    minutes = course_map().get("z1").minutes
    assert place.startswith(
        f"Z1 · 五步写出第一个核函数 · 约 {minutes} 分钟 · 从零开始，第 2 课"
    )
    assert "学习进度" in versions
    assert language.current() == "zh"


def test_begin_says_how_far_the_learner_is(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("NPUCAMP_HOME", str(tmp_path))
    predict("z1-start", 6144, 6144)
    begin("z1", "en")
    assert "Done so far in this lesson: 1 of " in capsys.readouterr().out


def test_an_assignment_takes_the_language_of_the_session(capsys, monkeypatch):
    monkeypatch.setenv("NPUCAMP_LANG", "both")
    begin("z1-vector-add")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Assignment of lesson Z1 · First kernel in five steps"
    assert lines[1] == "Z1 课的作业 · 五步写出第一个核函数"


def test_a_notebook_of_no_lesson_begins_as_well(capsys):
    begin("my-own", "en")
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("NPU Camp")


def test_begin_warns_of_other_versions(capsys, monkeypatch):
    locked = {"numpy": "0.0.1"}
    monkeypatch.setattr("npucamp.lock_state.locked_versions", lambda: locked)
    begin("z1", "en")
    assert "tested with 0.0.1" in capsys.readouterr().out


def test_begin_refuses_an_unknown_language():
    with pytest.raises(ValueError, match="fr"):
        begin("z1", "fr")


# ----------------------------------------------------------------------------- expect
def test_expect_shows_the_message(capsys):
    language.use("en")
    with expect("ASC-RACE-15"):
        raise KernelError((diagnostic("ASC-RACE-15"), diagnostic("ASC-TILE-26", "W")))
    out = capsys.readouterr().out
    assert "ASC-RACE-15" in out and "ASC-TILE-26" not in out


@pytest.mark.parametrize("codes", [("ASC-MTE-01",), ("ASC-MTE-01", "ASC-RACE-15")])
def test_expect_fails_on_another_message(codes):
    with pytest.raises(AssertionError, match="ASC-MTE-01"), expect("ASC-RACE-15"):
        raise KernelError(tuple(map(diagnostic, codes)))


def test_expect_fails_if_nothing_comes():
    with pytest.raises(AssertionError, match="without"), expect("ASC-RACE-15"):
        pass


def test_expect_lets_other_exceptions_through():
    with pytest.raises(ZeroDivisionError), expect("ASC-RACE-15"):
        1 / 0  # noqa: B018


# ---------------------------------------------------------------------------- predict
@pytest.mark.parametrize(
    ("guess", "actual", "within", "outcome"),
    [
        (None, 8, 0, "waiting"),
        (6144, 6144, 0, "right"),
        (6143, 6144, 0, "close"),
        (7.0, 7.8, 1.0, "right"),
        (7.0, 8.1, 1.0, "close"),
        (1, 8, 1.0, "wrong"),
        (0, 8, 0, "wrong"),
        (-8, 8, 0, "wrong"),
        ("MTE2", "MTE2", 0, "right"),
        ("V", "MTE2", 0, "wrong"),
        ("eight", 8, 0, "number-wanted"),
        ("8", 8, 0, "right"),
        ("16,384", 16384, 0, "right"),
        ("Gelu ", "gelu", 0, "right"),
        (3, "gelu", 0, "word-wanted"),
        ("true", True, 0, "right"),
        (True, 1, 0, "right"),
    ],
)
def test_predict(guess, actual, within, outcome):
    assert predict("p", guess, actual, within=within).outcome == outcome


def test_a_guess_of_another_kind_shows_nothing_and_is_not_kept():
    language.use("en")
    prediction = predict("kind", "eight", 8)
    assert prediction.actual is None
    assert "without quotes" in repr(prediction)
    assert "in quotes" in repr(predict("kind", 8, "gelu"))


def test_a_turn_counts_what_is_right_and_names_the_first_that_is_not():
    language.use("en")
    assert repr(check("turn", np.arange(6).reshape(2, 3) < 4)) == (
        "– turn: not yet. 4 of 6 values are right; the first wrong one is at [1, 1]. "
        "Change the cell and run it again."
    )
    assert check("turn", np.ones(3, bool)).done
    assert "not yet. Change" in repr(check("turn", False))


def test_no_guess_measures_and_shows_nothing():
    def measure():
        raise AssertionError("measured")

    prediction = predict("p", None, measure)
    assert prediction.actual is None
    assert "None" in repr(prediction)


def test_a_guess_is_compared_with_what_is_measured():
    language.use("en")
    assert repr(predict("p", 4, lambda: 8)) == (
        "p: not quite. You said 4; the answer is 8."
    )


# ---------------------------------------------------------------------------- package
def test_every_helper_is_there():
    for name in npucamp.__all__:
        assert callable(getattr(npucamp, name))


def test_no_module_hides_a_helper():
    """`import npucamp.check` would put a module where lessons expect a function."""
    folder = Path(npucamp.__file__).parent
    assert not [n for n in npucamp.__all__ if (folder / f"{n}.py").exists()]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="quiz_me"):
        npucamp.quiz_me  # noqa: B018
