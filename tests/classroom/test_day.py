"""A class of thirteen through docs/instructor.md: grades and feedback."""

from __future__ import annotations

import csv
import math
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from npugrade.cases import CaseData, make_case
from npugrade.classroom.gradebook import grades
from npugrade.classroom.settings import load_settings
from npugrade.taskmodel import Task
from npugrade.tasks import load_task

from .class_day import ASSIGNMENT, Day
from .instructor_page import steps
from .learners import LEARNERS

pytestmark = pytest.mark.slow
POINTS = 10.0  # of the test cell in the master


@pytest.fixture(scope="module")
def day(tmp_path_factory) -> Iterator[Day]:
    """The day, played once."""
    played = Day(tmp_path_factory.mktemp("day"))
    played.play()
    yield played


def scores(day: Day) -> dict[str, float]:
    found = grades(day.folder / "gradebook.db", "npu101", ASSIGNMENT)
    return {grade.student: grade.score / POINTS * 100.0 for grade in found}


def feedback(day: Day, name: str) -> str:
    return (
        day.folder / "feedback" / name / ASSIGNMENT / f"{ASSIGNMENT}.html"
    ).read_text("utf-8")


def test_the_page_has_the_whole_way():
    lines = [step.line for step in steps()]
    wanted = """generate_assignment release_assignment fetch_assignment submit collect
        autograde generate_feedback release_feedback export fetch_feedback"""
    assert [word for word in wanted.split() if not any(word in s for s in lines)] == []


def test_every_submission_has_a_grade(day):
    assert set(scores(day)) == set(LEARNERS)


def test_what_was_released_is_what_the_clone_ships(day):
    path = Path(ASSIGNMENT) / f"{ASSIGNMENT}.ipynb"
    released = nbformat.read(day.folder / "release" / path, 4)
    exercises = Path(__file__).parents[2] / "exercises"
    shipped = nbformat.read(exercises / path, 4)
    assert [c.source for c in released.cells] == [c.source for c in shipped.cells]


# ------------------------------------------------------------------------------ grades
def expected(day: Day) -> dict[str, float]:
    """Scores of 100 as the task's weights have it."""
    task = load_task("z1-add")
    builds, accuracy = task.weights.builds, task.weights.accuracy
    everything = builds + accuracy + task.weights.performance
    wrong = dict.fromkeys(("race", "uninitialised", "endless-kernel"), builds)
    return {
        **wrong,
        "fast": everything,
        "innocent": everything,
        "slow": builds + accuracy,
        "tail": builds + accuracy * share_of_whole_tiles(day, task),
        "endless-host": 0.0,
        "syntax": 0.0,
        "untouched": 0.0,
        "unreadable": 0.0,
        "skip-tests": builds,
        "delete-tests": builds,
    }


def hidden_cases(day: Day) -> list[CaseData]:
    """The hidden cases of this class."""
    task, seed = load_task("z1-add"), load_settings(day.folder).seed
    return [make_case(task, case, True, seed) for case in task.hidden]


def share_of_whole_tiles(day: Day, task: Task) -> float:
    """The share of groups in which every length is a multiple of 2048."""
    groups: dict[str, bool] = {}
    for data in hidden_cases(day) + [
        make_case(task, c, False, "") for c in task.visible
    ]:
        whole = math.prod(data.outputs[0][0]) % 2048 == 0
        name = data.case.group
        groups[name] = groups.get(name, True) and whole
    assert 0 < sum(groups.values()) < len(groups)
    return sum(groups.values()) / len(groups)


def test_every_score_follows_from_the_weights(day):
    found, wanted = scores(day), expected(day)
    assert found == pytest.approx(wanted, abs=1e-3)


def test_the_summary_and_the_export_agree_with_the_gradebook(day):
    summary = day.said[f"npucamp grade . {ASSIGNMENT}"]
    assert f"{len(LEARNERS)} graded, 0 to be graded by hand (*), 0 without" in summary
    rows = list(csv.DictReader((day.folder / "grades.csv").open(encoding="utf-8")))
    assert {row["status"] for row in rows} == {"graded"}
    exported = {row["student_id"]: float(row["score"]) for row in rows}
    assert {n: s / POINTS * 100.0 for n, s in exported.items()} == scores(day)


# ---------------------------------------------------------------------------- feedback
SAID = {
    "fast": "100",
    "slow": "HAP",
    "tail": "ASC-TILE-26",
    "race": "ASC-RACE-16",
    "uninitialised": "ASC-INIT-11",
    "syntax": "was never closed",
    "untouched": "not attempted",
    "unreadable": "could not be read as a notebook",
}


@pytest.mark.parametrize("name", SAID)
def test_feedback_names_what_is_wrong(day, name):
    assert SAID[name] in feedback(day, name)


def test_a_message_points_at_the_cell_and_line(day):
    page = feedback(day, "race")
    found = re.search(r"Cell \[(\d+)\], line (\d+)", page)
    assert found and re.search(rf">In\s\[{found.group(1)}\]:", page)


@pytest.mark.parametrize("name", LEARNERS)
def test_feedback_holds_no_secret_and_no_script_of_a_learner(day, name):
    page = feedback(day, name)
    assert load_settings(day.folder).seed not in page
    assert "document.title" not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.S)
    for data in hidden_cases(day):
        size = math.prod(data.outputs[0][0])
        assert f"{size}" not in report(page), data.case.name


def report(page: str) -> str:
    """The verdict's text in a feedback page."""
    found = re.findall(r"<pre>(.*?)</pre>", page, flags=re.S)
    return "\n".join(text for text in found if "z1-add" in text)


def test_a_learner_gets_the_page(day):
    pages = list((day.root / "tail" / ASSIGNMENT / "feedback").rglob("*.html"))
    assert len(pages) == 1 and "ASC-TILE-26" in report(pages[0].read_text("utf-8"))


# -------------------------------------------------------------------------------- rest
def test_no_learner_code_ran_in_the_class(day):
    """Modules that a learner sent along were not even collected, let alone run."""
    assert not [
        p for p in day.folder.rglob("*") if p.suffix == ".pyc" or p.name == "ran"
    ]
    assert not list((day.folder / "submitted").rglob("*.py"))
    graded = day.folder / "autograded/skip-tests" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    cells = nbformat.read(graded, 4).cells
    checks = [c for c in cells if "z1-add-check" in str(c.metadata)]
    assert len(checks) == 1 and checks[0].source == 'check("z1-add")'
    assert not any("tags" in cell.metadata for cell in cells)


def test_a_link_to_the_solution_is_no_submission(day):
    said = day.said[f"nbgrader collect {ASSIGNMENT}"]
    assert re.search(r"Not collected: .*mallory.*ipynb \(a link", said)
    assert not list((day.folder / "submitted/mallory").rglob("*.ipynb"))


def test_grading_again_gives_the_same_grade(day):
    before = scores(day)
    day.instruct(f"nbgrader autograde {ASSIGNMENT} --student tail --force")
    assert scores(day) == before


def test_the_table_of_grades_is_private(day):
    assert (day.folder / "grades.csv").stat().st_mode & 0o777 == 0o600


def test_the_backup_holds_the_class(day):
    (archive,) = (day.folder / "backups").iterdir()
    with tarfile.open(archive) as stream:
        names = set(stream.getnames())
    assert {"npu101/class.toml", "npu101/gradebook.db", "npu101/keys"} <= names
