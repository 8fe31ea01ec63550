"""No solution stands in what a learner receives; and the scan would see one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from npucamp.build import leaks

SOLUTION = """
def kernel(x, y, n):
    share = n // asc.get_block_num()
    start = asc.get_block_idx() * share
    for offset in range(start, start + share, 64):
        asc.data_copy(a, x[offset:], 64)
        asc.exp(b, a, 64)
        asc.data_copy(y[offset:], b, 64)
"""
RENAMED = """
# other names, other comments
def my_kernel(p, q, count):
    part = count // asc.get_block_num()  # mine
    begin = asc.get_block_idx() * part
    for i in range(begin, begin + part, 64):
        asc.data_copy(u, p[i:], 64)
        asc.exp(w, u, 64)
"""


def find(received: str, given: tuple[str, ...] = ()) -> list[leaks.Leak]:
    return leaks.find_leaks({"solution": SOLUTION}, {"received": received}, given)


def test_the_clone_has_no_leak(root):
    texts = leaks.received_texts(root)
    assert len(texts) > 100 and len(leaks.solution_texts(root)) >= 7
    assert leaks.scan(root) == []


def test_a_copy_is_found_whatever_the_names():
    assert find(SOLUTION) and find(RENAMED)


def test_a_copy_in_prose_is_found():
    assert find(f"As you see, (so) it is:\n\n```python{SOLUTION}```\nQuite so!")
    assert find(f'[hints]\nen = """\nnearly the answer, so: {SOLUTION}"""\n')
    assert find("As you see, (so) it is.\n\nQuite so; well said: done.") == []


def test_three_statements_are_no_leak_and_four_are():
    lines = SOLUTION.strip().splitlines()
    assert find("\n".join(lines[:3]).replace("    ", "\t")) == []
    assert find("\n".join(lines[:4]) + "\n        pass\n")


def test_what_is_given_does_not_count_and_does_not_hide():
    assert find(SOLUTION, given=(SOLUTION,)) == []
    mixed = SOLUTION.replace("        asc.exp", "        print(1)\n        asc.exp")
    assert find(mixed, given=("print(1)",))


def test_the_operator_library_is_exempt():
    received = {"simulator/npusim/ops/softmax.py": SOLUTION}
    assert leaks.find_leaks({"s": SOLUTION}, received, ()) == []


def test_a_notebook_is_read_by_cells(tmp_path):
    cells = [new_markdown_cell("## Text: no *code*"), new_code_cell(SOLUTION)]
    nbformat.write(new_notebook(cells=cells), tmp_path / "x.ipynb")
    received = leaks.read_texts(tmp_path, [tmp_path / "x.ipynb"])
    assert set(received) == {"x.ipynb", "x.ipynb#prose"}
    (leak, *_) = leaks.find_leaks({"s": SOLUTION}, received, ())
    assert leak.where == "x.ipynb" and "x.ipynb: holds 4" in str(leak)


# -------------------------------------------------------------------------- the wheel
@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> Path:
    """The wheel, built from a copy of the clone without network, and unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    skipped = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    shutil.copytree(root, folder / "clone", ignore=skipped)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), "."]
    subprocess.run(command, cwd=folder / "clone", check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.mark.slow
def test_the_wheel_has_everything_but_solutions(wheel, root):
    names = {p.relative_to(wheel).as_posix() for p in wheel.rglob("*") if p.is_file()}
    for name in (
        "npucamp/words.toml",
        "npugrade/tasks/z1-add.toml",
        "npugrade/tasks/z1-add.base.json",
        "npusim/chip/910b1.toml",
        "npucamp/notebooks/en/z1-first-kernel.ipynb",
        "npucamp/notebooks/zh/z1-first-kernel.ipynb",
        "npucamp/lessons/course.toml",
    ):
        assert name in names
    data = {n for n in names if n.startswith("npucamp/lessons/")}
    written = {path.name for path in (root / "course/src").glob("*.toml")}
    assert data == {f"npucamp/lessons/{name}" for name in written}
    assert not [n for n in names if "solution" in n or "mutant" in n or "tests/" in n]


@pytest.mark.slow
def test_the_wheel_finds_its_course_outside_a_clone(wheel, tmp_path):
    code = (
        "from npucamp.coursemap import built_lessons, course_map, tasks_of\n"
        "print(len(course_map().lesson), 'z1' in built_lessons(), tasks_of('z1'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "30 True ('z1-add',)\n", done.stderr


@pytest.mark.slow
def test_the_wheel_has_no_leak(wheel, root):
    received = leaks.read_texts(wheel, sorted(wheel.rglob("*")))
    assert len(received) > 100
    found = leaks.find_leaks(
        leaks.solution_texts(root), received, leaks.given_texts(root)
    )
    assert found == []
