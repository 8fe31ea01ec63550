"""From cells to the definitions that a name needs: by syntax, later cells first."""

from __future__ import annotations

import pytest

from npugrade.cells import Cell, parse_cell, without_magics
from npugrade.extract import extract


def of(*texts: str, names: tuple[str, ...] = ("f",)):
    cells = [Cell(f"Cell [{n}]", t) for n, t in enumerate(texts, start=1)]
    return extract(cells, names)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["def f(): pass"], ["def f(): pass"]),
        (["def f(): return 1", "def f(): return 2"], ["def f(): return 2"]),
        (["N = 3\nM = 4\ndef f(): return N"], ["N = 3", "def f(): return N"]),
        # a body means the latest definition, even one from a later cell
        (
            ["N = 1", "def f(): return N", "N = 2"],
            ["def f(): return N", "N = 2"],
        ),
        # what runs at definition time means the latest one before it
        (
            ["N = 1", "M = N + 1", "N = 5\ndef f(): return M, N"],
            ["N = 1", "M = N + 1", "N = 5", "def f(): return M, N"],
        ),
        (["import math as m\ndef f(): return m.pi"], ["import math as m", "…"]),
        # a name that nobody needs is not imported
        (
            ["from math import pi, tau\ndef f(): return pi"],
            ["from math import pi", "…"],
        ),
        (["import os, re as r\ndef f(): return r.X"], ["import re as r", "…"]),
        (
            ["from math import (\n  pi,\n  tau)\ndef f(): return tau"],
            ["from math import tau", "…"],
        ),
        (["x = 9\ndef f(x): return x"], ["def f(x): return x"]),
        (["y = 9\ndef f():\n    y = 1\n    return y"], ["…"]),
        (["def g(): pass\ndef f(): return g()"], ["def g(): pass", "…"]),
        (["def d(g): return g", "@d\ndef f(): pass"], ["def d(g): return g", "…"]),
        (["class A:\n    n = 1\ndef f(): return A.n"], ["class A:\n    n = 1", "…"]),
        (["T = {}\nT['a'] = 1\ndef f(): return T"], ["T = {}", "T['a'] = 1", "…"]),
        (["N = 1\nN += 1\ndef f(): return N"], ["N = 1", "N += 1", "…"]),
        (["N = 1\nif N:\n    N = 2\ndef f(): return N"], ["N = 1", "…", "…"]),
        (
            ["a = 1; b = a; print(b)\ndef f(): return b"],
            ["a = 1; b = a; print(b)", "…"],
        ),
        (["def f(): return [k for k in R]", "R = 3"], ["…", "R = 3"]),
        (["print('no')\ndef f(): pass\nf()"], ["def f(): pass"]),
    ],
)
def test_units(cells, expected):
    units = [unit.text for unit in of(*cells).units]
    assert len(units) == len(expected)
    for unit, due in zip(units, expected, strict=True):
        assert due in ("…", unit)


def test_missing_name():
    assert of("def g(): pass").missing == ("f",)


def test_syntax_error_elsewhere_does_not_matter():
    assert of("def f(): pass", "def g(:").errors == ()


def test_syntax_error_in_a_needed_cell_is_located():
    (error,) = of("def f(): pass", "x = 1\ndef f(:\n    pass").errors
    assert (error.label, error.line, error.text) == ("Cell [2]", 2, "def f(:")


def test_corrected_cell_wins_over_the_broken_one():
    found = of("def f(:", "def f(): return 2")
    assert found.errors == () and found.units[0].text == "def f(): return 2"


def test_origins_name_cell_and_line():
    found = of("\n\nN = 1", "# a comment\ndef f():\n    return N")
    assert found.text.splitlines() == ["N = 1", "def f():", "    return N"]
    assert found.origins == (("Cell [1]", 3), ("Cell [2]", 2), ("Cell [2]", 3))


def test_kernels_stand_on_their_cell_lines_with_free_names():
    text = "from npusim import asc\nT = 1\n@asc.jit\ndef k(x):\n    asc.add(x, T)\n"
    found = of(text + "def f(x):\n    k[1](x)")
    kernel = found.kernels["k"]
    assert kernel.free_names == ("T", "asc")
    assert kernel.text.split("\n")[2:5] == text.split("\n")[2:5]
    assert kernel.text.split("\n")[:2] == ["", ""]


def test_star_import_is_kept():
    found = of("from npusim.asc import *\n@jit\ndef k(): pass\ndef f(): k[1]()")
    assert found.units[0].text == "from npusim.asc import *"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%matplotlib inline\nx = 1", "pass  #\nx = 1"),
        ("!ls -l\nx = 1", "pass  #\nx = 1"),
        ("asc.add?\nx = 1", "pass  #\nx = 1"),
        ("files = !ls\nx = 1", "files = None  #\nx = 1"),
        ("%%time\nx = 1", "#\nx = 1"),
        ("%%bash\nrm x\n", "#\n#\n#"),
        ("if x:\n    %time f()\n", "if x:\n    pass  #\n"),
        ("!a \\\n b\nx = 1", "pass  #\n#\nx = 1"),
    ],
)
def test_magics_become_comments(text, expected):
    assert without_magics(text) == expected
    assert parse_cell(Cell("c", text))[0].count("\n") == text.count("\n")


def test_python_that_looks_like_magic_is_left_alone():
    text = 's = """\n%time\n!ls\n"""\nx = (7\n% 3)'
    assert parse_cell(Cell("c", text))[0] == text


def test_fingerprint_ignores_layout_and_comments():
    one, two = of("def f():\n    return 1"), of("# hi\ndef f():  # x\n\n    return 1")
    assert one.fingerprint == two.fingerprint
    assert one.fingerprint != of("def f():\n    return 2").fingerprint
