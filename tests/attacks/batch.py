"""Hostile submissions as files: `attack()` is what each of them does.

Below the judge an attack runs in the host function of a wrong answer; below stock
nbgrader it runs in the answer cell, and what it returns is what the answer returns
(or what its function `answer` returns).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from npugrade.cells import Cell
from npugrade.judging import judge
from npugrade.taskmodel import Task
from npugrade.tasks import load_task
from npugrade.verdict import Verdict
from tests.judge.judge_samples import KERNEL, LAUNCH

FOLDER = Path(__file__).parent / "submissions"
ATTACKS = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): path
    for path in sorted(FOLDER.rglob("*.py"))
}
WRONG_KERNEL = KERNEL.replace("asc.add(c, a, b, m)", "asc.sub(c, a, b, m)")
HOST = (
    f"\n\ndef add(x, y, z):\n    result = attack()\n    {LAUNCH}\n    return result\n"
)
DUE = 20.0  # of a wrong answer that builds


@cache
def small_task() -> Task:
    """z1-add with one visible and one hidden case, and a short deadline."""
    task = load_task("z1-add")
    budgets = task.budgets.model_copy(update={"host_seconds": 0.7})
    hidden = [case for case in task.hidden if case.name == "special-values"]
    change = {"visible": task.visible[1:2], "hidden": hidden, "budgets": budgets}
    return task.model_copy(update=change)


def source(name: str, kernel: str = WRONG_KERNEL) -> str:
    """The submission that makes the attack `name` on its way to a wrong launch."""
    return kernel + "\n\n" + ATTACKS[name].read_text("utf-8") + HOST


def judged(text: str, seed: str | None = None) -> Verdict:
    return judge(small_task(), [Cell("submission", text)], seed=seed)


def stock_source(name: str) -> str:
    """The same attack as an answer cell of an assignment of stock nbgrader."""
    text = ATTACKS[name].read_text("utf-8")
    if "\ndef answer(" in text:
        return f"{text}\n\nattack()\nadd = answer"
    return f"{text}\n\nRESULT = attack()\n\n\ndef add(x, y):\n    return RESULT"
