"""A class graded by stock nbgrader and by `npucamp grade`: seconds per submission.

The same notebooks (the reference answer, each with a comment of its own) go through
`nbgrader autograde` with nbgrader's own settings, which runs each in a kernel, and
through `npucamp grade` with one and two judges. All times include the feedback pages.
Stock runs the visible cases that the check cell runs; ours runs the hidden ones, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from npucamp.build.assignments import source_notebook
from npugrade.classroom.assign import assign
from npugrade.classroom.folder import create_class

ASSIGNMENT, COURSE = "z1-vector-add", "npu101"
SUBMISSIONS = 20
WORKERS = (1, 2)
STOCK_CONFIG = """\
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = {course!r}
c.ExecutePreprocessor.kernel_name = "python3"
c.ExecutePreprocessor.timeout = 600
"""


def grading(submissions: int = SUBMISSIONS) -> None:
    """Print the table."""
    print(f"\n{submissions} submissions of {ASSIGNMENT}, {os.cpu_count()} cores")
    print("autograding and feedback; seconds are of this run only")
    with tempfile.TemporaryDirectory() as place:
        stock = _stock(Path(place) / "stock", submissions)
        _line("stock nbgrader", stock, stock, submissions)
        for workers in WORKERS:
            folder = Path(place) / f"workers-{workers}"
            seconds = _ours(folder, submissions, workers)
            _line(f"npucamp grade --workers {workers}", seconds, stock, submissions)


def _line(name: str, seconds: float, stock: float, submissions: int) -> None:
    each = seconds / submissions
    print(f"{name:>26} {each:7.2f} s each {stock / seconds:6.2f} x as fast as stock")


def _stock(folder: Path, submissions: int) -> float:
    for name in ("source", "submitted"):
        (folder / name).mkdir(parents=True)
    text = STOCK_CONFIG.format(root=str(folder), course=COURSE)
    (folder / "nbgrader_config.py").write_text(text)
    path = folder / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    path.parent.mkdir()
    nbformat.write(source_notebook(ASSIGNMENT), path)
    _run(folder, "nbgrader", "generate_assignment", ASSIGNMENT)
    _hand_in(folder, submissions)
    start = time.perf_counter()
    _run(folder, "nbgrader", "autograde", ASSIGNMENT)
    _run(folder, "nbgrader", "generate_feedback", ASSIGNMENT)
    return time.perf_counter() - start


def _ours(folder: Path, submissions: int, workers: int) -> float:
    create_class(folder, COURSE)
    assign(folder, ASSIGNMENT, source_notebook(ASSIGNMENT))
    _run(folder, "nbgrader", "generate_assignment", ASSIGNMENT)
    _hand_in(folder, submissions)
    start = time.perf_counter()
    options = ("--workers", str(workers))
    _run(folder, "npucamp.cli", "grade", ".", ASSIGNMENT, *options)
    return time.perf_counter() - start


def _hand_in(folder: Path, submissions: int) -> None:
    released = folder / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    answers = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in source_notebook(ASSIGNMENT).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    for number in range(submissions):
        notebook = _solved(nbformat.read(released, 4), answers, number)
        path = folder / "submitted" / f"s{number:02}" / ASSIGNMENT / released.name
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)


def _solved(
    notebook: NotebookNode, answers: dict[str, str], number: int
) -> NotebookNode:
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            cell.source = f"{answers[marks.grade_id]}\n# {number}"
    return notebook


def _run(folder: Path, module: str, *arguments: str) -> None:
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", module, *arguments],
        cwd=folder,
        env={**environment, "NPUCAMP_LANG": "en"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{module} {' '.join(arguments)}\n{done.stderr[-3000:]}")
