"""Putting an assignment's master notebook into a class.

The master comes from the clone's `solutions/`; the class keeps its own copy, which an
instructor may edit. An edited or older copy is replaced only on request, and then kept
beside the new one.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from npugrade.classroom.errors import ClassError
from npugrade.classroom.gradebook import enter_assignment
from npugrade.classroom.settings import GRADEBOOK, load_settings
from npugrade.draw import class_key

_DRAW = re.compile(r"draw\(\"([a-z0-9-]+)\"\)")


def assign(
    folder: Path, assignment: str, notebook: NotebookNode, *, replace: bool = False
) -> Path:
    """Enter the deadline of `assignment` and write `notebook` as its source; its path.

    ClassError if the class has another version of it and `replace` is not set; the
    deadline is entered all the same.
    """
    settings = load_settings(folder)
    deadline = settings.deadlines.get(assignment)
    enter_assignment(folder / GRADEBOOK, settings.course, assignment, deadline)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = with_class_key(cell.source, settings.seed)
    path = folder / "source" / assignment / f"{assignment}.ipynb"
    text = nbformat.writes(notebook, version=nbformat.NO_CONVERT)
    if path.exists() and path.read_text("utf-8") != text:
        if not replace:
            raise ClassError("source-differs", path=path)
        path.rename(_free_name(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def with_class_key(source: str, seed: str) -> str:
    """`draw("…")` with the key of the class, so that learners draw what is graded."""
    return _DRAW.sub(rf'draw("\1", key="{class_key(seed)}")', source)


def _free_name(path: Path) -> Path:
    """`name.ipynb.1`, or the first number that is free."""
    number = 1
    while path.with_name(f"{path.name}.{number}").exists():
        number += 1
    return path.with_name(f"{path.name}.{number}")
