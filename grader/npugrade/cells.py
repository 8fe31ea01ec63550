"""A notebook cell as plain Python: magics, shell lines and help lines taken out.

Nothing is run. A cell that is already valid Python is left as it is; otherwise lines
that only IPython understands become comments, so that line numbers stay true.
"""

from __future__ import annotations

import ast
import re
import symtable
from dataclasses import dataclass

# Cell magics whose body is ordinary Python of the notebook; any other one (`%%bash`,
# `%%writefile`, …) makes the whole cell foreign text.
PYTHON_CELL_MAGICS = ("time", "timeit", "capture", "prun")

_ASSIGNED = re.compile(r"^(\s*[A-Za-z_][\w.,\s]*=\s*)[!%].*$")
_LINE = re.compile(r"^(\s*)(?:[!%?].*|[\w.]+\?{1,2}\s*;?)$")


@dataclass(frozen=True)
class Cell:
    """A piece of source: `label` is what a reader calls it (`Cell [5]`)."""

    label: str
    text: str


@dataclass(frozen=True)
class SourceError:
    """A syntax error in a cell: 1-based line, the line's text, Python's message."""

    label: str
    line: int
    text: str
    message: str


def parse_cell(cell: Cell) -> tuple[str, ast.Module | SourceError]:
    """The cell's Python text (same line numbers) and its tree, or the error in it.

    Lines end in newlines alone. Scopes are checked too: what Python refuses only after
    parsing (`def f(x, x)`, a late `global`) is an error here.
    """
    error, whole = None, with_plain_line_ends(cell.text)
    for text in (whole, without_magics(whole)):
        try:
            tree = ast.parse(text)
            symtable.symtable(text, cell.label, "exec")
            return text, tree
        except (SyntaxError, ValueError, RecursionError, MemoryError) as caught:
            error = _located(cell, text, caught)
    assert error is not None
    return whole, error


def with_plain_line_ends(text: str) -> str:
    """`text` with the line ends of Windows and old Macs made newlines, as Python does:
    line numbers then mean the same to `ast` and to whoever splits the text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _located(cell: Cell, text: str, error: BaseException) -> SourceError:
    line = getattr(error, "lineno", None) or 1
    lines = text.splitlines()
    shown = lines[line - 1] if line <= len(lines) else ""
    message = getattr(error, "msg", None) or str(error) or type(error).__name__
    return SourceError(cell.label, line, shown[:200], message[:200])


def without_magics(text: str) -> str:
    """`text` with every IPython line made a comment; as many lines as before."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].lstrip().startswith("%%"):
        name = lines[first].lstrip()[2:].split()[:1]
        if not name or name[0] not in PYTHON_CELL_MAGICS:
            return "\n".join("#" for _ in lines)
        lines[first] = "#"
    return "\n".join(_plain_lines(lines))


def _plain_lines(lines: list[str]) -> list[str]:
    result, continued = [], False
    for line in lines:
        assigned, whole = _ASSIGNED.match(line), _LINE.match(line)
        if continued:
            result.append("#")
        elif assigned:
            result.append(assigned.group(1) + "None  #")
        elif whole:
            result.append(whole.group(1) + "pass  #")
        else:
            result.append(line)
        continued = bool(continued or assigned or whole) and line.endswith("\\")
    return result
