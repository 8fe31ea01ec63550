"""`npucamp task new`: what it writes is sound at once, and nothing is overwritten."""

from __future__ import annotations

import jupytext
import pytest
from typer.testing import CliRunner

from npucamp.cli import app
from npugrade.scaffold import KINDS, new_task
from npugrade.tasks import TaskError, load_task
from tests.classroom.instructor_page import steps


def command(tmp_path, *words: str):
    folders = ["--tasks", str(tmp_path), "--solutions", str(tmp_path / "s")]
    return CliRunner().invoke(app, ["task", *words, *folders])


@pytest.mark.parametrize("kind", ["function", "driven"])
def test_new_task_is_sound_and_checked(tmp_path, kind):
    words = ("new", "x9-ring", f"--kind={kind}", "--assignment=x9-set")
    made = command(tmp_path, *words)
    assert made.exit_code == 0, made.output
    assert "npucamp task check x9-ring" in made.output
    assert load_task("x9-ring", tmp_path).assignment == "x9-set"
    checked = command(tmp_path, "check", "x9-ring")
    assert checked.exit_code == 0, checked.output
    again = command(tmp_path, *words)
    assert again.exit_code == 1 and "nothing was written" in again.output


def test_the_page_of_authors_holds(tmp_path):
    """The commands of docs/instructor.md: a kernel task, made and proven."""
    lines = [step.line for step in steps() if step.who == "author"]
    assert [line.split()[:3] for line in lines] == [
        ["npucamp", "task", "new"],
        ["npucamp", "task", "check"],
    ]
    for line in lines:
        done = command(tmp_path, *line.split()[2:])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_loads_and_its_notebook_is_graded(tmp_path, kind):
    paths = new_task("y1-new", kind, "y1-set", tasks=tmp_path, solutions=tmp_path / "s")
    assert all(path.is_file() for path in paths)
    assert load_task("y1-new", tmp_path).kind == kind
    master = jupytext.read(tmp_path / "s/y1-set/y1-set.py")
    marks = [c.metadata.get("nbgrader", {}).get("grade_id") for c in master.cells]
    assert [m for m in marks if m] == ["y1-new-answer", "y1-new-check"]
    texts = [p.read_text("utf-8") for p in paths]
    assert not any(name in text for name in KINDS[kind] for text in texts)


def test_second_task_joins_the_assignment(tmp_path):
    folders = {"tasks": tmp_path, "solutions": tmp_path / "s"}
    new_task("y1-one", "function", "y1-set", **folders)
    new_task("y1-two", "driven", "y1-set", **folders)
    master = jupytext.read(tmp_path / "s/y1-set/y1-set.py")
    assert str(master.cells).count("-check'") == 2


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [("Y 1", "kernel", "task 'Y 1' is not"), ("y1", "poem", "no kind 'poem'")],
)
def test_mistakes_are_named(tmp_path, name, kind, said):
    with pytest.raises(TaskError, match=said):
        new_task(name, kind, "y1", tasks=tmp_path, solutions=tmp_path / "s")
    assert list(tmp_path.iterdir()) == []
