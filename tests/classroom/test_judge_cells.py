"""A verdict becomes outputs that nbgrader's own grading reads; no verdict, no grade."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.utils import determine_grade
from traitlets.config import Config

from npugrade import client
from npugrade.classroom.config import configure
from npugrade.classroom.folder import create_class
from npugrade.client import JudgeUnavailable
from npugrade.nbgrader import judge_cells
from npugrade.nbgrader.judge_cells import scaled_points
from npugrade.verdict import Item, Verdict

from .small_assignment import STARTER, released

pytestmark = pytest.mark.filterwarnings(
    "ignore::sqlalchemy.exc.SAWarning"
)  # of nbgrader
ANSWERS = {
    "ada": "def add(x, y):\n    return x + y",
    "bob": "BROKEN = 1",
    "eve": STARTER,
    "mal": "def add(x, y):\n    return None  # and the test cells are tagged",
}


def verdict(score: float) -> Verdict:
    title = {"en": "Accuracy", "zh": "精度"}
    item = Item("accuracy", title, score, 100.0, "partial")
    return Verdict("t-add", score, 100.0, (item,), title)


@pytest.mark.parametrize(
    ("score", "points"), [(0.0, 0.0), (100.0, 10.0), (33.3333, 3.3333), (1e-9, 0.0)]
)
def test_points_are_the_score_scaled_and_read_by_nbgrader(score, points):
    cell = released().cells[3]
    found = scaled_points(score, 100.0, 10.0)
    cell.outputs = judge_cells.outputs("report", found)
    assert type(found) is float and determine_grade(cell) == (points, 10.0)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -1.0, 101.0])
def test_an_impossible_score_is_no_grade(score):
    with pytest.raises(JudgeUnavailable):
        scaled_points(score, 100.0, 10.0)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ["Accuracy"]), ("zh", ["精度"]), ("both", ["Accuracy", "精度"])],
)
def test_the_report_speaks_the_language_of_the_class(language, words):
    report = judge_cells.report(verdict(50.0), language)
    assert [w for w in ("Accuracy", "精度") if w in report] == words


def test_every_other_code_cell_goes_to_the_judge_under_its_number():
    notebook = released()
    judge_cells.number_code_cells(notebook)
    assert judge_cells.learner_cells(notebook) == [
        ("Cell [1]", "from npusim import asc"),
        ("Cell [2]", STARTER),
    ]


def test_a_test_cell_without_a_task_is_an_error_of_ours():
    cell = released().cells[3]
    cell.metadata.nbgrader["grade_id"] = "t-add-test"
    with pytest.raises(ValueError, match="'t-add-test' of a test cell must end in"):
        judge_cells.task_of(cell)


# ------------------------------------------------- a judge that fails for one of three
@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> Iterator[tuple[Path, NbGraderAPI]]:
    """A class of three, graded once by a judge that breaks on Bob's submission."""
    folder = tmp_path_factory.mktemp("class")
    shutil.rmtree(folder)
    create_class(folder, "npu101")
    for path, text in [(folder / "source", None)] + [
        (folder / "submitted" / name, text) for name, text in ANSWERS.items()
    ]:
        _write_notebook(path / "t", text, tagged=path.name == "mal")
    api = _api(folder)
    assert api.generate_assignment("t")["success"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "run_judge", _judge)
        for name in ANSWERS:
            assert api.autograde("t", name)["success"] == (name != "bob")
    yield folder, api


def _write_notebook(folder: Path, answer: str | None, tagged: bool) -> None:
    folder.mkdir(parents=True)
    notebook = released()
    if answer is not None:
        notebook.cells[2].source = answer
        notebook.cells[4].source = "Because."
    if tagged:
        notebook.cells[3].metadata["tags"] = ["skip-execution"]
    nbformat.write(notebook, folder / "t.ipynb")


def _api(folder: Path) -> NbGraderAPI:
    config = Config()
    configure(config, str(folder / "nbgrader_config.py"))
    return NbGraderAPI(config=config)


def _judge(task, cells, **options) -> Verdict:
    if any("BROKEN" in text for _, text in cells):
        raise RuntimeError("no judge today")
    assert task == "t-add" and len(options["seed"]) == 64
    return verdict(80.0 if any("x + y" in text for _, text in cells) else 0.0)


def scores(folder: Path) -> dict[str, float | None]:
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as gradebook:
        return {
            name: gradebook.find_grade("t-add-check", "t", "t", name).auto_score
            for name in ANSWERS
        }


def test_one_failure_of_the_judge_stops_nobody_else(graded):
    folder, _ = graded
    assert scores(folder) == {"ada": 8.0, "bob": None, "eve": 0.0, "mal": 0.0}
    assert not (folder / "autograded/bob/t").exists(), "it is tried again next time"


def test_a_failure_of_the_judge_is_told(graded, monkeypatch):
    _, api = graded
    monkeypatch.setattr(client, "run_judge", _judge)
    result = api.autograde("t", "bob")
    assert "The judge gave no verdict on t-add: no judge today" in result["log"]


def test_the_exported_table_has_no_zero_for_it(graded, tmp_path):
    folder, _ = graded
    path = exported(folder, tmp_path / "grades.csv")
    rows = list(csv.DictReader(path.open()))
    assert {r["student_id"]: (r["score"], r["status"]) for r in rows} == {
        "ada": ("8.0", "by-hand"),
        "bob": ("", "no-verdict"),
        "eve": ("0.0", "by-hand"),
        "mal": ("0.0", "by-hand"),
    }


def exported(folder: Path, path: Path) -> Path:
    from npugrade.nbgrader.export import GradesTable

    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as gradebook:
        GradesTable(to=str(path)).export(gradebook)
    return path


def test_written_answers_wait_for_a_person(graded):
    folder, _ = graded
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as gradebook:
        grade = gradebook.find_grade("t-why", "t", "t", "ada")
        assert grade.needs_manual_grade and grade.auto_score is None


def test_the_attack_is_real_stock_nbgrader_pays_for_skipped_tests(graded, tmp_path):
    """The control: the same two wrong answers, one with a tag on its test cell."""
    folder = tmp_path / "stock"
    shutil.copytree(graded[0], folder)
    config = Config()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.course_id = "npu101"
    config.ExecutePreprocessor.kernel_name = "python3"
    api = NbGraderAPI(config=config)
    for name in ("eve", "mal"):
        assert api.autograde("t", name, force=True)["success"]
    assert scores(folder)["eve"] == 0.0 and scores(folder)["mal"] == 10.0
    assert scores(graded[0])["mal"] == 0.0
