"""Nasty text: the compiler answers soon, with a diagnostic, never a Python error."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lang_helpers import ARGUMENTS, HEAD, compiled, kernel_text, refused

from npusim.diagnostic import KernelError
from npusim.lang import compile_source, free_names

CHAIN = "".join(
    f"@asc.jit\ndef f{k}(v):\n    return f{k + 1}(v) + f{k + 1}(v) * f{k + 1}(v)\n"
    for k in range(14)
)
DEEP = "".join(f"@asc.jit\ndef f{k}(v):\n    return f{k + 1}(v)\n" for k in range(20))
LAST = "@asc.jit\ndef f{}(v):\n    return v + 1\n"
CASES = [
    ("58", "y = " + "(" * 150 + "1" + ")" * 150 + " + " + "+" * 300 + "1", ""),
    ("58", "y = " + "-" * 5000 + "1", ""),
    ("58", "y = " + "1 + " * 20_000 + "1", ""),
    ("58", "y = " + "f(" * 90 + "1" + ")" * 90, ""),
    ("01", "y = " + "(" * 5000 + "1" + ")" * 5000, ""),
    ("01", "y = '\0'", ""),
    ("58", "y = 1\n" * 70_000, ""),
    ("58", "# " + "a" * 500_000, ""),
    (
        "48",
        "for i in asc.static_range(3000):\n"
        "    for j in asc.static_range(3000):\n        pass",
        "",
    ),
    ("48", "for i in asc.static_range(99999):\n    asc.printf(f'{n} {n} {n} {n}')\n"
     "    asc.printf(f'{n} {n} {n} {n}')\n    asc.printf(f'{n}{n}{n}')", ""),
    ("48", "y = f0(n)", CHAIN + LAST.format(14)),
    ("47", "y = f0(n)", DEEP + LAST.format(20)),
    ("49", "y = 3 ** 3 ** 3 ** 3 ** 3", ""),
    ("49", "y = ((1 << 100) << 100)", ""),
    ("49", "y = ['a'] * 9999 * 9999", ""),
    ("49", "y = " + "9" * 3000, ""),
    ("49", "y = [[0] * 9000] * 9000", ""),
    ("49", "y = (1, 2)\nfor i in asc.static_range(90):\n    y = (y, y)", ""),
    ("48", "y = [0] * 9000\nfor i in asc.static_range(9000):\n    z = y", ""),
    ("48", "y = [0] * 900\nfor i in asc.static_range(9999):\n    z = y == y", ""),
    ("48", "for i in asc.static_range(0, 10 ** 30, 10 ** 30):\n    pass", ""),
    ("49", "for i in range(10 ** 30):\n    pass", ""),
]  # fmt: skip


@pytest.mark.parametrize(("number", "body", "more"), CASES)
def test_nasty_text_is_refused_soon(number, body, more):
    start = time.process_time()
    diagnostic = refused(body, more="\n\n" + more)
    assert diagnostic.code == f"ASC-JIT-{number}"
    assert time.process_time() - start < 20  # a bound on hanging, not a benchmark


def test_endless_loops_compile():
    assert compiled("while True:\n    pass").code
    assert compiled("i = 0\nwhile i >= 0:\n    i += 1").code


def test_wide_but_legal_programs_compile():
    assert compiled("y = " + " + ".join(["n"] * 40)).code
    assert len(compiled("y = n * 2\n" * 3000).code) == 3001
    unrolled = compiled("for i in asc.static_range(2000):\n    y = n * i")
    assert len(unrolled.code) > 1900


def test_many_variables_under_conditions_need_few_passes():
    body = "\n".join(f"v{k} = {k}\nif n > {k}:\n    v{k} = n" for k in range(300))
    assert len(compiled(body).code) == 1 + 3 * 300


PIECES = [
    "asc.", "GlobalTensor", "x", "n", "(", ")", "[", "]", ":", "=", "+", "-", "*", "/",
    "\n    ", "\n        ", "for i in range(n):", "if n:", "else:", "while flag:",
    "return", "break", "lambda", "add", "1", "0", "'a'", ",", ".", "**", "10", "<<",
    "not", "and", "f'{n}'", "asc.printf", "asc.half", "TQue", "TPosition.VECIN",
    "static_range", "min", "len", "get_value", "%", "//", "i", "def f():", "@asc.jit",
    "asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 8)", "t", "t = ", "is", "None",
]  # fmt: skip


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_soup_of_tokens_gives_a_program_or_a_diagnostic(pieces):
    text = HEAD + "    pass\n    " + " ".join(pieces) + "\n"
    try:
        compile_source(text, "k.py", "kernel", {}, ARGUMENTS)
        free_names(text, "kernel")
    except KernelError as error:
        assert error.diagnostics[0].code.startswith(("ASC-JIT-", "ASC-PATH-"))


def test_compiling_changes_nothing_and_is_repeatable():
    text = kernel_text("acc = 0\nfor i in range(n):\n    acc += i\n    y = acc * 2")
    first = compile_source(text, "k.py", "kernel", {}, ARGUMENTS)
    second = compile_source(text, "k.py", "kernel", {}, ARGUMENTS)
    assert first == second
