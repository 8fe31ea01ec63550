"""The learner's own timeline: of a visible case, never of a hidden one."""

from __future__ import annotations

import base64

import pytest
from nbgrader.utils import determine_grade

from npugrade.cases import PUBLIC_SEED, make_case
from npugrade.cells import Cell
from npugrade.client import run_judge
from npugrade.feedback import ShownRun
from npugrade.judging import judge
from npugrade.nbgrader.judge_cells import outputs, picture_outputs
from npugrade.tasks import load_task
from npugrade.verdict import Picture, Verdict
from tests.classroom.small_assignment import released
from tests.judge.judge_samples import GOOD, WRONG, edited, judged_here
from tests.judge.row_task import SEED, TASKS

TASK = load_task("z1-add")
COMPUTE = "        asc.add(c, a, b, m)\n        asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n"
RACE = edited((COMPUTE, "        asc.add(c, a, b, m)\n"))
PNG = b"\x89PNG"


@pytest.mark.parametrize(
    ("text", "caption"),
    [(GOOD, "in case long."), (RACE, "in case aligned, which failed")],
)
def test_picture_comes_with_the_verdict(text, caption):
    verdict = run_judge("z1-add", text, picture=True)
    assert base64.b64decode(verdict.picture.png).startswith(PNG)
    assert caption in verdict.picture.caption["en"]
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_no_picture_unless_asked_for_or_where_nothing_ran():
    assert judged_here(GOOD, cases=4).picture is None
    assert judged_here("def add(x, y, z):\n    pass\n", picture=True).picture is None
    assert judged_here("def add(:\n", picture=True).picture is None


def test_hidden_cases_are_never_shown():
    verdict = judged_here(WRONG, seed=SEED, picture=True)
    assert "case aligned" in verdict.picture.caption["en"]
    shown = ShownRun()
    hidden = make_case(TASK, TASK.hidden[0], True, SEED)
    shown.offer(hidden, object(), failed=True)
    assert shown.run is None and shown.picture("en") is None


def test_first_failure_is_preferred_to_a_counted_case():
    datas = {c.name: make_case(TASK, c, False, PUBLIC_SEED) for c in TASK.visible}
    shown = ShownRun()
    for name, failed in (("long", False), ("single", True), ("unaligned", True)):
        shown.offer(datas[name], object(), failed)
    assert (shown.case, shown.failed) == ("single", True)


def test_run_that_cannot_be_drawn_costs_no_grade(monkeypatch):
    def fails(*arguments, **options):
        raise ValueError("nothing to draw")

    monkeypatch.setattr("npusim.view.timeline", fails)
    verdict = judged_here(GOOD, cases=4, picture=True)
    assert verdict.picture is None and verdict.facts["aligned"]["stage"] == ""


def test_tasks_without_kernels_have_no_picture():
    task = load_task("t2-tiling", TASKS)
    text = 'def tiling(n, cores, ub_nbytes):\n    return {"blocks": 0, "tile": 16}\n'
    assert judge(task, [Cell("c", text)], picture=True).picture is None


def test_nbgrader_reads_the_points_beside_a_picture():
    cell = released().cells[3]
    picture = Picture("AAAA", {"en": "Timeline", "zh": "时间线"})
    stream, score = outputs("report", 3.5)
    cell.outputs = [stream, *picture_outputs(picture, "both"), score]
    assert determine_grade(cell) == (3.5, 10.0)
    assert cell.outputs[1].text == "Timeline\n时间线\n"
