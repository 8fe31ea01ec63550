"""Text form of a notebook (jupytext py:percent) → cells that know their line.

Models the reading only: `# %%` markers with `[markdown]` and key="value" attributes,
and the `# ---` header. jupytext does the parsing; this adds the line of each marker, so
that every later complaint can name file and line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import jupytext

_MARKER = re.compile(r"^# %%", re.MULTILINE)
_NOISE = ("lines_to_next_cell", "lines_to_end_of_cell_marker", "title")


class SourceError(ValueError):
    """A source file of a lesson or assignment is wrong; says file, line and cure."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")


@dataclass(frozen=True)
class SourceCell:
    """One cell of the text form: kind is "code", "markdown" or "raw"."""

    kind: str
    text: str
    attributes: Mapping[str, Any]
    line: int


@dataclass(frozen=True)
class Source:
    """A whole text notebook: its header (the `jupyter:` table) and its cells."""

    path: Path
    header: Mapping[str, Any]
    cells: tuple[SourceCell, ...]

    def fail(self, cell: SourceCell, message: str) -> SourceError:
        """The error to raise about `cell`."""
        return SourceError(self.path, cell.line, message)


def read_source(path: Path) -> Source:
    """Read a py:percent file; SourceError if jupytext cannot."""
    return _parsed(path, path.read_text(encoding="utf-8"))


@lru_cache(maxsize=128)
def _parsed(path: Path, text: str) -> Source:
    try:
        notebook = jupytext.reads(text, fmt="py:percent")
    except Exception as error:
        raise SourceError(path, 1, f"jupytext cannot read this file: {error}") from None
    lines = [text.count("\n", 0, m.start()) + 1 for m in _MARKER.finditer(text)]
    cells = list(notebook.cells)
    if len(cells) != len(lines):
        line = lines[0] if lines else 1
        raise SourceError(path, line, 'every cell starts with "# %%", also the first')
    return Source(path, notebook.metadata, tuple(map(_source_cell, cells, lines)))


def _source_cell(cell: Any, line: int) -> SourceCell:
    attributes = {k: v for k, v in cell.metadata.items() if k not in _NOISE}
    return SourceCell(cell.cell_type, cell.source, attributes, line)
