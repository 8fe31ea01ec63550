"""Notebooks whose bytes depend on their source alone.

Fixed cell ids, no outputs, one kernelspec, sorted JSON: two builds give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# a line end and indentation between two Chinese characters or marks; between a mark and
# a word, a number, code or emphasis, but not before an item of a list
_MARKS = "\u3000-\u303f\uff01-\uff60"
_CHINESE = rf"{_MARKS}\u4e00-\u9fff"
_QUOTES = "\u2014\u2018-\u201d\u2026"
_CHINESE_BREAK = re.compile(
    rf"(?<=[{_CHINESE}])\n[ ]*(?=[{_CHINESE}{_QUOTES}])"
    rf"|(?<=[{_QUOTES}])\n[ ]*(?=[{_CHINESE}])"
    rf"|(?<=[{_MARKS}])\n[ ]*(?=[`\w($]|\*+[^\s*])(?!\d+[.)] )"
)
KERNELSPEC = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
_MAKERS = {
    "code": new_code_cell,
    "markdown": new_markdown_cell,
    "raw": new_raw_cell,
}


def make_cell(
    kind: str, text: str, cell_id: str, metadata: Mapping[str, Any]
) -> NotebookNode:
    """A cell with a fixed id; ValueError for an id that nbformat would refuse."""
    if not CELL_ID.fullmatch(cell_id):
        raise ValueError(f"cell id {cell_id!r}: 1 to 64 of a-z A-Z 0-9 - _")
    if kind == "markdown":
        text = join_chinese_lines(text)
    return _MAKERS[kind](text, id=cell_id, metadata=dict(metadata))


def join_chinese_lines(text: str) -> str:
    """`text` without the line ends inside Chinese paragraphs: a browser shows each as
    a space between two characters."""
    return _CHINESE_BREAK.sub("", text)


def make_notebook(
    cells: Iterable[NotebookNode], metadata: Mapping[str, Any]
) -> NotebookNode:
    """A notebook for the kernel python3; ValueError if two cells share an id."""
    cells = list(cells)
    seen: set[str] = set()
    for cell in cells:
        if cell.id in seen:
            raise ValueError(f"two cells have the id {cell.id!r}")
        seen.add(cell.id)
    common = {"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}}
    notebook = new_notebook(cells=cells, metadata={**common, **metadata})
    notebook.nbformat_minor = 5
    return notebook


def notebook_text(notebook: NotebookNode) -> str:
    """The bytes to commit, as text: valid by nbformat's schema, one newline at the
    end."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n"
