"""An assignment of two notebooks through nbgrader's gradebook: manual points, comments,
a late penalty by the server's time, regrading, and the feedback page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import BasePlugin
from traitlets.config import Config

from npugrade import client
from npugrade.classroom.config import configure
from npugrade.classroom.folder import create_class
from npugrade.classroom.gradebook import enter_assignment, grades
from npugrade.nbgrader.servertime import FORMAT
from npugrade.verdict import Item, Picture, Verdict

from .small_assignment import released

pytestmark = pytest.mark.filterwarnings(
    "ignore::sqlalchemy.exc.SAWarning"
)  # of nbgrader
NOTEBOOKS = ("one", "two")
DEADLINE = datetime(2027, 3, 1, 10, 0)
LATE = {"ada": timedelta(0), "bob": timedelta(hours=2)}
RIGHT, PARTLY = "def add(x, y):\n    return x + y", "def add(x, y):\n    return x"
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAA"
    "AABJRU5ErkJggg=="
)
CAPTION = {"en": "Timeline of your own launch", "zh": "你的时间线"}


class OnePointAnHour(BasePlugin):
    """A late policy of a class: a point for each hour."""

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late // 3600


def judged(task: str, cells, **options) -> Verdict:
    score = 100.0 if any("x + y" in text for _, text in cells) else 50.0
    title = {"en": "Accuracy", "zh": "精度"}
    item = Item("accuracy", title, score, 100.0, "partial")
    return Verdict(task, score, 100.0, (item,), title, picture=Picture(PNG, CAPTION))


def notebook(number: str, answer: str | None = None):
    """A notebook of the assignment; grade ids differ between the two."""
    made = released()
    for cell in made.cells:
        if marks := cell.metadata.get("nbgrader"):
            marks["grade_id"] = marks["grade_id"].replace("t-", f"t{number}-")
    if answer is not None:
        made.cells[2].source, made.cells[4].source = answer, "Because."
    return made


def write(folder: Path, answers: dict[str, str | None]) -> None:
    folder.mkdir(parents=True)
    for name, answer in answers.items():
        nbformat.write(notebook(name, answer), folder / f"{name}.ipynb")


@pytest.fixture(scope="module")
def school(tmp_path_factory) -> Iterator[tuple[Path, NbGraderAPI]]:
    """Ada is right in both notebooks, Bob partly in the second, and two hours late."""
    folder = tmp_path_factory.mktemp("class")
    shutil.rmtree(folder)
    create_class(folder, "npu101")
    write(folder / "source/t", dict.fromkeys(NOTEBOOKS))
    for name, second in (("ada", RIGHT), ("bob", PARTLY)):
        place = folder / "submitted" / name / "t"
        write(place, {"one": RIGHT, "two": second})
        made = DEADLINE + LATE[name]
        (place / "timestamp.txt").write_text(made.strftime(FORMAT))
    config = Config()
    configure(config, str(folder / "nbgrader_config.py"))
    config.AssignLatePenalties.plugin_class = OnePointAnHour
    api = NbGraderAPI(config=config)
    assert api.generate_assignment("t")["success"]
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as book:
        book.update_or_create_assignment("t", duedate=DEADLINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "run_judge", judged)
        for name in LATE:
            assert api.autograde("t", name)["success"]
        _grade_by_hand(folder)
        for name in LATE:
            assert api.autograde("t", name, force=True)["success"]
            assert api.generate_feedback("t", name)["success"]
        yield folder, api


def _grade_by_hand(folder: Path) -> None:
    """What the formgrader writes: points for the prose, a comment, a bonus."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as book:
        grade = book.find_grade("tone-why", "one", "t", "bob")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        grade.extra_credit = 0.25
        comment = book.find_comment("tone-why", "one", "t", "bob")
        comment.manual_comment = "Say which unit waits."
        book.db.commit()


def found(folder: Path, student: str):
    return next(
        g
        for g in grades(folder / "gradebook.db", "npu101", "t")
        if g.student == student
    )


def feedback(folder: Path, student: str, name: str) -> str:
    return (folder / f"feedback/{student}/t/{name}.html").read_text("utf-8")


def test_points_of_both_notebooks_add_up(school):
    folder, _ = school
    assert found(folder, "ada").score == 20.0
    assert found(folder, "bob").score == 10.0 + 5.0 + 1.5 + 0.25
    assert found(folder, "ada").max_score == 2 * (10.0 + 2.0)


def test_who_still_needs_a_person_is_known(school):
    folder, _ = school
    assert found(folder, "ada").needs_manual and found(folder, "bob").needs_manual


def test_regrading_keeps_what_a_person_gave(school):
    folder, _ = school
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as book:
        grade = book.find_grade("tone-why", "one", "t", "bob")
        assert (grade.manual_score, grade.extra_credit) == (1.5, 0.25)


def test_late_policy_counts_the_hours_of_the_server(school):
    folder, _ = school
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as book:
        late = {n: book.find_submission("t", n).late_submission_penalty for n in LATE}
        assert late == {"ada": 0.0, "bob": 2.0 * len(NOTEBOOKS)}  # for each notebook


def test_comment_and_verdict_stand_in_the_feedback(school):
    folder, _ = school
    page = feedback(folder, "bob", "one")
    assert "Say which unit waits." in page and "Accuracy" in page
    assert "Say which unit waits." not in feedback(folder, "ada", "one")
    assert "50 of 100" in feedback(folder, "bob", "two")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_picture_stands_in_the_feedback(school, name):
    folder, _ = school
    page = feedback(folder, "ada", name)
    assert "data:image/png;base64," + PNG in page.replace("\n", "")
    assert CAPTION["en"] in page


def test_a_later_deadline_is_entered_without_losing_points(school):
    folder, _ = school
    before = found(folder, "bob").score
    later = (DEADLINE + timedelta(days=1)).astimezone()
    enter_assignment(folder / "gradebook.db", "npu101", "t", later)
    assert found(folder, "bob").score == before
