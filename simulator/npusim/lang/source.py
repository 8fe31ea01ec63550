"""Kernel source: where its text comes from, and where in it a node lies.

`capture` takes the text of a function at decoration; `SourceText` parses it and turns
ast nodes into `Location`s. Columns are characters (ast counts UTF-8 bytes). Free names
are looked up late, when the kernel is launched.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any, NoReturn

from npusim.diagnostic import Diagnostic, Fault, KernelError, Location
from npusim.lang.tiling import TilingType, type_in_text
from npusim.lang.tree import TooDeep, Tree

MAX_CHARACTERS = 400_000
MAX_NODES = 60_000
MAX_DEPTH = 80
PARSED = 32  # texts kept: each is some thousand objects
_CELL = re.compile(r"<ipython-input-(\d+)-")


def _nothing(name: str) -> object:
    raise KeyError(name)


@dataclass(frozen=True, eq=False)
class KernelSource:
    """The text of one `@asc.jit` function.

    `text` is padded with empty lines so that line n of it is line n of the cell or
    file `filename`. `lookup(name)` gives a free name's value now, or raises KeyError.
    """

    text: str
    filename: str
    first_line: int
    name: str
    lookup: Callable[[str], object] = _nothing

    def captured(self) -> dict[str, object]:
        """Values of the free names, as they are now; unknown ones are left out."""
        from npusim.lang.free import free_names

        found = {}
        for name in free_names(self.text, self.name):
            try:
                found[name] = self.lookup(name)
            except KeyError:
                continue
        return found


def capture(function: FunctionType) -> KernelSource:
    """Take the source of `function`. KernelError ASC-JIT-02 where there is none."""
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        name = getattr(function, "__name__", str(function))
        facts = {"name": name, "found": type(function).__name__, "reason": "kind"}
        raise KernelError((_error("ASC-JIT-02", None, **facts),))
    try:
        block = inspect.getsource(function)
    except (OSError, TypeError, SyntaxError):
        name = getattr(function, "__name__", str(function))
        raise KernelError((_error("ASC-JIT-02", None, name=name),)) from None
    code = function.__code__
    first = code.co_firstlineno
    return KernelSource(
        text="\n" * (first - 1) + block,
        filename=cell_label(code.co_filename),
        first_line=first,
        name=function.__name__,
        lookup=_late_lookup(function),
    )


def _late_lookup(function: FunctionType) -> Callable[[str], object]:
    closure = dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )

    def lookup(name: str) -> object:
        if name not in closure:
            return function.__globals__[name]
        try:
            return closure[name].cell_contents
        except ValueError:  # the name is not assigned yet
            raise KeyError(name) from None

    return lookup


def cell_label(filename: str) -> str:
    """`Cell [n]` for code of a notebook cell, else the file name as it is."""
    match = _CELL.match(filename)
    if match:
        return f"Cell [{match.group(1)}]"
    number = _cell_numbers().get(filename)
    if isinstance(number, int):
        return f"Cell [{number}]"
    return "Cell" if "ipykernel_" in filename else filename


def _cell_numbers() -> dict[str, Any]:
    """IPython's map from the file names of cells to execution counts."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", None)
    return numbers if isinstance(numbers, dict) else {}


def _error(code: str, where: Location | None, **facts: Any) -> Diagnostic:
    return Diagnostic(code, "E", where, facts)


