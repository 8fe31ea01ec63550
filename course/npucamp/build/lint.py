"""Is a lesson in the course's form? What a program can see of it, as located lines.

Looks at the built notebook, the lesson's data file and, for interactive views, at
nothing that needs a run. Left out: whether the lesson is true (the notebook tests run
it) and whether it is good (readers).
"""

from __future__ import annotations

import ast
import re
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

from npucamp.coursemap import helper_calls
from npucamp.material import Material

MOST_CELLS, MOST_LINES, MEDIAN_LINES = 60, 25, 6
FEWEST = {"predict": 2, "quiz": 1, "explain": 1, "hint": 1, "expect": 1}
TURN = "your-turn"
HELPERS = frozenset(
    "begin check draw expect explain hint predict progress quiz".split()
)
SHOWN = HELPERS - {"begin", "expect", "draw"}  # worth nothing if not shown
VIEWS = frozenset(
    "step steps browse what_if interact interactive links".split()
)
_LAST = {"en": r"\bnext\b", "zh": "下一步|下一课|接下来"}


@dataclass(frozen=True)
class Lesson:
    """A lesson to look at: its notebook and its data."""

    notebook: NotebookNode
    material: Material

    @property
    def id(self) -> str:
        return self.notebook.metadata.npucamp.id

    @property
    def language(self) -> str:
        return self.notebook.metadata.npucamp.language

    @property
    def cells(self) -> list[NotebookNode]:
        return self.notebook.cells

    @cached_property
    def code(self) -> list[NotebookNode]:
        return [cell for cell in self.cells if cell.cell_type == "code"]

    @cached_property
    def calls(self) -> list[tuple[str, str, str]]:
        """(kind, id, cell) of every call of a helper with an id."""
        return [
            (kind, id, cell.id)
            for cell in self.code
            for kind, id in helper_calls(cell.source)
        ]

    def ids(self, kind: str) -> list[str]:
        return [id for found, id, _ in self.calls if found == kind]


def lint(lesson: Lesson) -> list[str]:
    """Everything that is not in the form, a line each; [] for a lesson in form."""
    return [line for rule in RULES for line in rule(lesson)]


# ------------------------------------------------------------------------------- rules
def _sizes(lesson: Lesson) -> Iterator[str]:
    if len(lesson.cells) > MOST_CELLS:
        yield f"{lesson.id}: {len(lesson.cells)} cells, at most {MOST_CELLS}"
    lengths = {cell.id: len(cell.source.splitlines()) for cell in lesson.code}
    for cell, lines in lengths.items():
        if lines > MOST_LINES:
            yield f"{cell}: {lines} lines of code, at most {MOST_LINES}"
    median = statistics.median(lengths.values())
    if median > MEDIAN_LINES:
        yield f"{lesson.id}: median code cell {median} lines, at most {MEDIAN_LINES}"


def _parts(lesson: Lesson) -> Iterator[str]:
    for kind, fewest in FEWEST.items():
        found = len(set(lesson.ids(kind)))
        if found < fewest:
            yield f"{lesson.id}: {kind} {found}, at least {fewest}"
    names = {name for cell in lesson.code for name in _called(cell.source)}
    if not names & VIEWS:
        yield f"{lesson.id}: no interactive view ({', '.join(sorted(VIEWS))})"


def _ids(lesson: Lesson) -> Iterator[str]:
    """Every id belongs to the lesson; what its data file has is used, and exists."""
    for kind, id, cell in lesson.calls:
        if kind not in ("task", "expect") and not id.startswith(f"{lesson.id}-"):
            yield f"{cell}: {kind} {id!r} does not begin with {lesson.id}-"
    for kind in ("quiz", "hint", "explain"):
        own = {f"{lesson.id}-{key}" for key in getattr(lesson.material, kind)}
        used = set(lesson.ids(kind))
        yield from (f"{lesson.id}: {kind} {x!r} is never asked" for x in own - used)
        yield from (f"{lesson.id}: no data for {kind} {x!r}" for x in used - own)
    ids = [(kind, id) for kind, id, _ in lesson.calls]
    for kind, id in sorted({x for x in ids if x[0] == "predict" and ids.count(x) > 1}):
        yield f"{lesson.id}: {kind} {id!r} stands there twice"


def _turns(lesson: Lesson) -> Iterator[str]:
    """A cell to fill has its hints near: in it or in one of the three cells after."""
    turns = [n for n, cell in enumerate(lesson.cells) if TURN in _tags(cell)]
    if not turns:
        yield f"{lesson.id}: no cell has the tag {TURN}"
    for number in turns:
        near = lesson.cells[number : number + 4]
        kinds = {kind for cell in near for kind, _ in _calls_of(cell)}
        if "hint" not in kinds:
            yield f"{lesson.cells[number].id}: no hint(…) near this turn"


def _shown(lesson: Lesson) -> Iterator[str]:
    """What a helper returns is seen only as the last expression of its cell."""
    for cell in lesson.code:
        body = _parsed(cell.source).body
        lost = [s for s in body[:-1] if _helper(s) in SHOWN]
        yield from (f"{cell.id}: {_helper(s)}(…) is not the last line" for s in lost)
        if lost or not body or not isinstance(body[-1], ast.Assign):
            continue
        if _helper(ast.Expr(body[-1].value)) in SHOWN:
            yield f"{cell.id}: what {_helper(ast.Expr(body[-1].value))} says is lost"


def _imports(lesson: Lesson) -> Iterator[str]:
    for cell in lesson.code:
        for node in ast.walk(_parsed(cell.source)):
            if isinstance(node, ast.ImportFrom) and node.module == "npucamp":
                others = sorted({name.name for name in node.names} - HELPERS)
                yield from (f"{cell.id}: {name} is no helper" for name in others)


def _python(lesson: Lesson) -> Iterator[str]:
    """Every code cell is Python, or begins with a magic."""
    for cell in lesson.code:
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            if not cell.source.startswith(("%", "!")):
                yield f"{cell.id}: no Python (line {error.lineno})"


def _end(lesson: Lesson) -> Iterator[str]:
    """The last code cell shows the progress, the last prose what comes next."""
    names = list(_called(lesson.code[-1].source))
    if "progress" not in names:
        yield f"{lesson.code[-1].id}: the last code cell does not call progress()"
    prose = [cell for cell in lesson.cells if cell.cell_type == "markdown"]
    if not re.search(_LAST[lesson.language], prose[-1].source, re.IGNORECASE):
        yield f"{prose[-1].id}: the last prose cell does not say what comes next"


RULES: tuple[Callable[[Lesson], Iterator[str]], ...] = (
    _sizes,
    _parts,
    _ids,
    _turns,
    _shown,
    _imports,
    _python,
    _end,
)


# ------------------------------------------------------------------------------ pieces
def _parsed(text: str) -> ast.Module:
    """The cell as Python; an empty module for a magic or a starter with a gap."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


def _called(text: str) -> Iterator[str]:
    """Names of everything called: functions and methods."""
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name):
                yield called.id
            elif isinstance(called, ast.Attribute):
                yield called.attr


def _calls_of(cell: NotebookNode) -> list[tuple[str, str]]:
    return list(helper_calls(cell.source)) if cell.cell_type == "code" else []


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def _helper(statement: ast.stmt) -> str:
    """The name that a statement calls and does nothing else; "" otherwise."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    return call.func.id if named else ""  # type: ignore[union-attr]
