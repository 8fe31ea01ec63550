"""Executing notebooks in the tests, and the solved form of a lesson."""

from __future__ import annotations

import ast
import copy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """A copy of `notebook` with outputs, run top to bottom in `folder`."""
    made = copy.deepcopy(notebook)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(made, timeout=60, resources=resources).execute()
    return made


def outputs(notebook: NotebookNode, cell_id: str) -> str:
    """Everything that the cell printed or showed, as one text."""
    (cell,) = [c for c in notebook.cells if c.id == cell_id]
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts += [str(v) for v in output.get("data", {}).values()]
    return "\n".join(parts)


def answers(path: Path) -> dict[str, list[tuple[str, str]]]:
    """ANSWERS of solutions/lessons/<lesson>.py: cell id → (starter text, answer)."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ANSWERS":
            return ast.literal_eval(node.value)
    raise ValueError(f"{path}: defines no ANSWERS")


def solved(notebook: NotebookNode, changes: dict) -> NotebookNode:
    """A copy with the answers put in; ValueError if a place to change is not there."""
    made = copy.deepcopy(notebook)
    cells = {cell.id: cell for cell in made.cells}
    for cell_id, pairs in changes.items():
        for old, new in pairs:
            if cells[cell_id].source.count(old) != 1:
                raise ValueError(f"{cell_id}: {old!r} must stand there once")
            cells[cell_id].source = cells[cell_id].source.replace(old, new)
    return made
