"""The instruction cache: a program that does not fit fetches its code again.

A program's size is estimated from its operations (`code_operation`, and
`code_instruction` for one that issues an instruction). Where it fits the cache, a warm
launch fetches nothing. A larger one is followed through a cache of `icache_line`-byte
units, least recently used first out; each miss costs S `icache_miss` cycles. The cost
of cold code at the start of a launch is part of the launch (`floor`). Not validated: no
size of a kernel's code is published beside its time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from npusim.chip import Chip
from npusim.lang.program import Issue
from npusim.timing.ticks import ticks_of_cycles


def code_nbytes(program: Any, chip: Chip) -> int:
    """Estimated bytes of a program's machine code."""
    return _offsets(program, chip)[-1] if program.code else 0


def _offsets(program: Any, chip: Chip) -> list[int]:
    """Where each operation ends, in bytes."""
    plain, issue = (
        int(chip.constant(name)) for name in ("code_operation", "code_instruction")
    )
    sizes = (issue if isinstance(op, Issue) else plain for op in program.code)
    return list(accumulate(sizes))


class CodeCache:
    """The instruction cache of a core of `chip` that runs `program`."""

    def __init__(self, chip: Chip, program: Any = None):
        constant = chip.constant
        self.miss = ticks_of_cycles(constant("icache_miss"))
        self.units = max(1, int(constant("icache") // constant("icache_line")))
        line = int(constant("icache_line"))
        ends = _offsets(program, chip) if program is not None else []
        self.fits = not ends or ends[-1] <= constant("icache")
        self.unit_of = [end // line for end in ends]

    def fetches(self) -> Callable[[int], int] | None:
        """Ticks that S loses before the step at `pc`; None where all code fits."""
        if self.fits or not self.miss:
            return None
        held: OrderedDict[int, None] = OrderedDict()

        def fetch(pc: int) -> int:
            unit = self.unit_of[pc]
            if unit in held:
                held.move_to_end(unit)
                return 0
            held[unit] = None
            if len(held) > self.units:
                held.popitem(last=False)
            return self.miss

        return fetch
