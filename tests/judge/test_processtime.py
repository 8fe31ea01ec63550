"""A deadline counts what a process had of the processor, not what others took."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from npugrade import host
from npugrade.processtime import waiting_process_seconds
from tests.attacks.batch import WRONG_KERNEL
from tests.judge.judge_samples import LAUNCH, judged_here
from tests.judge.judge_samples import host as submission


def started(text: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", text])


@pytest.mark.parametrize(
    ("text", "wants"),
    [("while True: pass", True), ("import time; time.sleep(60)", False)],
)
def test_only_a_process_that_wants_to_run_is_waited_for(text, wants):
    process = started(text)
    try:
        end = time.monotonic() + 20
        while (waiting_process_seconds(process.pid) or 0) < 0.1 and wants:
            assert time.monotonic() < end
            time.sleep(0.05)
        time.sleep(0 if wants else 1.5)
        assert (waiting_process_seconds(process.pid) is not None) == wants
    finally:
        process.kill()
        process.wait()
    assert waiting_process_seconds(process.pid) is None


def test_a_starved_answer_is_right_and_a_sleeping_one_is_late(monkeypatch):
    """The processor seconds are those of a process that hardly got any."""
    busy = "import time\nend = time.monotonic() + 3\n"
    busy += f"while time.monotonic() < end: pass\n{LAUNCH}"
    text = submission(busy, kernel=WRONG_KERNEL)
    monkeypatch.setattr(host, "waiting_process_seconds", lambda number: 0.01)
    assert judged_here(text).score == 20.0  # it builds
    monkeypatch.setattr(host, "waiting_process_seconds", lambda number: 2.5)
    late = judged_here(text)
    assert late.score == 0.0 and "did not finish within 2 s" in late.text("en")
    monkeypatch.setattr(host, "waiting_process_seconds", lambda number: None)
    assert judged_here(submission("import time\ntime.sleep(9)")).score == 0.0
