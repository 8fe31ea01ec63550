"""Kinds of attack that go through a notebook, in a class of ours: none gains a point.

That stock nbgrader pays for them is shown in `test_attacks_on_stock_nbgrader`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from npugrade.classroom.config import configure
from npugrade.classroom.folder import create_class
from tests.attacks.batch import source
from tests.classroom.small_assignment import marks
from tests.judge.judge_samples import GOOD, WRONG

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader
]
IN_CLASS = (
    "machine/exit",
    "channel/forged_return",
    "people/script_in_an_error",
)
NOTHING = "def add(x, y, z:  # no Python"
STARTER = "def add(x, y, z):\n    raise NotImplementedError()"


def scores(folder: Path, cell: str) -> dict[str, float | None]:
    """Automatic points of every student for a test cell."""
    with Gradebook(f"sqlite:///{folder}/gradebook.db", "npu101") as gradebook:
        return {
            submission.student.id: gradebook.find_grade(
                cell, "t", "t", submission.student.id
            ).auto_score
            for submission in gradebook.assignment_submissions("t")
        }


def graded(folder: Path, api: NbGraderAPI, course: dict[str, NotebookNode]) -> None:
    """Write the source and what each student hands in, then grade all."""
    for name, notebook in course.items():
        place = folder / ("source" if name == "source" else f"submitted/{name}") / "t"
        place.mkdir(parents=True)
        nbformat.write(notebook, place / "t.ipynb")
    assert api.generate_assignment("t")["success"]
    for name in course:
        if name != "source":
            found = api.autograde("t", name)
            assert found["success"], found["log"][-2000:]


# ---------------------------------------------------------------------- a class of ours
def task_notebook(text: str) -> NotebookNode:
    check = marks("z1-add-check", grade=True, locked=True, points=10)
    cells = [
        new_code_cell("from npusim import asc", id="setup"),
        new_code_cell(
            text, id="answer", metadata=marks("z1-add-answer", solution=True)
        ),
        new_code_cell('check("z1-add")', id="check", metadata=check),
    ]
    return new_notebook(cells=cells)


def _tagged(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["tags"] = ["skip-execution", "raises-exception"]


def _without_test(notebook: NotebookNode) -> None:
    del notebook.cells[2]


def _twice(notebook: NotebookNode) -> None:
    notebook.cells.append(new_code_cell("10.0", id="more", metadata=_check(notebook)))


def _check(notebook: NotebookNode) -> dict:
    return notebook.cells[2].metadata.copy()


def _forged_points(notebook: NotebookNode) -> None:
    notebook.cells[2].metadata.nbgrader.update(points=1000, grade=False, locked=False)
    notebook.cells[2].source = "1000.0"
    notebook.metadata["kernelspec"] = {"name": "evil", "display_name": "evil"}


def _retyped(notebook: NotebookNode) -> None:
    notebook.cells[2].cell_type = "markdown"
    for key in ("outputs", "execution_count"):
        del notebook.cells[2][key]
    notebook.cells[2].metadata.nbgrader["cell_type"] = "markdown"


EDITS: dict[str, Callable[[NotebookNode], None]] = {
    "tagged": _tagged,
    "without-test": _without_test,
    "twice": _twice,
    "forged-points": _forged_points,
    "retyped": _retyped,
}


@pytest.fixture(scope="module")
def ours(tmp_path_factory) -> Iterator[dict[str, float | None]]:
    folder = tmp_path_factory.mktemp("ours") / "class"
    create_class(folder, "npu101")
    config = Config()
    configure(config, str(folder / "nbgrader_config.py"))
    course = {name.replace("/", "-"): task_notebook(source(name)) for name in IN_CLASS}
    for name, edit in EDITS.items():
        course[name] = task_notebook(NOTHING)
        edit(course[name])
    course |= {"untouched": task_notebook(STARTER), "wrong": task_notebook(WRONG)}
    course |= {"nothing": task_notebook(NOTHING), "right": task_notebook(GOOD)}
    source_notebook = task_notebook(STARTER)
    graded(folder, NbGraderAPI(config=config), {"source": source_notebook, **course})
    yield scores(folder, "z1-add-check")


def test_honest_people_get_their_due_also_after_the_attacks(ours):
    assert (ours["right"], ours["wrong"]) == (10.0, 2.0)
    assert (ours["nothing"], ours["untouched"]) == (0.0, 0.0)


@pytest.mark.parametrize("name", IN_CLASS)
def test_an_attack_in_a_class_gains_nothing(ours, name):
    points = ours[name.replace("/", "-")]
    assert points is not None and points <= ours["wrong"]


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_notebook_is_worth_what_its_answer_is(ours, name):
    assert ours[name] == ours["nothing"]
