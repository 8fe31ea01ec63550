"""Executing notebooks in the tests, two at a time, and the solved form of a lesson."""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

CELL_TIMEOUT_S = 120  # a safety net on a loaded machine, no measure of speed


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


@dataclass(frozen=True)
class Executed:
    """A notebook with its outputs, and the state folder that it used."""

    notebook: NotebookNode
    home: Path

    def cell(self, cell_id: str) -> NotebookNode:
        (cell,) = [c for c in self.notebook.cells if c.id == cell_id]
        return cell

    def outputs(self, cell_id: str) -> str:
        """Everything that the cell printed or showed, as one text."""
        return output_text(self.cell(cell_id))

    def shown(self) -> str:
        """Everything that any cell printed or showed."""
        cells = [c for c in self.notebook.cells if c.cell_type == "code"]
        return "\n".join(map(output_text, cells))

    def error_streams(self) -> list[tuple[str, str]]:
        """(cell, text) of what went to stderr: a learner would see it in red."""
        return [
            (cell.id, output.text)
            for cell in self.notebook.cells
            for output in cell.get("outputs", ())
            if output.output_type == "stream" and output.name == "stderr"
        ]


def output_text(cell: NotebookNode) -> str:
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts += [str(v) for v in output.get("data", {}).values()]
    return "\n".join(parts)


def execute(notebook: NotebookNode, folder: Path) -> Executed:
    """A copy of `notebook` run top to bottom in the empty `folder`, with a state folder
    of its own."""
    made, home = copy.deepcopy(notebook), folder / "state"
    folder.mkdir(parents=True, exist_ok=True)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(made, timeout=CELL_TIMEOUT_S, resources=resources)
    client.execute(env={**os.environ, "NPUCAMP_HOME": str(home)})
    return Executed(made, home)


class Runs:
    """Executions by key, started when first asked for all of them, two at a time.

    A kernel waits much of its life for its start and for its front end, so that two
    share two cores well."""

    def __init__(self, folder: Path, make: Callable[[tuple], NotebookNode]) -> None:
        self._folder, self._make = folder, make
        self._pool = ThreadPoolExecutor(2)
        self._started: dict[tuple, Future[Executed]] = {}

    def start(self, keys: list[tuple]) -> None:
        for key in keys:
            if key not in self._started:
                self._started[key] = self._pool.submit(self._run, key)

    def get(self, key: tuple) -> Executed:
        self.start([key])
        return self._started[key].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _run(self, key: tuple) -> Executed:
        return execute(self._make(key), self._folder / "-".join(key))


# ------------------------------------------------------------------------------ solved
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
