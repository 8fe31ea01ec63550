"""The floors of the simulator: every import of every file, inside functions too."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SIMULATOR = ROOT / "simulator" / "npusim"
FLOORS = {
    "chip": 0,
    "diagnostic": 0,
    "lang": 1,
    "core": 2,
    "timing": 3,
    "check": 4,
    "launch": 5,
    "profile": 6,
    "view": 7,
    "ops": 8,
    "fidelity": 9,
    "hccl": 10,
}
USES_THE_FACADE = FLOORS["ops"]  # kernels are written in `asc`, as a learner's are
EXEMPT = {"asc.py", "__init__.py"}
FILES = [
    path
    for path in sorted(SIMULATOR.rglob("*.py"))
    if path.relative_to(SIMULATOR).as_posix() not in EXEMPT
]


def imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, absolute dotted name) of each import; `package` holds the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            parts = [*base, *([node.module] if node.module else [])]
            yield from ((node.lineno, ".".join([*parts, a.name])) for a in node.names)
        elif isinstance(node, ast.Call) and _is_import_call(node):
            yield node.lineno, str(node.args[0].value)  # type: ignore[attr-defined]


def _is_import_call(node: ast.Call) -> bool:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    literal = bool(node.args) and isinstance(node.args[0], ast.Constant)
    return name in ("import_module", "__import__") and literal


def violations(source: str, floor: str, package: tuple[str, ...]) -> list[str]:
    """The imports in `source` that a file of `floor` may not have."""
    found = []
    for line, name in imported(ast.parse(source), package):
        parts = name.split(".")
        if parts[0] in ("npugrade", "npucamp"):
            found.append(f"line {line}: {name} (the simulator stands alone)")
        elif parts[0] == "npusim" and not _allowed(parts, floor):
            found.append(f"line {line}: {name} (not below {floor})")
    return found


def _allowed(parts: list[str], floor: str) -> bool:
    target = parts[1] if len(parts) > 1 else ""
    if target == "asc":
        return FLOORS[floor] >= USES_THE_FACADE
    if target not in FLOORS:
        return False
    return target == floor or FLOORS[target] < FLOORS[floor]


def test_every_package_has_a_floor():
    packages = {path.relative_to(SIMULATOR).parts[0] for path in FILES}
    assert packages <= set(FLOORS)
    assert len(FILES) > 20


@pytest.mark.parametrize(
    "path", FILES, ids=lambda p: p.relative_to(SIMULATOR).as_posix()
)
def test_a_floor_imports_only_floors_below(path: Path):
    relative = path.relative_to(SIMULATOR)
    package = ("npusim", *relative.parts[:-1])
    text = path.read_text(encoding="utf-8")
    assert violations(text, relative.parts[0], package) == []


@pytest.mark.parametrize(
    "source",
    [
        "from npusim.launch import jit",
        "def f():\n    import npusim.view.figure",
        "from npusim import asc",
        "import npusim",
        "from ..profile import counters",
        "import importlib\nimportlib.import_module('npusim.launch.run')",
        "from npugrade import client",
        "if False:\n    import npucamp",
    ],
)
def test_the_rule_finds_each_kind_of_import(source: str):
    assert violations(source, "core", ("npusim", "core")) != []


def test_the_rule_allows_what_is_below_and_outside():
    source = "import numpy\nfrom npusim.lang import types\nfrom . import plan\n"
    assert violations(source, "core", ("npusim", "core")) == []


def test_kernels_of_the_library_are_written_in_asc():
    package = ("npusim", "ops")
    assert violations("from npusim import asc", "ops", package) == []
    assert violations("from npusim import view", "ops", package) == []
    assert violations("from npusim import fidelity", "ops", package) != []


def test_only_class_tools_of_the_grader_import_the_course():
    files = sorted((ROOT / "grader" / "npugrade").rglob("*.py"))
    for path in (f for f in files if "classroom" not in f.parts):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [name for _, name in imported(tree, ("npugrade",))]
        assert not [n for n in names if n.split(".")[0] == "npucamp"], path


def test_import_of_the_simulator_is_light():
    code = (
        "import sys; import npusim; from npusim import asc; "
        "heavy = {'matplotlib', 'ipywidgets', 'IPython', 'nbgrader', 'pydantic'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
