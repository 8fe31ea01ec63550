"""A small assignment, written out by hand, for tests that need no simulator."""

from __future__ import annotations

from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CHECK = "assert add(1, 2) == 3"  # what stock nbgrader would run; the judge does not
STARTER = "def add(x, y):\n    raise NotImplementedError()"


def marks(grade_id: str, **fields: Any) -> dict[str, Any]:
    """nbgrader's metadata of a cell."""
    base = {"grade": False, "solution": False, "locked": False, "task": False}
    return {"nbgrader": {**base, "schema_version": 3, "grade_id": grade_id, **fields}}


def released() -> NotebookNode:
    """Prose, set-up, answer, test cell, written answer: as learners receive it."""
    cells = [
        new_markdown_cell("# Add", id="title"),
        new_code_cell("from npusim import asc", id="setup"),
        new_code_cell(
            STARTER, id="answer", metadata=marks("t-add-answer", solution=True)
        ),
        new_code_cell(
            CHECK,
            id="check",
            metadata=marks("t-add-check", grade=True, locked=True, points=10),
        ),
        new_markdown_cell(
            "Why?",
            id="why",
            metadata=marks("t-why", grade=True, solution=True, points=2),
        ),
    ]
    return new_notebook(cells=cells)


def texts(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]
