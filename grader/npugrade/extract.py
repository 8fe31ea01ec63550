"""From the cells of a notebook to the definitions that a task's entry needs.

Names are found in the syntax trees, never by running anything. Top-level statements
are followed transitively: functions with their decorators, constants, imports,
classes. A name inside a function body means its latest definition; a name used while
a statement runs means the latest one before it, as in a notebook executed in order.
A syntax error matters only in a cell that would define a needed name.

Left out: bare expression statements (launches, prints, pictures), so a definition
that only works after a side effect of such a line is not supported.
"""

from __future__ import annotations

import ast
import hashlib
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from npugrade.cells import Cell, SourceError, parse_cell
from npugrade.statements import first_line, parts_by_lines

_GUESS = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]*)?=", re.M)
_COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match, ast.AugAssign)
_EAGER_TABLES = ("listcomp", "genexpr", "setcomp", "dictcomp")


@dataclass(frozen=True)
class Unit:
    """Top-level statements that share lines: where they stand and what they name.

    `rebinds` are names the unit may leave as they were (`if`, `x[0] = …`, `x += …`).
    """

    label: str
    line: int
    text: str
    nodes: tuple[ast.stmt, ...] = field(compare=False)
    cell_text: str = field(default="", repr=False)
    binds: frozenset[str] = frozenset()
    rebinds: frozenset[str] = frozenset()
    eager: frozenset[str] = frozenset()
    lazy: frozenset[str] = frozenset()
    error: SourceError | None = None

    @property
    def end_line(self) -> int:
        return self.line + self.text.count("\n")

    def line_of(self, name: str) -> int:
        """The line that defines the function `name`; else the unit's first line."""
        lines = [n.lineno for n in self.nodes if getattr(n, "name", "") == name]
        return lines[-1] if lines else self.line


@dataclass(frozen=True)
class KernelText:
    """A kernel's source alone, on the line numbers of its cell."""

    name: str
    label: str
    text: str
    free_names: tuple[str, ...]


@dataclass(frozen=True)
class Hole:
    """A place of the starter that still stands: `raise NotImplementedError()`."""

    label: str
    line: int


@dataclass(frozen=True)
class Extraction:
    """The needed units in order, and what is wrong with them."""

    units: tuple[Unit, ...]
    missing: tuple[str, ...] = ()
    errors: tuple[SourceError, ...] = ()

    @property
    def text(self) -> str:
        """All units as one text."""
        return "\n".join(unit.text for unit in self.units) + "\n"

    @property
    def origins(self) -> tuple[tuple[str, int], ...]:
        """For every line of `text`: (label, line in that cell)."""
        return tuple(
            (unit.label, line)
            for unit in self.units
            for line in range(unit.line, unit.end_line + 1)
        )

    @property
    def kernels(self) -> Mapping[str, KernelText]:
        """The `jit` functions by name; the latest definition of each."""
        found = (_kernels(unit) for unit in self.units)
        return {kernel.name: kernel for kernels in found for kernel in kernels}

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple(
            Hole(unit.label, node.lineno + unit.line - 1)
            for unit in self.units
            for node in ast.walk(ast.parse(unit.text))
            if isinstance(node, ast.Raise) and _is_hole(node)
        )

    @property
    def fingerprint(self) -> str:
        """A hash of the functions' syntax: comments and layout do not count."""
        trees = sorted(" ".join(_syntax(n)) for u in self.units for n in u.nodes)
        return hashlib.sha256("\n".join(trees).encode()).hexdigest()

    def imported_modules(self) -> tuple[str, ...]:
        """Top-level names of the modules that the units import, sorted."""
        nodes = (n for u in self.units for top in u.nodes for n in ast.walk(top))
        return tuple(sorted({name for node in nodes for name in _modules(node)}))


def extract(cells: Sequence[Cell], names: Iterable[str]) -> Extraction:
    """The definitions that `names` need, found in `cells` (later cells win)."""
    units = [unit for cell in cells for unit in _units(cell)]
    index = _Index(units)
    wanted, missing = index.closure(tuple(names))
    chosen = [units[position] for position in sorted(wanted)]
    errors = tuple(unit.error for unit in chosen if unit.error is not None)
    good = tuple(unit for unit in chosen if unit.error is None)
    return Extraction(good, missing, errors)


class _Index:
    """Which unit a name means, seen from a position."""

    def __init__(self, units: Sequence[Unit]):
        self.units = units
        self.binders: dict[str, list[int]] = {}
        for position, unit in enumerate(units):
            for name in unit.binds:
                self.binders.setdefault(name, []).append(position)

    def latest(self, name: str) -> int | None:
        return self.binders.get(name, [None])[-1]

    def before(self, name: str, position: int) -> int | None:
        earlier = [p for p in self.binders.get(name, ()) if p < position]
        return earlier[-1] if earlier else None

    def needs(self, position: int) -> set[int]:
        """Positions that the unit at `position` depends on."""
        unit = self.units[position]
        found: set[int | None] = {self.latest(name) for name in unit.lazy}
        for name in unit.eager:
            earlier = self.before(name, position)
            found.add(self.latest(name) if earlier is None else earlier)
        found |= {self.before(name, position) for name in unit.rebinds}
        return {p for p in found if p is not None}

    def closure(self, names: tuple[str, ...]) -> tuple[set[int], tuple[str, ...]]:
        starts = {name: self.latest(name) for name in names}
        missing = tuple(name for name, position in starts.items() if position is None)
        todo = [p for p in starts.values() if p is not None]
        todo += self.binders.get("*", [])
        wanted: set[int] = set()
        while todo:
            position = todo.pop()
            if position not in wanted:
                wanted.add(position)
                todo.extend(self.needs(position))
        return wanted, missing


