"""Grading that stops half way, and settings that cannot be read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output

from npugrade.classroom.assign import assign
from npugrade.classroom.folder import create_class
from npugrade.classroom.grading import grade_assignment
from npugrade.nbgrader.judge_cells import is_judged

from .small_assignment import released

TASK = "t-add"
pytestmark = pytest.mark.slow  # each test starts nbgrader several times
NBGRADER = [sys.executable, "-P", "-m", "nbgrader"]
# A judge that waits where a class has a file `wait`, and gives full points otherwise.
JUDGE = """

import time
from pathlib import Path
from npugrade import client
from npugrade.verdict import Verdict


def judge(task, texts, **options):
    Path("waiting").touch()
    while Path("wait").exists():
        time.sleep(0.05)
    return Verdict(task, 10.0, 10.0, ())


client.run_judge = judge
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    """A class with two submissions and a judge of its own."""
    path = tmp_path / "class"
    create_class(path, "npu101")
    assign(path, TASK, released())
    subprocess.run([*NBGRADER, "generate_assignment", TASK], cwd=path, check=True)
    for name in ("ann", "bob"):
        place = path / "submitted" / name / TASK
        place.mkdir(parents=True)
        nbformat.write(released(), place / f"{TASK}.ipynb")
        (place / "timestamp.txt").write_text("2027-01-01 10:00:00 UTC")
    return path


def use_judge(folder: Path) -> None:
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write(JUDGE)


def graded_file(folder: Path, name: str) -> Path:
    return folder / "autograded" / name / TASK / f"{TASK}.ipynb"


def started_grading(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-m", "npucamp.cli", "grade", ".", TASK]
    environment = {**os.environ, "NPUCAMP_LANG": "en"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
        preexec_fn=_hear_interrupts,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (folder / "waiting").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert (folder / "waiting").exists()
    return process


def _hear_interrupts() -> None:
    """As in a terminal: tests that run in the background inherit a deaf SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("kill", [False, True], ids=["ctrl-c", "killed"])
def test_an_interrupted_grading_goes_on_and_loses_nobody(folder, kill):
    use_judge(folder)
    (folder / "wait").touch()
    process = started_grading(folder)
    if kill:
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        (child,) = Path(children).read_text().split()
        process.kill()
        os.kill(int(child), signal.SIGKILL)
    else:
        process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert "[1/2] ann" in said
    assert graded_file(folder, "ann").exists() == kill
    assert kill or (
        "Grades given so far are kept" in said and process.returncode == 130
    )
    (folder / "wait").unlink()
    seen: list[tuple[int, int, str]] = []
    summary = grade_assignment(folder, TASK, progress=lambda *now: seen.append(now))
    assert {g.student: g.score for g in summary.grades} == {"ann": 10.0, "bob": 10.0}
    assert summary.ungraded == {} and seen == [(1, 2, "ann"), (2, 2, "bob")]
    assert is_judged(nbformat.read(graded_file(folder, "ann"), as_version=4))
    assert len(list((folder / "feedback").glob("*/*/*.html"))) == 2


def test_reasons_are_told_and_the_log_is_kept(folder):
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write(JUDGE.replace("return Verdict", "raise OSError('no room')  # "))
    odd = folder / "submitted/bob" / TASK / f"{TASK}.ipynb"
    odd.rename(odd.with_name("mine.ipynb"))
    summary = grade_assignment(folder, TASK)
    assert summary.grades == () and set(summary.ungraded) == {"ann", "bob"}
    assert "no room" in summary.ungraded["ann"]
    assert "holds mine.ipynb, not t-add.ipynb" in summary.ungraded["bob"]
    assert "no room" in summary.log.read_text("utf-8")
    assert summary.log.stat().st_mode & 0o777 == 0o600


def test_a_newer_submission_is_graded(folder):
    use_judge(folder)
    grade_assignment(folder, TASK)
    stamp = folder / "submitted/bob" / TASK / "timestamp.txt"
    stamp.write_text("2027-01-02 10:00:00 UTC")
    seen: list[str] = []
    grade_assignment(
        folder, TASK, progress=lambda *now: seen.append("{}/{} {}".format(*now))
    )
    assert seen == ["1/1 bob"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "class.toml").write_text("course ="), "valid TOML"),
        (
            lambda folder: (folder / "nbgrader_config.py").write_text(
                (folder / "nbgrader_config.py")
                .read_text()
                .replace("npugrade.classroom.config", "npugrade_is_not_here")
            ),
            "Activate the environment of NPU Camp",
        ),
    ],
    ids=["class.toml", "environment"],
)
def test_nbgrader_stops_where_it_would_go_on_with_its_own_settings(folder, spoil, said):
    spoil(folder)
    done = subprocess.run(
        [*NBGRADER, "autograde", TASK], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 1 and said in done.stderr
    assert "Traceback" not in done.stderr
    assert not graded_file(folder, "ann").exists()


def test_a_cell_without_output_is_not_judged():
    notebook = released()
    assert not is_judged(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("stream", text="10 of 10")]
    assert is_judged(notebook)