class SourceText:
    """A parsed text: its functions, and the location of each node."""

    def __init__(self, text: str, filename: str):
        self.filename = filename
        self._places: dict[ast.AST, Location] = {}  # asked for in each pass
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = text.split("\n")
        if len(text) > MAX_CHARACTERS:
            self._reject("ASC-JIT-58", limit=MAX_CHARACTERS)
        self.module = self._parse(text)
        self.tree = self._tree()
        self.functions = _functions(self.tree.nodes)
        self.functions |= _functions(self.module.body)  # top level wins
        self.tilings = _tilings(self.module.body)

    def _parse(self, text: str) -> ast.Module:
        try:
            return ast.parse(_outdented(text))
        except SyntaxError as error:
            self._syntax(error)
        except ValueError as error:  # null bytes
            self._reject("ASC-JIT-01", error=str(error))
        except (RecursionError, MemoryError):
            self._reject("ASC-JIT-58", limit=MAX_DEPTH, reason="depth")

    def _syntax(self, error: SyntaxError) -> NoReturn:
        line = min(max(error.lineno or 1, 1), max(len(self.lines), 1))
        text = self.lines[line - 1] if self.lines else ""
        column = min(max((error.offset or 1) - 1, 0), len(text))
        end = column + 1
        if error.end_lineno == error.lineno and (error.end_offset or 0) - 1 > column:
            end = min(int(error.end_offset or 0) - 1, len(text))
        where = Location(self.filename, line, column, end, text)
        raise Fault(_error("ASC-JIT-01", where, error=error.msg)) from None

    def _reject(self, code: str, **facts: Any) -> NoReturn:
        where = Location(self.filename, 1, 0, 1, self.lines[0] if self.lines else "")
        raise Fault(_error(code, where, **facts)) from None

    def _tree(self) -> Tree:
        """The nodes of the text, unless it is too large or nested too deep."""
        try:
            tree = Tree(self.module, MAX_DEPTH)
        except TooDeep:
            self._refuse_size()
        if tree.count > MAX_NODES:
            self._refuse_size()
        return tree

    def _refuse_size(self) -> NoReturn:
        """Level by level, down to the first that is too much."""
        level, depth, count = [self.module], 0, 0
        while True:
            count += len(level)
            if count > MAX_NODES:
                self._reject("ASC-JIT-58", limit=MAX_NODES, reason="nodes")
            if depth > MAX_DEPTH:
                where = next((n for n in level if hasattr(n, "lineno")), None)
                spot = self.location(where or self.module)
                facts = {"limit": MAX_DEPTH, "reason": "depth"}
                raise Fault(_error("ASC-JIT-58", spot, **facts))
            level = [c for n in level for c in ast.iter_child_nodes(n)]  # type: ignore[misc]
            depth += 1

    def location(self, node: ast.AST) -> Location:
        """The span of `node`; to the end of its first line where it spans several."""
        place = self._places.get(node)
        if place is None:
            place = self._places[node] = self._location(node)
        return place

    def _location(self, node: ast.AST) -> Location:
        number = getattr(node, "lineno", 1)
        text = self.lines[number - 1] if number <= len(self.lines) else ""
        start = _characters(text, getattr(node, "col_offset", 0))
        if getattr(node, "end_lineno", number) == number:
            end = _characters(text, getattr(node, "end_col_offset", start + 1))
        else:
            end = len(text.rstrip())
        return Location(self.filename, number, start, max(end, start + 1), text)


@lru_cache(maxsize=PARSED)
def parse(text: str, filename: str) -> SourceText:
    """A parsed text; the same one for each launch of a kernel. Raises Fault."""
    return SourceText(text, filename)


def _functions(nodes: Iterable[ast.AST]) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in nodes if isinstance(n, ast.FunctionDef)}


def _tilings(body: Iterable[ast.AST]) -> dict[str, TilingType]:
    classes = (node for node in body if isinstance(node, ast.ClassDef))
    found = {node.name: type_in_text(node) for node in classes}
    return {name: kind for name, kind in found.items() if kind is not None}


def _characters(line: str, nbytes: int) -> int:
    if line.isascii():
        return min(nbytes, len(line))
    return len(line.encode()[:nbytes].decode(errors="replace"))


def _outdented(text: str) -> str:
    """Make an indented function (of a class or function) a text that parses."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.strip():
            if index and line[0] in " \t":
                lines[index - 1] = "if 1:"
            break
    return "\n".join(lines)
