"""check("z1-add") in a real IPython session, outside one, and when the judge fails."""

from __future__ import annotations

import subprocess
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from npucamp.lesson.check import CheckFailed, check
from npugrade.client import JudgeUnavailable
from npugrade.verdict import Verdict
from tests.judge.judge_samples import GOOD, WRONG


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def test_latest_cells_count(shell):
    shell.run_cell("%precision 3\n" + WRONG, store_history=True)
    shell.run_cell("def broken(:", store_history=True)
    shell.run_cell(GOOD, store_history=True)
    assert check("z1-add").score == 100.0


def test_messages_name_the_notebooks_cell(shell):
    shell.run_cell("a = 1", store_history=True)
    shell.run_cell(
        WRONG.replace("asc.sub(c, a, b, m)", "asc.sub(c, a, b, q)"), store_history=True
    )
    assert "Cell [2], line" in check("z1-add").text("en")


def test_untouched_notebook_says_so(shell):
    shell.run_cell("a = 1", store_history=True)
    verdict = check("z1-add")
    assert not verdict.attempted and verdict.score == 0.0


def test_unknown_task_does_not_raise(shell):
    verdict = check("z9")
    assert verdict.score == 0.0
    assert "There is no task 'z9'. Tasks: " in verdict.text("en")
    assert "没有题目 'z9'。已有的题目：" in verdict.text("zh")
    assert "z1-add" in verdict.text("en") and "z1-add" in verdict.text("zh")


@pytest.mark.parametrize(("score", "raises"), [(20.0, True), (100.0, False)])
def test_validate_fails_where_points_are_missing(shell, monkeypatch, score, raises):
    verdict = Verdict("z1-add", score, 100.0, ())
    monkeypatch.setattr("npucamp.lesson.check.run_judge", lambda *a, **o: verdict)
    assert check("z1-add") == verdict  # an ordinary run never raises
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    if not raises:
        assert check("z1-add") == verdict
        return
    with pytest.raises(CheckFailed, match="20 of 100") as caught:
        check("z1-add")
    assert caught.value._render_traceback_() == verdict.text().splitlines()


def test_failure_of_the_judge_does_not_raise(shell, monkeypatch):
    def fail(*arguments, **options):
        raise JudgeUnavailable("no process")

    monkeypatch.setattr("npucamp.lesson.check.run_judge", fail)
    text = check("z1-add").text("zh")
    assert "no process" in text and "不是你的答案的问题" in text


def test_outside_a_notebook_it_explains():
    code = "from npucamp import check; print(check('z1-add'))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "npucamp check NOTEBOOK.ipynb z1-add" in done.stdout


def test_only_light_imports():
    code = "import npucamp.lesson.check, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "pydantic", "nbgrader", "IPython", "matplotlib"}
