"""The files of a task in `solutions/`: master notebook, base, mutants; base cycles.

Only trusted places have `solutions/`: the repository where tasks are written and the
machine that grades. The master is jupytext percent text with nbgrader's metadata in
the cell markers; regions between BEGIN SOLUTION and END SOLUTION are the answer.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from npugrade.cells import Cell
from npugrade.extract import Extraction, extract
from npugrade.taskmodel import Task
from npugrade.tasks import FOLDER, TaskError, load_task
from npugrade.taskwords import found_by_pydantic, phrase

STUB = ("# YOUR CODE HERE / 在此编写代码",)
_MARKER = re.compile(r"^# %%(.*)$")
_BEGIN, _END = "BEGIN SOLUTION", "END SOLUTION"


class Mutant(BaseModel):
    """A wrong answer and how it must fail: with a diagnostic code or judge message
    (`expect`), in exactly these `cases`; `others`: cases with a code of their own."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    file: Annotated[str, Field(pattern=r"^[a-z0-9-]+\.py$")]
    expect: str
    cases: Annotated[list[str], Field(min_length=1)]
    others: dict[str, str] = {}
    why: str

    @property
    def due(self) -> dict[str, str]:
        """Code by case that must fail."""
        return dict.fromkeys(self.cases, self.expect) | self.others


def solutions_folder() -> Path | None:
    """`$NPUCAMP_SOLUTIONS`, else `solutions/` of this package's repository."""
    chosen = os.environ.get("NPUCAMP_SOLUTIONS")
    folder = Path(chosen) if chosen else Path(__file__).parents[2] / "solutions"
    return folder if folder.is_dir() else None


def task_folder(task: Task, solutions: Path) -> Path:
    """Where base and mutants of a task stand."""
    return solutions / task.assignment / task.id


def base_text(task: Task, solutions: Path) -> str:
    """The plain correct kernel that earns no performance points."""
    return _read(task_folder(task, solutions) / "base.py")


def load_mutants(task: Task, solutions: Path) -> tuple[tuple[Mutant, str], ...]:
    """The task's mutants with their text; TaskError with the place of a mistake."""
    folder = task_folder(task, solutions)
    try:
        rows = tomllib.loads(_read(folder / "mutants.toml")).get("mutant", [])
        mutants = [Mutant.model_validate(row) for row in rows]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise TaskError(
            phrase("file", file=f"{folder.name}/mutants.toml", why=repr(error))
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        facts = {"file": f"{folder.name}/mutants.toml", "at": place}
        raise TaskError(
            phrase("place", what=found_by_pydantic(dict(first)), **facts)
        ) from None
    return tuple((m, _read(folder / "mutants" / m.file)) for m in mutants)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise TaskError(phrase("file", file=path.name, why=error.strerror)) from None


# ---------------------------------------------------------------- the master notebook
def master_cells(task: Task, solutions: Path, *, solved: bool) -> tuple[Cell, ...]:
    """Code cells of the assignment's notebooks: with answers, or as released."""
    texts = [_read(p) for p in sorted((solutions / task.assignment).glob("*.py"))]
    change = _without_markers if solved else _released
    cells = [cell for text in texts for cell in code_cells(text)]
    return tuple(Cell(cell.label, change(cell.text)) for cell in cells)


def code_cells(text: str) -> list[Cell]:
    """Code cells of jupytext percent text, labelled by grade id or by number."""
    cells: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        marker = _MARKER.match(line)
        if marker:
            cells.append((marker.group(1), []))
        elif cells:
            cells[-1][1].append(line)
    return [
        Cell(_label(marker, number), "\n".join(lines) + "\n")
        for number, (marker, lines) in enumerate(cells, start=1)
        if "[markdown]" not in marker and "[raw]" not in marker
    ]


def _label(marker: str, number: int) -> str:
    found = re.search(r'"grade_id": "([^"]+)"', marker)
    return found.group(1) if found else f"cell {number}"


def _without_markers(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(x for x in lines if _BEGIN not in x and _END not in x) + "\n"


def _released(text: str) -> str:
    """The text with every solution region replaced, as nbgrader replaces it."""
    result, inside = [], False
    for line in text.splitlines():
        if _BEGIN in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            result += [indent + stub for stub in STUB]
        elif _END in line:
            inside = False
        elif not inside:
            result.append(line)
    return "\n".join(result) + "\n"


def extract_for(task: Task, cells: tuple[Cell, ...]) -> Extraction:
    """What the task's entry needs of `cells`."""
    return extract(cells, [task.entry.host])


# --------------------------------------------------------------------- base cycles
def measure_base(task: Task, solutions: Path) -> dict[str, Any]:
    """Cycles of the base in each visible case, and the starter's fingerprint."""
    from npugrade.judging import base_cycles, visible_cases

    starter = extract_for(task, master_cells(task, solutions, solved=False))
    cycles = base_cycles(task, visible_cases(task), solutions)
    return {"cycles": cycles, "starter": starter.fingerprint}


def write_base_cycles(
    name: str, folder: Path = FOLDER, solutions: Path | None = None
) -> Path:
    """Measure the base and write `<task>.base.json` beside the task; its path.

    TaskError without `solutions/`. The same task gives the same bytes everywhere.
    """
    task, solutions = load_task(name, folder), solutions or solutions_folder()
    if solutions is None:
        raise TaskError(phrase("nothing-to-measure", name=name))
    path = folder / f"{name}.base.json"
    data = measure_base(task, solutions)
    path.write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return path
