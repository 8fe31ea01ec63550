"""Every task is sound, and the check notices one that is not."""

from __future__ import annotations

import shutil

import pytest

from npugrade import taskcheck
from npugrade.taskio import (
    base_text,
    code_cells,
    load_mutants,
    master_cells,
    solutions_folder,
)
from npugrade.taskmodel import Length
from npugrade.tasks import TaskError, load_task, task_names


@pytest.mark.parametrize("name", task_names())
def test_task_is_sound(name, capsys):
    assert taskcheck.main(name) == 0, capsys.readouterr().out


def test_unknown_task_is_one_line(capsys):
    assert taskcheck.main("z9") == 2
    assert capsys.readouterr().out.startswith("no task 'z9'")


@pytest.fixture
def copy(tmp_path, monkeypatch):
    shutil.copytree(solutions_folder(), tmp_path / "solutions")
    monkeypatch.setenv("NPUCAMP_SOLUTIONS", str(tmp_path / "solutions"))
    return tmp_path / "solutions" / "z1-vector-add" / "z1-add"


def checker() -> taskcheck.Checker:
    return taskcheck.Checker(load_task("z1-add"), solutions_folder())


def test_mutant_that_is_right_is_noticed(copy):
    mutants = {
        m.file: (m, t) for m, t in load_mutants(load_task("z1-add"), copy.parents[1])
    }
    mutant, text = mutants["last-element.py"]
    mended = text.replace("n - 1)", "n)")
    assert mended != text
    assert checker().mutant(mutant, text, "task-check-1").passed
    line = checker().mutant(mutant, mended, "task-check-1")
    assert not line.passed and "got {}" in line.detail["en"]


def test_changed_base_is_noticed(copy):
    assert checker().stored_base().passed
    file = copy / "base.py"
    file.write_text(file.read_text().replace("TILE = 8192", "TILE = 4096"))
    assert not checker().stored_base().passed


@pytest.mark.parametrize(
    "change, said",
    [
        (("asc.add(", "asc.sub("), "base.py of z1-add fails in case aligned"),
        (("def add(x, y, z):", "def add(x, y, z:"), "base.py, line "),
        (("def add(x, y, z):", "def plus(x, y, z):"), "No cell defines `add`"),
        (("def add(x, y, z):", "def add(x, y):"), "takes 2 positional arguments"),
    ],
)
def test_a_wrong_base_is_named_and_located(copy, capsys, change, said):
    file = copy / "base.py"
    old, new = change
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    assert taskcheck.main("z1-add", solutions=copy.parents[1]) == 2
    printed = capsys.readouterr().out
    assert said in printed and "base.py of z1-add" in printed


def test_a_mutant_that_is_no_python_is_named(copy):
    mutant, text = load_mutants(load_task("z1-add"), copy.parents[1])[0]
    line = checker().mutant(mutant, text + "x = (\n", "task-check-1")
    assert not line.passed and "was never closed" in line.detail["en"]


def test_python_of_a_task_that_raises_is_located():
    from npugrade.golden import elementwise

    place = taskcheck.trusted_place(_raised(lambda: elementwise.add(None, None)))
    assert place is not None and place.startswith("golden/elementwise.py:")
    assert taskcheck.trusted_place(_raised(lambda: 1 / 0)) is None


def _raised(action):
    try:
        action()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def looked_up(**updates: object) -> dict[str, bool]:
    """The lines on look-up for a task of two cases."""
    task = load_task("z1-add")
    case = next(c for c in task.hidden if c.name == "large-half")
    hidden = [case.model_copy(update=updates)]
    task = task.model_copy(update={"visible": task.visible[1:2], "hidden": hidden})
    found = taskcheck.Checker(task, solutions_folder()).look_up("task-check-1")
    return {line.name["en"]: line.passed for line in found}


def test_a_task_that_pays_for_a_look_up_is_noticed():
    assert set(looked_up().values()) == {True}
    assert looked_up(twin_factor=1e6)["look-up of shapes is rejected"] is False
    fixed = Length(between=(1_048_576, 1_048_576))
    assert looked_up(length=fixed) == {"lengths of hidden cases vary": False}


def test_mutant_table_mistakes_are_located(copy):
    task = load_task("z1-add")
    (copy / "mutants.toml").write_text('[[mutant]]\nfile = "a.py"\nexpect = "X"\n')
    with pytest.raises(TaskError, match=r"mutants\.toml: cases"):
        load_mutants(task, copy.parents[1])
    (copy / "base.py").unlink()
    with pytest.raises(TaskError, match=r"base\.py"):
        base_text(task, copy.parents[1])


def test_master_gives_reference_and_starter():
    task, folder = load_task("z1-add"), solutions_folder()
    solved = {c.label: c.text for c in master_cells(task, folder, solved=True)}
    starter = {c.label: c.text for c in master_cells(task, folder, solved=False)}
    assert "SOLUTION" not in "".join([*solved.values(), *starter.values()])
    assert "# YOUR CODE HERE" in starter["z1-add-answer"]
    assert "# YOUR CODE HERE" not in solved["z1-add-answer"]


def test_code_cells_of_percent_text():
    text = '# %% [markdown]\n# hi\n# %% {"grade_id": "a-b"}\nx = 1\n# %%\ny = 2\n'
    assert [(c.label, c.text) for c in code_cells(text)] == [
        ("a-b", "x = 1\n"),
        ("cell 3", "y = 2\n"),
    ]
