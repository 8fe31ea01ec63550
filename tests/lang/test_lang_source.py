"""Source text: capture, labels, lines, free names and late look-up."""

import linecache
import sys
import types as python_types

import pytest
from lang_helpers import HEAD
from lang_kernels import ANY_LENGTH

from npusim.diagnostic import KernelError
from npusim.lang import (
    EXPORTS,
    BufferArgument,
    Constexpr,
    KernelSource,
    capture,
    compile_source,
    dump,
    free_names,
    types,
)
from npusim.lang.names import Marker
from npusim.lang.source import cell_label
from npusim.lang.unit import Facade

asc = Facade()
INT = BufferArgument(types.int64)


def jit(function):
    """As the real decorator: keep the source, never call the function."""
    return python_types.SimpleNamespace(source=capture(function))


asc_like = python_types.SimpleNamespace(jit=jit)


@asc_like.jit
def outer_kernel(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, n)
    g.set_value(0, SCALE * twice(n))


@asc_like.jit
def twice(v):
    return v + v


SCALE = 3


def compile_captured(kernel, **arguments):
    source = kernel.source
    captured = source.captured()
    return compile_source(
        source.text, source.filename, source.name, captured, arguments
    )


def test_capture_keeps_lines_and_looks_names_up_late():
    source = outer_kernel.source
    assert source.filename == __file__
    assert source.text.split("\n")[source.first_line - 1] == "@asc_like.jit"
    assert set(source.captured()) == {"asc", "SCALE", "twice"}
    program = compile_captured(outer_kernel, x=INT, n="int")
    line = program.location(program.code[-2].where).line
    assert "set_value" in linecache.getline(__file__, line)
    assert "r2 = (r1 + r1)" in dump(program) and "(3 * r2)" in dump(program)


def test_capture_of_a_closure_and_an_indented_function():
    @asc_like.jit
    def kernel(x: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x, later)

    with pytest.raises(KernelError) as info:
        compile_captured(kernel, x=INT)
    (diagnostic,) = info.value.diagnostics
    assert diagnostic.code == "ASC-JIT-05"
    assert diagnostic.where.text.strip() == "g.set_global_buffer(x, later)"
    assert diagnostic.where.text[diagnostic.where.column :].startswith("later")
    later = 8
    assert compile_captured(kernel, x=INT).code


def test_capture_without_source():
    space = {}
    exec("def kernel(): pass", space)  # noqa: S102
    with pytest.raises(KernelError) as info:
        capture(space["kernel"])
    (diagnostic,) = info.value.diagnostics
    assert (diagnostic.code, diagnostic.facts["name"]) == ("ASC-JIT-02", "kernel")


def test_labels_of_notebook_cells(monkeypatch):
    shell = python_types.SimpleNamespace(
        compile=python_types.SimpleNamespace(
            _filename_map={"/tmp/ipykernel_7/123.py": 5, "<other>": None}
        )
    )
    ipython = python_types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert cell_label("/tmp/ipykernel_7/123.py") == "Cell [5]"
    assert cell_label("/tmp/ipykernel_7/999.py") == "Cell"
    assert cell_label("<ipython-input-12-abcdef>") == "Cell [12]"
    assert cell_label("add.py") == "add.py"


def test_label_in_a_real_ipython_shell():
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.user_ns["jit"] = jit
        shell.execution_count = 4
        cell = "n = 1\n\n@jit\ndef kernel():\n    y = lambda: 1\n"
        shell.run_cell(cell, store_history=True).raise_error()
        with pytest.raises(KernelError) as info:
            kernel = shell.user_ns["kernel"]
            compile_captured(kernel)
    finally:
        interactive.InteractiveShell.clear_instance()
    where = info.value.diagnostics[0].where
    assert (where.label, where.line) == ("Cell [4]", 5)
    assert "Cell [4], line 5" in str(info.value)


def test_wide_characters_before_the_caret():
    text = HEAD + "    asc.printf('你好'); y = tiles\n"
    with pytest.raises(KernelError) as info:
        compile_source(
            text, "k.py", "kernel", {},
            {"x": INT, "n": "int", "a": "float", "flag": "bool"},
        )  # fmt: skip
    where = info.value.diagnostics[0].where
    assert where.text[where.column : where.end_column] == "tiles"


# ----------------------------------------------------------------------- free names
def test_free_names_are_transitive_and_skip_local_ones():
    text = """
LIMIT = 3
@asc.jit
def inner(t, size=DEFAULT):
    for i in range(size):
        t.set_value(i, ZERO)

@asc.jit
def kernel(x: asc.GlobalAddress, n: int):
    inner(x, n + LIMIT)
    host(n)

def host(v):
    return HIDDEN
"""
    assert free_names(text, "kernel") == ("DEFAULT", "LIMIT", "ZERO", "asc", "host")
    assert free_names(text, "missing") == ()
    assert free_names(ANY_LENGTH, "add_kernel") == ("asc",)


