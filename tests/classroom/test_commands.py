"""The commands of an instructor: faults are one sentence, in English and Chinese."""

from __future__ import annotations

import re
import string
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from npucamp.cli import app
from npugrade.classroom.settings import new_settings_text


@pytest.fixture
def folder(tmp_path) -> Path:
    """A class with its settings only, which is all that these commands look at."""
    (tmp_path / "class.toml").write_text(new_settings_text("npu101", "en", "exchange"))
    return tmp_path


def told(*arguments: object) -> str:
    """What a command says when it refuses."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    return result.output


def test_an_unknown_assignment_is_answered_with_the_known_ones(folder):
    said = told("class", "assign", "z9-nothing", "--dir", folder)
    assert "no assignment 'z9-nothing'" in said and "z1-vector-add" in said


def test_grading_needs_something_collected(folder):
    assert "nbgrader collect z1-vector-add" in told("grade", folder, "z1-vector-add")


def test_a_name_with_a_slash_does_not_reach_the_gradebook(folder):
    place = folder / "submitted/ann/z1-vector-add"
    place.mkdir(parents=True)
    (place / "z1-vector-add.ipynb").touch()
    said = told("grade", folder, "z1-vector-add/")
    assert "Other assignments collected: z1-vector-add." in said


def test_grading_without_a_gradebook_does_not_start_an_empty_one(folder):
    place = folder / "submitted/ann/z1-vector-add"
    place.mkdir(parents=True)
    (place / "z1-vector-add.ipynb").touch()
    assert "gradebook.db is missing" in told("grade", folder, "z1-vector-add")
    assert not (folder / "gradebook.db").exists()


def test_an_existing_class_says_which_options_it_keeps(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "npugrade.classroom.folder._make_gradebook", lambda path, course: []
    )
    new = ["class", "new", str(tmp_path / "class"), "--course", "npu101"]
    assert "was kept" not in CliRunner().invoke(app, new).output
    result = CliRunner().invoke(app, [*new, "--language", "zh"])
    assert "class.toml was kept: language = en" in result.output


def test_commands_outside_a_class_say_how_to_make_one(tmp_path):
    for arguments in (("grade", tmp_path, "z1"), ("class", "backup", tmp_path)):
        assert "npucamp class new" in told(*arguments)


def test_a_bad_course_name_names_the_option(tmp_path):
    assert "course: " in told("class", "new", tmp_path / "c", "--course", "Bad Name")


def test_faults_are_told_in_chinese(folder, monkeypatch):
    monkeypatch.setattr("npugrade.classroom.errors.current_language", lambda: "zh")
    assert "没有作业“z9”" in told("class", "assign", "z9", "--dir", folder)


def test_the_settings_of_learners_are_printed(folder):
    result = CliRunner().invoke(app, ["class", "learner-config", "--dir", str(folder)])
    assert result.exit_code == 0
    assert 'c.CourseDirectory.course_id = "npu101"' in result.output
    assert f"c.Exchange.root = '{folder}/exchange'" in result.output


def sentences() -> dict[str, dict[str, str]]:
    text = (files("npugrade.classroom") / "messages.toml").read_text("utf-8")
    return tomllib.loads(text)


@pytest.mark.parametrize("key", sentences())
def test_every_sentence_has_both_languages_and_the_same_facts(key):
    entry = sentences()[key]
    facts = {
        name: {field for _, field, _, _ in string.Formatter().parse(text) if field}
        for name, text in entry.items()
    }
    assert set(entry) == {"en", "zh"} and facts["en"] == facts["zh"]
    assert re.search(r"[\u4e00-\u9fff]", entry["zh"])
