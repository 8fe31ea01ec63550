"""Does a solution stand in anything that a learner receives?

A leak is a run of `RUN` consecutive statements of one solution, with names, spaces and
comments normalised. Statements that the learner is given anyway (in the starter, or in
a lesson's code) are left out on both sides before runs are compared, so that neither
can hide a leak nor make one. Text is also read line by line: prose, strings, comments.

Left out: the operator library, public as in life; solutions put into other words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat

RUN = 4
_EXEMPT = re.compile(r"(^|/)npusim/ops/")
_READABLE = (".py", ".ipynb", ".md", ".toml", ".json", ".txt", ".csv")

Run = tuple[str, ...]


@dataclass(frozen=True)
class Leak:
    """A run of a solution's statements found in a file that learners receive."""

    solution: str
    where: str
    statements: Run

    def __str__(self) -> str:
        return f"{self.where}: holds {RUN} statements of {self.solution}: " + "; ".join(
            self.statements
        )


# ------------------------------------------------------------------------ statements
class _Anonymous(ast.NodeTransformer):
    """Every name that a learner may choose becomes `_`; attributes stay."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("_", node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg("_")


def statements(text: str) -> list[str]:
    """The normalised statements of the Python `text`, in order; compound ones give
    their head. [] for text that is no Python."""
    try:
        return list(_flat(ast.parse(text).body))
    except (SyntaxError, ValueError):
        return []


def line_statements(text: str) -> list[str]:
    """The statements that stand on one line each: in prose, strings and comments
    too."""
    return [s for line in text.splitlines() for s in _line_statements(line)]


def _line_statements(line: str) -> list[str]:
    """The statement on one line of prose, if it is one; a head like `for …:` too."""
    stripped = line.strip().lstrip("#").strip()
    for candidate in (stripped, f"{stripped} pass"):
        try:
            body = ast.parse(candidate).body
        except (SyntaxError, ValueError):
            continue
        return [_head(s) for s in body if not _is_bare_word(s)]
    return []


def _is_bare_word(statement: ast.stmt) -> bool:
    plain = (ast.Name, ast.Constant, ast.Tuple)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, plain)


def _flat(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if _is_bare_word(statement):
            continue
        yield _head(statement)
        for field in ("body", "handlers", "orelse", "finalbody"):
            yield from _flat(getattr(statement, field, ()))


def _head(statement: ast.AST) -> str:
    """The statement without what is nested in it, names normalised."""
    parts = [type(statement).__name__]
    for field, value in ast.iter_fields(statement):
        if field not in ("body", "handlers", "orelse", "finalbody", "name"):
            values = value if isinstance(value, list) else [value]
            parts += [_plain(v) for v in values]
    return " ".join(parts)


def _plain(value: object) -> str:
    if not isinstance(value, ast.AST):
        return "" if value is None else repr(value)
    copy = ast.parse(ast.unparse(value)) if isinstance(value, ast.expr) else value
    return ast.unparse(_Anonymous().visit(copy)) if copy is not None else ""


# ---------------------------------------------------------------------------- search
def runs(text: str, given: frozenset[str]) -> set[Run]:
    """Every run of `RUN` consecutive statements of `text` that are not `given`."""
    views = (statements(text), line_statements(text))
    own = ([line for line in view if line not in given] for view in views)
    return {tuple(v[i : i + RUN]) for v in own for i in range(len(v) - RUN + 1)}


def find_leaks(
    solutions: Mapping[str, str], received: Mapping[str, str], given: Iterable[str]
) -> list[Leak]:
    """Leaks of `solutions` (name → text) in `received` (name → text).

    `given`: texts of starters and lessons, whose statements everyone has."""
    views = (view(text) for text in given for view in (statements, line_statements))
    known = frozenset(statement for view in views for statement in view)
    secret = {name: runs(text, known) for name, text in solutions.items()}
    leaks = []
    for where, text in sorted(received.items()):
        if _EXEMPT.search(where):
            continue
        present = runs(text, known)
        for name, own in sorted(secret.items()):
            leaks += [Leak(name, where, run) for run in sorted(own & present)]
    return leaks


# ----------------------------------------------------------------------------- files
def parts_of(path: Path, text: str) -> dict[str, str]:
    """What to read in a file: of a notebook, its code and its prose apart."""
    if path.suffix != ".ipynb":
        return {"": text}
    cells = nbformat.reads(text, as_version=4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    prose = [cell.source for cell in cells if cell.cell_type != "code"]
    return {"": "\n".join(code), "#prose": "\n".join(prose)}


def read_texts(root: Path, paths: Iterable[Path]) -> dict[str, str]:
    """Path below `root` → text, for the kinds of file that can hold code."""
    texts: dict[str, str] = {}
    for path in paths:
        if path.is_file() and path.suffix in _READABLE:
            name = path.relative_to(root).as_posix()
            parts = parts_of(path, path.read_text(encoding="utf-8"))
            texts |= {name + suffix: text for suffix, text in parts.items()}
    return texts


def solution_texts(root: Path) -> dict[str, str]:
    """Every Python file under solutions/: masters, bases, mutants, lesson answers."""
    return read_texts(root, sorted((root / "solutions").rglob("*.py")))


def received_texts(root: Path) -> dict[str, str]:
    """What learners get of the clone: lessons with their sources, exercises,
    packages."""
    folders = ("course", "exercises", "simulator", "grader")
    paths = [p for f in folders for p in sorted((root / f).rglob("*"))]
    return read_texts(root, (p for p in paths if "__pycache__" not in p.parts))


def given_texts(root: Path) -> list[str]:
    """Code that is given on purpose: lesson sources and starters."""
    lessons = read_texts(root, sorted((root / "course" / "src").glob("*.py")))
    starters = read_texts(root, sorted((root / "exercises").rglob("*.ipynb")))
    return [*lessons.values(), *starters.values()]


def scan(root: Path) -> list[Leak]:
    """The leaks in the clone `root`."""
    return find_leaks(solution_texts(root), received_texts(root), given_texts(root))
