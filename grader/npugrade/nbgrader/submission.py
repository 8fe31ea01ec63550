"""Reading a submitted notebook, whatever it holds.

A file that a learner wrote may be no JSON, nested without end, or carry metadata of any
shape. Reading never fails here: what cannot be read becomes an empty notebook whose
metadata says why (`refused`), so that the submission gets its verdict and the class
goes on. Only cell type, id, text and plain nbgrader fields are kept; outputs are
dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TextIO

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook

MAX_FILE_CHARACTERS = 100_000_000  # nbgrader's own limit for a submitted file
MAX_SOURCE_CHARACTERS = 1_000_000  # all cells together; a long answer has 20,000
_NOTEBOOK_FIELDS = ("kernelspec", "language_info", "npucamp")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")  # as the notebook format has it
_CELL_TYPES = ("code", "markdown", "raw")


@dataclass(frozen=True)
class SubmittedCell:
    """The parts of a submitted cell that may cross over: type, ids and text."""

    cell_type: str
    grade_id: str | None
    cell_id: str | None
    source: str


def read_cells(notebook: NotebookNode) -> list[SubmittedCell]:
    """The cells of a notebook read by `read_notebook`, in order."""
    return [
        SubmittedCell(
            cell.cell_type,
            cell.metadata.get("nbgrader", {}).get("grade_id"),
            cell.get("id"),
            cell.source,
        )
        for cell in notebook.cells
    ]


def refusal(notebook: NotebookNode) -> str:
    """Why the submission was not read (`unreadable`, `too-large`), or ''."""
    return str(notebook.metadata.get("npucamp", {}).get("refused", ""))


def refused_notebook(reason: str) -> NotebookNode:
    """An empty notebook that carries the reason for its emptiness."""
    return new_notebook(metadata={"npucamp": {"refused": reason}})


def read_notebook(stream: TextIO) -> NotebookNode:
    """A plain notebook from a file; one marked `refused` where it cannot be read."""
    try:
        text = stream.read(MAX_FILE_CHARACTERS + 1)
        if len(text) > MAX_FILE_CHARACTERS:
            return refused_notebook("too-large")
        notebook = _plain_notebook(nbformat.reads(text, as_version=4))
    except (Exception, MemoryError):  # any shape of file is the submission's own fault
        return refused_notebook("unreadable")
    if sum(len(cell.source) for cell in notebook.cells) > MAX_SOURCE_CHARACTERS:
        return refused_notebook("too-large")
    return notebook


class SubmissionExporter(NotebookExporter):
    """nbgrader's exporter of autograding, with `read_notebook` as its reader."""

    def from_file(
        self, file_stream: TextIO, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """The notebook of `file_stream` after the preprocessors."""
        notebook = read_notebook(file_stream)
        return self.from_notebook_node(notebook, resources=resources, **kw)


def _plain_notebook(notebook: NotebookNode) -> NotebookNode:
    metadata = {name: _plain(notebook.metadata.get(name)) for name in _NOTEBOOK_FIELDS}
    plain = new_notebook(metadata={name: v for name, v in metadata.items() if v})
    plain.cells = [_plain_cell(cell) for cell in notebook.cells]
    return plain


def _plain_cell(cell: NotebookNode) -> NotebookNode:
    kind = cell.cell_type if cell.cell_type in _CELL_TYPES else "raw"
    make = getattr(nbformat.v4, f"new_{kind}_cell")
    marks = _plain(cell.metadata.get("nbgrader"))
    fields = {"id": cell.id} if _is_cell_id(cell.get("id")) else {}
    metadata = {"nbgrader": marks} if marks else {}
    return make(_clean(cell.source), metadata=metadata, **fields)


def _is_cell_id(value: object) -> bool:
    return isinstance(value, str) and bool(_CELL_ID.fullmatch(value))


def _plain(value: object) -> dict[str, Any]:
    """The entries of a mapping that are text, numbers or booleans; else nothing."""
    if not isinstance(value, dict):
        return {}
    kept = {
        name: v for name, v in value.items() if isinstance(v, str | bool | int | float)
    }
    return {
        _clean(name): _clean(v) if isinstance(v, str) else v for name, v in kept.items()
    }


def _clean(text: str) -> str:
    """`text` without what a file in UTF-8 or a database cannot hold."""
    return (
        text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        .encode("utf-8", "replace")
        .decode()
    )
