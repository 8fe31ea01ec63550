"""A judge that stays gives the verdicts of one that is started, and keeps nothing."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from npugrade.client import BadRequest, JudgeUnavailable, run_judge
from npugrade.warm import JudgeEnded, WarmJudge
from tests.judge.judge_samples import GOOD, WRONG, host

SEED = "3c" * 32


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmJudge]:
    with WarmJudge() as judge:
        yield judge


@pytest.mark.parametrize("text", [GOOD, WRONG], ids=["right", "wrong"])
def test_its_verdict_is_that_of_a_judge_started_for_it(warm, text):
    assert run_judge("z1-add", text, seed=SEED, warm=warm) == run_judge(
        "z1-add", text, seed=SEED
    )


def test_a_judge_that_is_stopped_is_replaced(warm):
    late = run_judge("z1-add", host("while True: pass"), deadline_s=1, warm=warm)
    assert late.score == 0.0 and "more than 1 s" in late.text("en")
    assert run_judge("z1-add", GOOD, warm=warm).score == 100.0


def test_one_process_judges_them_all(warm):
    run_judge("z1-add", WRONG, warm=warm)
    process = warm._process
    assert run_judge("z1-add", GOOD, warm=warm).score == 100.0
    assert warm._process is process and process.poll() is None


def test_the_base_is_measured_once_for_a_seed(warm, monkeypatch):
    run_judge("z1-add", GOOD, seed=SEED, warm=warm)
    request = {"task": "z1-add", "seed": SEED, "tasks": None, "solutions": None}
    found = warm.graded_cycles(request, 60)
    assert set(found) == {"long", "large-half", "large-float32", "prime-b"}
    monkeypatch.setattr(warm, "answer", None)
    assert warm.graded_cycles(request, 60) is found


def test_an_unknown_task_is_told(warm):
    with pytest.raises(BadRequest, match="no task 'z9'"):
        run_judge("z9", GOOD, seed=SEED, warm=warm)


def test_closing_it_ends_what_it_is_judging_and_nothing_starts_again():
    judge = WarmJudge()
    caught: list[Exception] = []

    def ask() -> None:
        try:
            run_judge("z1-add", host("import time\ntime.sleep(60)"), warm=judge)
        except JudgeUnavailable as error:
            caught.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while judge._process is None:
        time.sleep(0.02)
    number = judge._process.pid
    time.sleep(0.3)
    judge.close()
    thread.join(20)
    assert caught and not thread.is_alive()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    with pytest.raises(JudgeEnded):
        judge.answer({}, 1.0)


def test_no_process_is_started_before_it_is_needed(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    WarmJudge().close()
