"""What the style of the code base promises and a program can see."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("simulator/npusim", "grader/npugrade", "course/npucamp")
FILES = [path for folder in PACKAGES for path in sorted((ROOT / folder).rglob("*.py"))]
FILE_LINES, FUNCTION_LINES = 350, 45
MUTABLE = (ast.List, ast.Dict, ast.Set)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> list[Function]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, Function)]


def place(path: Path, node: Function | None = None) -> str:
    name = path.relative_to(ROOT).as_posix()
    return name if node is None else f"{name}:{node.lineno} {node.name}"


@pytest.mark.parametrize(
    "arguments", [("check", "--no-cache"), ("format", "--check", "--no-cache")]
)
def test_ruff_has_nothing_to_say(arguments):
    command = [sys.executable, "-m", "ruff", *arguments, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_short_and_say_what_they_are():
    texts = {place(path): path.read_text(encoding="utf-8") for path in FILES}
    long = [f for f, text in texts.items() if text.count("\n") > FILE_LINES]
    assert long == []
    assert [
        f for f, text in texts.items() if not ast.get_docstring(ast.parse(text))
    ] == []


def test_functions_are_short():
    long = [
        place(path, node)
        for path in FILES
        for node in functions(path)
        if (node.end_lineno or node.lineno) - node.lineno >= FUNCTION_LINES
    ]
    assert long == []


def test_no_default_is_mutable():
    found = [
        place(path, node)
        for path in FILES
        for node in functions(path)
        if any(isinstance(d, MUTABLE) for d in node.args.defaults)
    ]
    assert found == []