# ----------------------------------------------------------------- one cell's units
def _units(cell: Cell) -> list[Unit]:
    text, tree = parse_cell(cell)
    if isinstance(tree, SourceError):
        return [_broken(cell.label, 1, cell.text, tree)]
    lines = text.split("\n")
    parts = parts_by_lines(tree.body, lines)
    return [_unit(cell.label, text, *part) for part in parts]


def _broken(label: str, line: int, text: str, error: SourceError) -> Unit:
    """A text that does not parse, with the names it seems to define."""
    names = frozenset(a or b for a, b in _GUESS.findall(text))
    return Unit(label, line, text, (), binds=names, error=error)


def _unit(label: str, cell_text: str, lines: list[str], nodes: list[ast.stmt]) -> Unit:
    first, last = first_line(nodes[0]), nodes[-1].end_lineno or nodes[-1].lineno
    text = "\n".join(lines[first - 1 : last])
    try:
        names = _Names(text, nodes)
    except SyntaxError as error:  # a part of a line that cannot stand there
        located = SourceError(label, first, text[:200], error.msg)
        return _broken(label, first, text, located)
    return Unit(label, first, text, tuple(nodes), cell_text, **names.as_fields())


class _Names:
    """Names that a unit binds and reads, by Python's own scope analysis."""

    def __init__(self, text: str, nodes: Sequence[ast.stmt]):
        top = symtable.symtable(text, "cell", "exec")
        symbols = top.get_symbols()
        self.binds = {s.get_name() for s in symbols if _is_bound(s)}
        self.eager = {s.get_name() for s in symbols if s.is_referenced()}
        self.lazy: set[str] = set()
        for child in top.get_children():
            self._visit(child, late=False)
        stored = {n for node in nodes for n in _stored_roots(node)}
        star = any(_is_star(node) for node in nodes)
        self.binds |= stored | ({"*"} if star else set())
        may_keep = any(isinstance(node, _COMPOUND) for node in nodes)
        self.rebinds = self.binds if may_keep else stored

    def _visit(self, table: symtable.SymbolTable, late: bool) -> None:
        eager_kind = table.get_type() == "class" or table.get_name() in _EAGER_TABLES
        late = late or not eager_kind
        outer = {s.get_name() for s in table.get_symbols() if s.is_global()}
        (self.lazy if late else self.eager).update(outer)
        for child in table.get_children():
            self._visit(child, late)

    def as_fields(self) -> dict[str, Any]:
        return {
            key: frozenset(getattr(self, key))
            for key in ("binds", "rebinds", "eager", "lazy")
        }


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _is_star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _stored_roots(node: ast.stmt) -> set[str]:
    """Names whose object a statement changes: `x[0] = …`, `x.field = …`."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return set()
    roots = set()
    for target in ast.walk(node):
        if not isinstance(target, (ast.Subscript, ast.Attribute)):
            continue
        if isinstance(target.ctx, ast.Store):
            roots.add(_root(target))
    return roots - {""}


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


# ------------------------------------------------------------------ kernels, holes
def _kernels(unit: Unit) -> list[KernelText]:
    return [
        _kernel_text(unit, node)
        for node in unit.nodes
        if isinstance(node, ast.FunctionDef) and _is_jit(node)
    ]


def _is_jit(node: ast.FunctionDef) -> bool:
    plain = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    return any(getattr(d, "attr", getattr(d, "id", "")) == "jit" for d in plain)


def _kernel_text(unit: Unit, node: ast.FunctionDef) -> KernelText:
    first, last = first_line(node), node.end_lineno or node.lineno
    lines = unit.cell_text.split("\n")
    kept = [
        line if first <= number <= last else ""
        for number, line in enumerate(lines, start=1)
    ]
    free = tuple(sorted((unit.eager | unit.lazy) - {"*"}))
    return KernelText(node.name, unit.label, "\n".join(kept) + "\n", free)


def _is_hole(node: ast.Raise) -> bool:
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _syntax(tree: ast.AST) -> Iterator[str]:
    """A tree as words, without recursion (learners nest as deep as they like) and
    without empty fields (each version of Python has others)."""
    todo: list[Any] = [tree]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.AST):
            pairs = [(k, v) for k, v in ast.iter_fields(part) if v not in (None, [])]
            yield f"{type(part).__name__}({len(pairs)}"
            todo += [entry for pair in reversed(pairs) for entry in reversed(pair)]
        elif isinstance(part, list):
            yield f"[{len(part)}"
            todo += reversed(part)
        else:  # hex: an int of any length, where repr has a limit
            yield hex(part) if type(part) is int else ascii(part)


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.split(".")[0]]
    return []
