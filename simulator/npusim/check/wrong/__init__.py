"""Why a result is wrong: where it differs from a reference, who wrote that, suspects.

`compare` says where two arrays differ, `patterns` how these places lie, `writers` which
block, tile and line wrote them, `functions` what the values could be instead, and
`suspects` tries the usual faults one after the other. Everything works on arrays and
the stream of an execution; the report that a reader sees is made above (`profile`).
"""

from npusim.check.wrong.compare import Case, tolerance_of
from npusim.check.wrong.patterns import patterns_of
from npusim.check.wrong.suspect import Golden
from npusim.check.wrong.suspects import suspects_of
from npusim.check.wrong.writers import Writers, touched_buffers

__all__ = [
    "Case",
    "Golden",
    "Writers",
    "patterns_of",
    "suspects_of",
    "tolerance_of",
    "touched_buffers",
]
