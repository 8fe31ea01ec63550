"""The command line: one located line for every fault, no traceback, a fast start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

from npucamp.cli import app

RUNNER = CliRunner()


def invoke(*arguments: object):
    return RUNNER.invoke(app, [str(a) for a in arguments])


def notebook(path: Path, *codes: str) -> Path:
    cells = [new_code_cell(code, id=f"c{i}") for i, code in enumerate(codes)]
    nbformat.write(new_notebook(cells=cells), path)
    return path


def assert_one_line(result, *words: str) -> None:
    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in result.stderr


def test_help_lists_the_commands():
    text = invoke("--help").stdout
    for name in ("lab", "doctor", "run", "check", "build", "class", "task", "grade"):
        assert f" {name} " in text


def test_starting_loads_nothing_heavy():
    code = (
        "import sys, npucamp.cli; heavy = {'numpy', 'matplotlib', 'nbformat', "
        "'jupytext', 'nbgrader', 'selenium', 'pydantic', 'IPython'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", [("run",), ("check",)])
def test_a_missing_notebook_is_named(command, tmp_path):
    missing = tmp_path / "none.ipynb"
    extra = ["z1-add"] if command == ("check",) else []
    assert_one_line(invoke(*command, missing, *extra), "none.ipynb")


@pytest.mark.parametrize("text", ["", "not json", "{}", '{"nbformat": 4}', "[1]"])
def test_a_file_that_is_no_notebook_is_named(text, tmp_path):
    path = tmp_path / "bad.ipynb"
    path.write_text(text)
    assert_one_line(invoke("run", path), "bad.ipynb")


def test_run_says_that_it_ran(tmp_path):
    path = notebook(tmp_path / "good.ipynb", "x = 1", "assert x == 1")
    before = path.read_bytes()
    result = invoke("run", path)
    assert result.exit_code == 0 and "2 code cells" in result.stdout
    assert path.read_bytes() == before


def test_run_names_the_cell_that_stops(tmp_path):
    path = notebook(tmp_path / "bad.ipynb", "x = 1", "y = x / 0", "z = y")
    assert_one_line(invoke("run", path), "cell 2", "ZeroDivisionError")


def test_run_ends_an_endless_cell(tmp_path):
    path = notebook(tmp_path / "loop.ipynb", "while True: pass")
    assert_one_line(invoke("run", path, "--timeout-s", 1), "cell 1", "1 s")


def test_workspace_is_laid_out(tmp_path):
    result = invoke("workspace", "--work", tmp_path / "work")
    assert result.exit_code == 0
    assert "course/en/z1-first-kernel.ipynb" in result.stdout


def test_a_workspace_that_is_a_file_is_one_line(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    assert_one_line(invoke("workspace", "--work", path), "WORK=DIR")


def test_an_unknown_task_is_one_line(tmp_path):
    path = notebook(tmp_path / "good.ipynb", "x = 1")
    assert_one_line(invoke("check", path, "no-such-task"), "no-such-task")


def test_outside_a_clone_the_commands_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr("npucamp.paths.find_repository", lambda: None)
    assert_one_line(invoke("build", "--check"), "clone")
