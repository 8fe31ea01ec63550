"""Short ways to compile a piece of kernel text in tests."""

import textwrap

from npusim.diagnostic import KernelError
from npusim.lang import BufferArgument, compile_source, types

HEAD = """from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, n: int, a: float, flag: bool):
"""
ARGUMENTS = {
    "x": BufferArgument(types.int64),
    "n": "int",
    "a": "float",
    "flag": "bool",
}
FIRST_LINE = HEAD.count("\n") + 1  # of the body


def kernel_text(body):
    """A kernel with the parameters x, n, a and flag; g is the tensor of x."""
    return HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


def compiled(body, captured=None, dtype=types.int64, more=""):
    """The Program of a kernel with this body; `more` is text in front of it."""
    arguments = ARGUMENTS | {"x": BufferArgument(dtype)}
    text = kernel_text(body) + more
    return compile_source(text, "k.py", "kernel", captured or {}, arguments)


def refused(body, captured=None, dtype=types.int64, more=""):
    """The diagnostic that the body is refused with."""
    try:
        compiled(body, captured, dtype, more)
    except KernelError as error:
        (diagnostic,) = error.diagnostics
        str(error)  # every message renders
        return diagnostic
    raise AssertionError("it compiles")
