"""Looking up exact shapes: a hidden case and its twin must take about the same time."""

from __future__ import annotations

import pytest

from npugrade.cells import Cell
from npugrade.host import limits
from npugrade.judging import judge
from npugrade.taskio import solutions_folder
from npugrade.tasks import load_task
from tests.judge.judge_samples import GOOD, host

TASK = load_task("z1-add")
PAIR = [case for case in TASK.hidden if case.name.startswith("prime-b")]
SEED = "7c" * 32
LOOKUP = (
    "blocks = 48 if x.size in (16384, 1003, 1, 262144) or x.size % 2 else 1\n"
    "kernel[blocks](x, y, z, x.size, x.dtype, x.dtype.itemsize)"
)


def facts(text: str) -> dict:
    task = TASK.model_copy(update={"visible": TASK.visible[1:2], "hidden": PAIR})
    verdict = judge(task, [Cell("a", text)], seed=SEED, solutions=solutions_folder())
    assert not any(str(n) in verdict.text("en") for n in _lengths(task))
    return dict(verdict.facts)


def _lengths(task) -> list[int]:
    from npugrade.cases import case_shape

    return [case_shape(TASK, case, SEED)[0] for case in task.hidden]


@pytest.mark.parametrize(("text", "code"), [(GOOD, ""), (host(LOOKUP), "guard.twin")])
def test_twins_take_the_same_time_or_fail(text, code):
    assert limits()["rules"]["twin_factor"] >= 1.5
    found = facts(text)
    assert found["prime-b-twin"]["code"] == code and found["prime-b"]["code"] == ""