def test_free_names_of_a_text_that_does_not_parse():
    with pytest.raises(KernelError) as info:
        free_names("def f(:", "f")
    assert info.value.diagnostics[0].code == "ASC-JIT-01"


# --------------------------------------------------------------- names and arguments
IMPORTS = {
    "from npusim import asc": "asc.",
    "from npusim import asc as npu": "npu.",
    "import npusim.asc as a": "a.",
    "from npusim.asc import jit, GlobalAddress, get_block_idx, GlobalTensor": "",
}


@pytest.mark.parametrize(("line", "prefix"), IMPORTS.items())
def test_the_language_under_any_name(line, prefix):
    text = f"""{line}

@{prefix}jit
def kernel(x: {prefix}GlobalAddress):
    g = {prefix}GlobalTensor()
    g.set_global_buffer(x, 4)
    g.set_value({prefix}get_block_idx(), 1)
"""
    assert "block_idx" in dump(compile_source(text, "k.py", "kernel", {}, {"x": INT}))


def test_captured_values_of_the_allowed_kinds():
    import numpy as np

    text = (
        HEAD + "    y = (A + B[1], D.sizeof(), P)\n    asc.printf(f'{y[0]} {y[1]}')\n"
    )
    captured = {
        "A": np.int32(3),
        "B": [1, 2],
        "D": types.half,
        "P": types.TPosition.VECIN,
        "asc": asc,
    }
    arguments = {"x": INT, "n": "int", "a": "float", "flag": "bool"}
    program = compile_source(text, "k.py", "kernel", captured, arguments)
    assert "print '5 2'" in dump(program)


ARGUMENT_CASES = [
    ("ASC-JIT-09", {"x": INT, "n": "float"}),
    ("ASC-JIT-09", {"x": "int", "n": "int"}),
    ("ASC-JIT-09", {"x": INT}),
    ("ASC-JIT-09", {"x": INT, "n": Constexpr(3)}),
]


@pytest.mark.parametrize(("code", "arguments"), ARGUMENT_CASES)
def test_argument_that_does_not_fit(code, arguments):
    text = (
        "from npusim import asc\n@asc.jit\n"
        "def k(x: asc.GlobalAddress, n: int):\n    pass\n"
    )
    with pytest.raises(KernelError) as info:
        compile_source(text, "k.py", "k", {}, arguments)
    diagnostic = info.value.diagnostics[0]
    assert diagnostic.code == code
    assert diagnostic.where.line == 3


@pytest.mark.parametrize("annotation", ["", ": str", ": asc.half", ": 'a b'"])
def test_parameter_without_a_type_of_the_language(annotation):
    text = f"from npusim import asc\n@asc.jit\ndef k(x{annotation}):\n    pass"
    with pytest.raises(KernelError) as info:
        compile_source(text, "k.py", "k", {}, {"x": INT})
    assert info.value.diagnostics[0].code == "ASC-JIT-56"


@pytest.mark.parametrize("text", ["", "def k():\n    pass", "k = 1"])
def test_entry_that_is_no_kernel(text):
    with pytest.raises(KernelError) as info:
        compile_source(text, "k.py", "k", {}, {})
    assert info.value.diagnostics[0].code == "ASC-JIT-04"


MARKERS = [name for name, value in EXPORTS.items() if isinstance(value, Marker)]


@pytest.mark.parametrize("name", MARKERS)
def test_names_on_the_host_say_where_they_belong(name):
    marker = EXPORTS[name]
    assert marker.__doc__ and name in marker.__doc__ + repr(marker)
    with pytest.raises(KernelError) as info:
        marker(1, 2)
    assert info.value.diagnostics[0].code == "ASC-JIT-03"
    assert f"asc.{name}" in str(info.value)


def test_helper_in_another_cell_keeps_its_place_and_its_caller():
    helper = KernelSource(
        "\n@asc.jit\ndef helper(v):\n    return v + lost\n",
        "Cell [2]", 2, "helper", {"asc": asc}.__getitem__,
    )  # fmt: skip
    text = HEAD + "    y = helper(n)\n"
    arguments = {"x": INT, "n": "int", "a": "float", "flag": "bool"}
    with pytest.raises(KernelError) as info:
        compile_source(text, "Cell [3]", "kernel", {"helper": helper}, arguments)
    where = info.value.diagnostics[0].where
    assert (where.label, where.line) == ("Cell [2]", 4)


def test_fault_in_a_helper_names_the_call():
    text = (
        HEAD + "    y = helper(n)\n\n@asc.jit\ndef helper(v):\n    return (1, 2)[v]\n"
    )
    arguments = {"x": INT, "n": "int", "a": "float", "flag": "bool"}
    with pytest.raises(KernelError) as info:
        compile_source(text, "k.py", "kernel", {}, arguments)
    diagnostic = info.value.diagnostics[0]
    assert diagnostic.code == "ASC-JIT-19"
    assert [w.text.strip() for w in diagnostic.related] == ["y = helper(n)"]
