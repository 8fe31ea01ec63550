"""The table of instructions: name → how it is lowered.

A further instruction of a known shape is one line here (and its numeric function in
`numeric`). Operand names are the documented ones of Ascend C.
"""

from __future__ import annotations

from typing import Protocol

from npusim.core import queues
from npusim.core.copies import Copy
from npusim.core.elements import Element
from npusim.core.flags import Barrier, Flag, Placement
from npusim.core.numeric import NUMERIC
from npusim.core.operands import Lowering
from npusim.core.plan import Operation
from npusim.core.queues import QueueCall
from npusim.core.vector import Vector
from npusim.lang.program import Issue


class Instruction(Protocol):
    """A row of the table."""

    @property
    def name(self) -> str: ...

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        """The closure that executes `issue` on a group and returns the next pc."""
        ...


def _vector(name: str, *sources: str, scalar: str = "") -> Vector:
    return Vector(name, NUMERIC[name], sources, scalar)


_ROWS: tuple[Instruction, ...] = (
    _vector("add", "src0", "src1"),
    _vector("sub", "src0", "src1"),
    _vector("mul", "src0", "src1"),
    _vector("max", "src0", "src1"),
    _vector("adds", "src", scalar="scalar"),
    _vector("muls", "src", scalar="scalar"),
    _vector("relu", "src"),
    _vector("exp", "src"),
    _vector("duplicate", scalar="scalar"),
    Copy("data_copy"),
    Copy("data_copy_pad"),
    Element("get_value", writes=False),
    Element("set_value", writes=True),
    QueueCall("init_buffer", "buffer", queues.init_buffer),
    QueueCall("alloc_tensor", "queue", queues.alloc_tensor),
    QueueCall("enque", "queue", queues.enque),
    QueueCall("deque", "queue", queues.deque),
    QueueCall("free_tensor", "queue", queues.free_tensor),
    QueueCall("get", "buffer", queues.get),
    Flag("set_flag", sets=True),
    Flag("wait_flag", sets=False),
    Barrier(),
    Placement(),
)

INSTRUCTIONS: dict[str, Instruction] = {row.name: row for row in _ROWS}
