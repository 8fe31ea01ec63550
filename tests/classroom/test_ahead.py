"""Several judges at once: nbgrader finds their verdicts and stays the only writer."""

from __future__ import annotations

import threading
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from npugrade import client
from npugrade.classroom.ahead import judge_ahead, questions
from npugrade.classroom.settings import ClassSettings, new_settings_text, read_settings
from npugrade.client import JudgeUnavailable
from npugrade.nbgrader import Graft, JudgeCells, kept
from npugrade.nbgrader.submission import read_notebook
from npugrade.verdict import Item, Verdict

from .small_assignment import released

STUDENTS = ("ann", "bob", "cem", "dot")
TITLE = {"en": "Accuracy", "zh": "精度"}


def verdict(task: str, score: float) -> Verdict:
    item = Item("accuracy", TITLE, score, 100.0, "partial")
    return Verdict(task, score, 100.0, (item,), TITLE)


@pytest.fixture
def folder(tmp_path) -> Path:
    """Four submissions; Bob's cannot be judged, Dot's is no notebook."""
    (tmp_path / "class.toml").write_text(new_settings_text("npu101", "en", "exchange"))
    for place in ("release", *(f"submitted/{name}" for name in STUDENTS)):
        (tmp_path / place / "t").mkdir(parents=True)
        notebook = released()
        notebook.cells[2].source = f"def add(x, y):\n    return '{place[-3:]}'"
        notebook.cells.insert(3, new_code_cell("EXTRA = 1"))
        nbformat.write(notebook, tmp_path / place / "t/t.ipynb")
    (tmp_path / "submitted/dot/t/t.ipynb").write_text("{")
    return tmp_path


def settings(folder: Path) -> ClassSettings:
    return read_settings((folder / "class.toml").read_text(), folder)


def judged(task: str, cells, **options) -> Verdict:
    text = "".join(text for _, text in cells)
    if "'bob'" in text:
        raise JudgeUnavailable("no judge today")
    return verdict(task, 80.0 if "'ann'" in text else 40.0)


def ahead(folder: Path, workers: int = 2) -> list[str]:
    """Judge all; the students whose verdicts are there."""
    asked, done = questions(folder, "t", STUDENTS), []
    judge_ahead(folder, settings(folder), asked, workers, done.append)
    return sorted(done)


def as_nbgrader(folder: Path, name: str) -> list[str]:
    """Outputs of the test cell after nbgrader's two steps for one submission."""
    with (folder / "submitted" / name / "t/t.ipynb").open() as stream:
        notebook = read_notebook(stream)
    resources = {"nbgrader": {"assignment": "t", "notebook": "t", "student": name}}
    place = str(folder)
    graft = Graft(release_directory=f"{place}/release", source_directory="nowhere")
    notebook, _ = graft.preprocess(notebook, resources)
    notebook, _ = JudgeCells(class_directory=place).preprocess(notebook, resources)
    (check,) = [c for c in notebook.cells if c.cell_type == "code" and c.outputs]
    return [str(output) for output in check.outputs]


def test_nbgrader_takes_the_verdicts_that_were_given_ahead(folder, monkeypatch):
    monkeypatch.setattr(client, "run_judge", judged)
    assert ahead(folder) == ["ann", "cem"]
    monkeypatch.setattr(client, "run_judge", None)  # nothing is judged any more
    assert "8.0" in as_nbgrader(folder, "ann")[-1]
    assert "4.0" in as_nbgrader(folder, "cem")[-1]
    assert not list((folder / kept.FOLDER).iterdir())  # each is used once


def test_what_had_no_verdict_is_left_to_nbgraders_own_step(folder, monkeypatch):
    monkeypatch.setattr(client, "run_judge", judged)
    ahead(folder)
    with pytest.raises(JudgeUnavailable, match="no judge today"):
        as_nbgrader(folder, "bob")
    assert "could not be read" in as_nbgrader(folder, "dot")[0]


def test_a_second_grading_goes_on_where_the_first_stopped(folder, monkeypatch):
    monkeypatch.setattr(client, "run_judge", judged)
    ahead(folder)
    asked: list[str] = []
    monkeypatch.setattr(client, "run_judge", lambda task, *a, **o: asked.append(task))
    assert ahead(folder) == ["ann", "cem"] and asked == ["t-add"]  # Bob's alone


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_as_many_are_judged_at_once_as_there_are_workers(folder, monkeypatch, workers):
    barrier = threading.Barrier(workers)

    def wait(task: str, cells, **options) -> Verdict:
        barrier.wait(20)
        return verdict(task, 50.0)

    monkeypatch.setattr(client, "run_judge", wait)
    asked = questions(folder, "t", STUDENTS)[: workers * (3 // workers)]
    judge_ahead(folder, settings(folder), asked, workers, lambda name: None)
    assert len(list((folder / kept.FOLDER).iterdir())) == len(asked)


def test_a_verdict_follows_from_everything_in_its_name():
    names = {
        kept.key_of(*facts)
        for facts in [
            ("a", [("c", "x")], "s", "en"),
            ("b", [("c", "x")], "s", "en"),
            ("a", [("d", "x")], "s", "en"),
            ("a", [("c", "y")], "s", "en"),
            ("a", [("c", "x")], "t", "en"),
            ("a", [("c", "x")], "s", "zh"),
        ]
    }
    assert len(names) == 6


def test_a_file_of_another_version_is_passed_over(tmp_path):
    kept.keep(tmp_path, "a" * 64, verdict("t", 3.0))
    path = tmp_path / kept.FOLDER / f"{'a' * 64}.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert kept.take(tmp_path, "a" * 64) == verdict("t", 3.0)
    path.write_text('{"task": 1}')
    assert kept.take(tmp_path, "a" * 64) is None and not path.exists()
    assert kept.take(tmp_path, "a" * 64) is None
