"""set_atomic_add, _max, _min, _none: what the following UB→GM copies do.

The mode is a register of the core, set by the scalar unit for the copies issued after
it. dtypes: public Ascend C documentation of SetAtomicAdd. How contributions reach
memory is told in `deferred`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npusim.core.deferred import AtomicMode
from npusim.core.group import Group
from npusim.core.operands import Lowering, Operand
from npusim.core.plan import Operation
from npusim.core.signals import stop
from npusim.core.stream import Cost, Step
from npusim.lang.program import Issue


@dataclass(frozen=True)
class SetAtomic:
    """One row of the table; no `operation` ends the mode."""

    name: str
    operation: str = ""

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        dtype: Any = issue.operands.get("dtype")
        mode = AtomicMode(self.operation, dtype) if self.operation else None
        cost, where, name = Cost("flag", self.name), issue.where, self.name

        def operation(group: Group) -> int:
            group.atomic = mode
            steps = group.scalar
            group.record(Step(pc, where, name, "S", (), (), cost, None, steps))
            return pc + 1

        return operation


def check_atomic_copy(mode: AtomicMode, dst: Operand, nbytes: int) -> None:
    """ASC-RUN-07 for a copy of another dtype than the mode was set for, or of rows of
    `nbytes` that end inside an element."""
    name = f"set_atomic_{mode.operation}"
    if mode.dtype != dst.dtype:
        facts = {"operand": "dtype", "value": dst.dtype.name}
        required = f"{mode.dtype.name} ({name})"
        stop(
            "ASC-RUN-07", dst.where, operation=dst.operation, required=required, **facts
        )
    size = dst.dtype.itemsize
    if nbytes % size:
        required = f"n × {size} B ({name})"
        facts = {"operand": "block_len", "value": str(nbytes)}
        stop(
            "ASC-RUN-07", dst.where, operation=dst.operation, required=required, **facts
        )
