"""`npucamp run FILE.ipynb`: execute a notebook as Run All does, and say where it
stops."""

from __future__ import annotations

from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode

from npucamp.commands.notebooks import read_notebook
from npucamp.speech import say


def run_notebook(path: Path, timeout_s: int) -> str:
    """Run `path` in its folder; returns the closing sentence, saves nothing.

    RuntimeError naming the cell that raised or took longer than `timeout_s`."""
    notebook = read_notebook(path)
    place = {"metadata": {"path": str(path.resolve().parent)}}
    client = NotebookClient(notebook, timeout=timeout_s, resources=place)
    try:
        client.execute()
    except CellTimeoutError as error:
        reason = f"{timeout_s} s"
        raise RuntimeError(_stopped(path, notebook, reason)) from error
    except CellExecutionError as error:
        reason = f"{error.ename}: {error.evalue.strip().splitlines()[0]}"
        raise RuntimeError(_stopped(path, notebook, reason)) from error
    return say("run-done", path=path, count=len(_code_cells(notebook)))


def _code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _stopped(path: Path, notebook: NotebookNode, reason: str) -> str:
    ran = [i for i, c in enumerate(notebook.cells, 1) if c.get("execution_count")]
    failed = [
        index
        for index, cell in enumerate(notebook.cells, 1)
        if any(o.output_type == "error" for o in cell.get("outputs", ()))
    ]
    cell = (failed or ran or [1])[-1]
    return say("run-cell", path=path, cell=cell, reason=reason)
