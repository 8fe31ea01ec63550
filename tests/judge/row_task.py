"""The fixture task t1-row-norm: a kernel task with named dimensions."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from npugrade.cells import Cell
from npugrade.judging import judge
from npugrade.taskio import master_cells
from npugrade.taskmodel import Task
from npugrade.tasks import load_base, load_task
from npugrade.verdict import Verdict

FIXTURES = Path(__file__).parents[2] / "grader" / "patterns"
TASKS, SOLUTIONS = FIXTURES / "tasks", FIXTURES / "solutions"
SEED = "a seed of the tests"


@cache
def row_task() -> Task:
    return load_task("t1-row-norm", TASKS)


@cache
def answer() -> str:
    """The reference."""
    cells = master_cells(row_task(), SOLUTIONS, solved=True)
    return "\n".join(cell.text for cell in cells)


def changed(**updates: object) -> Task:
    """The task with other tables, validated again."""
    table = tomllib.loads((TASKS / "t1-row-norm.toml").read_text(encoding="utf-8"))
    return Task.model_validate({**table, **updates})


def judged(text: str, task: Task | None = None, visible: int = 1) -> Verdict:
    """The verdict on a text in the first visible cases."""
    task = task or row_task()
    task = task.model_copy(update={"visible": task.visible[:visible]})
    known = load_base("t1-row-norm", TASKS)
    weights = task.weights.model_copy(update={"accuracy": 80.0, "performance": 0.0})
    task = task.model_copy(update={"weights": weights})
    return judge(task, [Cell("answer", text)], known=known)
