"""Only text crosses from a submission into the released notebook."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from npugrade.nbgrader.graft import MISSING_ANSWER, graft
from npugrade.nbgrader.submission import read_cells

from .small_assignment import CHECK, STARTER, marks, released, texts

ANSWER = "def add(x, y):\n    return x + y"


def rebuild(edit: Callable[[NotebookNode], object]) -> NotebookNode:
    submitted = released()
    submitted.cells[2].source = ANSWER
    edit(submitted)
    return graft(released(), read_cells(submitted))


def honest() -> NotebookNode:
    return rebuild(lambda notebook: None)


def test_an_answer_crosses_over_and_nothing_else_changes():
    expected = released()
    expected.cells[2].source = ANSWER
    expected.cells[4].source = "Why?"
    assert honest() == expected


def test_an_untouched_submission_gives_the_released_notebook():
    assert graft(released(), read_cells(released())) == released()


def _tag_everything(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["tags"] = ["skip-execution", "raises-exception"]


def _forge_marks(notebook: NotebookNode) -> None:
    notebook.cells[3].metadata.nbgrader.update(points=1000, grade=False, locked=False)
    notebook.cells[3].source = "100.0"
    notebook.cells[3].outputs = [{"output_type": "execute_result"}]


def _duplicate_check(notebook: NotebookNode) -> None:
    twin = deepcopy(notebook.cells[3])
    twin.update(source="1.0", id="twin")
    notebook.cells[:0] = [twin, twin]


def _retype_check(notebook: NotebookNode) -> None:
    notebook.cells[3] = new_markdown_cell("x", id="m", metadata=marks("t-add-check"))


def _foreign_kernel(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = {"name": "evil", "display_name": "e"}


def _strip_marks(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = NotebookNode()


@pytest.mark.parametrize(
    "edit",
    [
        _tag_everything,
        _forge_marks,
        _duplicate_check,
        _retype_check,
        _foreign_kernel,
        _strip_marks,
        lambda notebook: notebook.cells.pop(3),
        lambda notebook: notebook.cells.pop(0),
        lambda notebook: notebook.cells.reverse(),
        lambda notebook: notebook.metadata.update(npucamp={"refused": ""}),
    ],
)
def test_marks_tags_and_locked_cells_do_not_matter(edit):
    assert rebuild(edit) == honest()


def test_a_retyped_answer_is_still_the_answer():
    def retype(notebook: NotebookNode) -> None:
        answer = notebook.cells[2]
        notebook.cells[2] = new_markdown_cell(ANSWER, metadata=answer.metadata)

    assert texts(rebuild(retype)) == texts(honest())
    assert rebuild(retype).cells[2].cell_type == "code"


def test_further_code_cells_stay_where_they_were():
    def add_cells(notebook: NotebookNode) -> None:
        notebook.cells.insert(2, new_code_cell("TILE = 256"))
        notebook.cells.insert(0, new_code_cell("import math"))
        notebook.cells.append(new_code_cell("print(1)"))
        notebook.cells.append(new_markdown_cell("<b>my notes</b>"))
        notebook.cells.append(new_code_cell("  "))

    rebuilt = rebuild(add_cells)
    assert texts(rebuilt) == [
        "import math",
        "# Add",
        "from npusim import asc",
        "TILE = 256",
        ANSWER,
        CHECK,
        "Why?",
        "print(1)",
    ]
    assert [cell.id for cell in rebuilt.cells][:4] == [
        "learner-0",
        "title",
        "setup",
        "learner-3",
    ]


def test_a_second_answer_cell_is_a_further_code_cell():
    def split(notebook: NotebookNode) -> None:
        second = deepcopy(notebook.cells[2])
        second.update(source="OTHER = 1", id="second")
        notebook.cells.insert(3, second)

    assert texts(rebuild(split))[2:4] == [ANSWER, "OTHER = 1"]
    assert rebuild(split).cells[3].metadata == {}


def test_an_edited_set_up_cell_comes_after_the_released_one():
    def edit(notebook: NotebookNode) -> None:
        notebook.cells[1].source = "from npusim import asc\nN = 8"

    assert texts(rebuild(edit))[1:3] == [
        "from npusim import asc",
        "from npusim import asc\nN = 8",
    ]


def test_a_deleted_answer_leaves_no_starter_behind():
    """Else the starter would override an answer given in another cell."""

    def move(notebook: NotebookNode) -> None:
        notebook.cells[2] = new_code_cell(ANSWER)

    assert texts(rebuild(move))[2:4] == [ANSWER, MISSING_ANSWER]
    assert STARTER not in texts(rebuild(move))


def test_further_cells_carry_no_metadata():
    def mark(notebook: NotebookNode) -> None:
        cell = new_code_cell("1.0", metadata=marks("mine", grade=True, points=50))
        notebook.cells.append(cell)

    assert rebuild(mark).cells[-1].metadata == {}


def test_written_answers_cross_over_without_html():
    def write(notebook: NotebookNode) -> None:
        notebook.cells[4].source = "a < b <script>alert(1)</script> [x](JavaScript:y)"

    shown = rebuild(write).cells[4].source
    assert shown == "a < b &lt;script>alert(1)&lt;/script> [x](JavaScript :y)"
