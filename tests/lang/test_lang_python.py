"""Control flow and scalars mean what they mean in Python.

Random programs run as Python and as compiled code on the reference machine.
"""

import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lang_helpers import compiled
from lang_machine import Machine

PROLOGUE = "g = asc.GlobalTensor()\ng.set_global_buffer(x, 16)\n"
NAMES = ("p", "q", "r")


def run_kernel(body, n=5, a=1.5, flag=True, more=""):
    """The 16 elements of x after the kernel, and what it printed."""
    program = compiled(PROLOGUE + textwrap.dedent(body).strip("\n"), more=more)
    memory = np.zeros(16, np.int64)
    machine = Machine(program, {"x": memory, "n": n, "a": a, "flag": flag}).run()
    return memory.tolist(), machine.printed


# ------------------------------------------------------------------ random programs
atoms = st.sampled_from([*NAMES, "n", "i", "0", "1", "2", "7", "-3"])
operators = st.sampled_from(["+", "-", "*", "min", "max", "//", "%", "&", "^"])


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.booleans()):
        return draw(atoms)
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    op = draw(operators)
    if op in ("//", "%"):
        return f"({left}) {op} {draw(st.sampled_from(['3', '-4', '5']))}"
    return f"{op}({left}, {right})" if op.isalpha() else f"(({left}) {op} ({right}))"


@st.composite
def conditions(draw):
    op = draw(st.sampled_from(["<", "<=", "==", "!=", ">"]))
    text = f"{draw(atoms)} {op} {draw(expressions(depth=1))}"
    if draw(st.booleans()):
        joint = draw(st.sampled_from(["and", "or", "and not"]))
        text += f" {joint} {draw(atoms)} {op} {draw(atoms)} < 5"
    return text


@st.composite
def blocks(draw, depth, in_loop):
    statements = draw(st.lists(statement(depth, in_loop), min_size=1, max_size=4))
    return "\n".join(statements)


def indented(text):
    return textwrap.indent(text, "    ")


@st.composite
def statement(draw, depth, in_loop):
    kinds = ["assign", "augment", "swap", "choose"]
    kinds += ["if", "if", "for", "while"] if depth else []
    kinds += ["break", "continue"] if in_loop else []
    return MAKERS[draw(st.sampled_from(kinds))](draw, depth, in_loop)


def _assign(draw, depth, in_loop):
    name = draw(st.sampled_from(NAMES))
    return f"{name} = ({draw(expressions())}) % 97"


def _augment(draw, depth, in_loop):
    return f"{draw(st.sampled_from(NAMES))} += {draw(atoms)}"


def _swap(draw, depth, in_loop):
    first, second, third = draw(st.permutations(NAMES))
    return f"{first}, {second} = {second}, ({third} + {first}) % 31"


def _choose(draw, depth, in_loop):
    sides = draw(expressions(depth=1)), draw(expressions(depth=1))
    name = draw(st.sampled_from(NAMES))
    return f"{name} = (({sides[0]}) if {draw(conditions())} else ({sides[1]})) % 97"


def _if(draw, depth, in_loop):
    text = f"if {draw(conditions())}:\n{indented(draw(blocks(depth - 1, in_loop)))}"
    if draw(st.booleans()):
        text += f"\nelse:\n{indented(draw(blocks(depth - 1, in_loop)))}"
    return text


def _for(draw, depth, in_loop):
    bounds = draw(st.sampled_from(["4", "n", "0, n, 2", "n, 0, -1", "n, n", "1, p"]))
    return f"for i in range({bounds}):\n{indented(draw(blocks(depth - 1, True)))}"


def _while(draw, depth, in_loop):
    guard = "    fuel -= 1\n    if fuel < 0:\n        break\n"
    body = indented(draw(blocks(depth - 1, True)))
    return f"while {draw(conditions())}:\n{guard}{body}"


MAKERS = {
    "assign": _assign,
    "augment": _augment,
    "swap": _swap,
    "choose": _choose,
    "if": _if,
    "for": _for,
    "while": _while,
    "break": lambda draw, depth, in_loop: f"if {draw(conditions())}:\n    break",
    "continue": lambda draw, depth, in_loop: f"if {draw(conditions())}:\n    continue",
}


class Recorder:
    """Stands for the tensor where the body runs as Python."""

    def __init__(self):
        self.values = [0] * 16

    def set_value(self, index, value):
        self.values[index] = value


@settings(max_examples=60, deadline=None, derandomize=True)
@given(blocks(2, False), st.integers(-3, 6))
def test_random_programs_agree_with_python(block, n):
    body = "p, q, r, i, fuel = 1, n, 2, 0, 40\n" + block
    body += "".join(f"\ng.set_value({k}, {v})" for k, v in enumerate((*NAMES, "i")))
    recorder = Recorder()
    exec(body, {"g": recorder, "n": n})  # noqa: S102 - the oracle is Python itself
    assert run_kernel(body, n)[0] == recorder.values


