"""Floor 1: the kernel language. Source text in, a typed `Program` out.

Read `program.py` (what comes out), then `compiler.py` (the way there), `context.py`
(variables and passes) and `signatures.py` (what can be called).
"""

from npusim.lang import names
from npusim.lang.compiler import ArgumentType, compile_source
from npusim.lang.dump import dump
from npusim.lang.free import free_names
from npusim.lang.names import EXPORTS, BufferArgument, Constexpr
from npusim.lang.signatures import SIGNATURES
from npusim.lang.source import KernelSource, capture

__all__ = [
    "EXPORTS",
    "SIGNATURES",
    "ArgumentType",
    "BufferArgument",
    "Constexpr",
    "KernelSource",
    "capture",
    "compile_source",
    "dump",
    "free_names",
    "names",
]