# ----------------------------------------------------------------------- by example
EXAMPLES = [
    ("jumps to one place", "for k in range(4):\n    if n < k:\n"
     "        g.set_value(k, 1)\n        if k < 0:\n            continue\n"
     "g.set_value(9, n)", {9: 5}),
    ("early return", "if n > 3:\n    return\ng.set_value(0, 1)", {}),
    ("constant branch", "if 1 < 2:\n    g.set_value(0, 5)", {0: 5}),
    ("and skips", "if n < 0 and g.get_value(10 ** 6) > 0:\n    return", {}),
    ("or skips", "if n > 0 or 1 // (n - 5) > 0:\n    g.set_value(0, 2)", {0: 2}),
    ("one side only", "v = 1 // (n - 5) if n != 5 else 8\ng.set_value(0, v)", {0: 8}),
    ("true division", "g.set_value(0, int(n / 2 * 2.0))", {0: 5}),
    ("floor", "g.set_value(0, -n // 2)\ng.set_value(1, -n % 3)", {0: -3, 1: 1}),
    ("float", "v = a + 1\ng.set_value(0, int(v * 2))", {0: 5}),
    ("bool", "v = flag + 1\ng.set_value(0, v)\ng.set_value(1, not n)", {0: 2}),
    ("abs", "g.set_value(0, abs(-n))\ng.set_value(1, int(abs(0 - a)))", {0: 5, 1: 1}),
    ("chained", "if 0 < n < 6 > 5:\n    g.set_value(0, 1)", {0: 1}),
    ("unrolled", "for k in asc.static_range(3):\n    g.set_value((4, 5, 6)[k], k)",
     {5: 1, 6: 2}),
    ("last value", "for k in range(3):\n    pass\ng.set_value(k, 9)", {2: 9}),
    ("sub-tensor", "g[3:][n - 4:].set_value(0, 7)", {4: 7}),
    ("narrow", "g.set_value(0, g[2:9].get_size())\n"
     "g.set_value(1, g[2:n].get_size())", {0: 7, 1: 3}),
    ("view", "h = asc.GlobalTensor()\nh.set_global_buffer(x + 2, 4)\n"
     "h.set_value(1, h.get_size())", {3: 4}),
    ("two buffers", "h = asc.GlobalTensor()\nh.set_global_buffer(x, 4)\n"
     "if n > 2:\n    h.set_global_buffer(x + 8, 4)\nh.set_value(0, 1)", {8: 1}),
    ("tensor by path", "h = g[4:] if n > 2 else g[8:]\nh.set_value(0, 1)", {4: 1}),
    ("tensor in a loop", "h = g\n"
     "for k in range(3):\n    h.set_value(0, k)\n    h = h[1:]",
     {1: 1, 2: 2}),
    ("objects made anew", "for k in range(2):\n    h = asc.GlobalTensor()\n"
     "    h.set_global_buffer(x + k, 1)\n    h.set_value(0, 1 + k)\n"
     "for k in range(2):\n    h = asc.GlobalTensor()\n"
     "    h.set_global_buffer(x + 4, 1)\n    h.set_value(0, 3)", {0: 1, 1: 2, 4: 3}),
    ("address in a loop", "h = x\nfor k in range(3):\n    h = h + 2\n"
     "w = asc.GlobalTensor()\nw.set_global_buffer(h, 1)\nw.set_value(0, 3)", {6: 3}),
    ("chain", "p = q = n\nq += 1\ng.set_value(0, p)\ng.set_value(1, q)", {0: 5, 1: 6}),
    ("declared", "acc: float = 0\nfor k in range(n):\n    acc += 0.5\n"
     "g.set_value(0, int(acc * 2))", {0: 5}),
    ("annotation only", "v: int\nv = 3\ng.set_value(0, v)", {0: 3}),
    ("compile-time float", "v = 0.1 + 0.2\ng.set_value(0, int(v * 10))", {0: 3}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), [e[1:] for e in EXAMPLES])
def test_example(body, expected):
    values, _ = run_kernel(body)
    assert {k: v for k, v in enumerate(values) if v} == expected


HELPERS = """


@asc.jit
def clamp(v, low=0, high=3):
    if v < low:
        return low
    if v > high:
        return high
    return v


@asc.jit
def count_up(v):
    v += 1
    return v, v + 1


@asc.jit
def store(target, index, value):
    target.set_value(index, value)


@asc.jit
def view(address, length):
    made = asc.GlobalTensor()
    made.set_global_buffer(address, length)
    return made


@asc.jit
def first_square_above(limit):
    for k in range(100):
        if k * k > limit:
            return k
    return -1
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("store(g, 0, clamp(n))", {0: 3}),
        ("store(g, 0, clamp(n, high=9))", {0: 5}),
        ("store(g, 0, clamp(-n, -2))", {0: -2}),
        ("store(g, clamp(2), 8)", {2: 8}),
        ("v = n\na1, b1 = count_up(v)\nstore(g, 0, a1 + 10 * b1 + 100 * v)", {0: 576}),
        ("view(x + 3, 2).set_value(1, 4)", {4: 4}),
        ("store(g, 0, first_square_above(n) + first_square_above(10))", {0: 7}),
        ("v = 0\nfor k in range(3):\n    v += clamp(k, 1, 2)\nstore(g, 0, v)", {0: 4}),
    ],
)
def test_helper(body, expected):
    values, _ = run_kernel(body, more=HELPERS)
    assert {k: v for k, v in enumerate(values) if v} == expected


def test_printf_formats_numbers_and_constants():
    body = "asc.printf(f'n={n:3d} a={a:.2f} {1.5:5.1f} {flag}')\nasc.printf('plain')"
    assert run_kernel(body)[1] == ["n=  5 a=1.50   1.5 True", "plain"]
