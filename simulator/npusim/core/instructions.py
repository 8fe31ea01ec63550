"""The table of instructions: name → how it is lowered.

A further instruction of a known shape is one line here (and its numeric function in
`numeric`). Operand names are the documented ones of Ascend C.
"""

from __future__ import annotations

from typing import Any, Protocol

from npusim.core import queues
from npusim.core.atomics import SetAtomic
from npusim.core.casts import Cast
from npusim.core.compare import Compare, Select
from npusim.core.copies import Copy
from npusim.core.cores import CrossFlag, SyncAll
from npusim.core.debug import CacheHint, DumpTensor, SystemCycle
from npusim.core.elements import Element
from npusim.core.flags import Barrier, Flag, Placement
from npusim.core.gather_mask import GatherMask
from npusim.core.inspections import low_precision
from npusim.core.masks import MaskState
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.numeric import NUMERIC
from npusim.core.operands import Lowering
from npusim.core.permute import Broadcast, Gather, Transpose
from npusim.core.plan import Operation
from npusim.core.queues import QueueCall
from npusim.core.reduce_all import ReduceAll
from npusim.core.reduce_each import ReduceEach
from npusim.core.vector import Vector
from npusim.lang.program import Issue


class Instruction(Protocol):
    """A row of the table."""

    @property
    def name(self) -> str: ...

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        """The closure that executes `issue` on a group and returns the next pc."""
        ...


def _vector(name: str, *sources: str, **more: Any) -> Vector:
    return Vector(name, NUMERIC[name], sources, **more)


def _imprecise(name: str) -> Vector:
    look = low_precision(name)
    return _vector(name, "src", overflows=True, pole=True, inspect=look)


def _arithmetic(name: str, *sources: str, **more: Any) -> Vector:
    """Finite operands may give Inf: counted in the 16-bit types."""
    return _vector(name, *sources, overflows=True, **more)


_PAIR = ("src0", "src1")
_ROWS: tuple[Instruction, ...] = (
    *(_arithmetic(name, *_PAIR) for name in ("add", "sub", "mul")),
    _arithmetic("div", *_PAIR, pole=True),
    *(_vector(name, *_PAIR) for name in ("max", "min", "bitwise_and", "bitwise_or")),
    *(_arithmetic(name, *_PAIR) for name in ("add_relu", "sub_relu")),
    _arithmetic("mul_add_dst", *_PAIR, "dst"),
    _arithmetic("fused_mul_add", *_PAIR, "dst"),
    _arithmetic("fused_mul_add_relu", *_PAIR, "dst"),
    *(_arithmetic(name, "src", scalar="scalar") for name in ("adds", "muls")),
    _arithmetic("leaky_relu", "src", scalar="scalar"),
    _arithmetic("axpy", "src", "dst", scalar="scalar"),
    *(_vector(name, "src", scalar="scalar") for name in ("maxs", "mins")),
    *(
        _vector(name, "src", scalar="scalar", lowest=0)
        for name in ("shift_left", "shift_right")
    ),
    *(_vector(n, "src") for n in ("abs", "ln", "sqrt", "relu", "bitwise_not", "copy")),
    _arithmetic("exp", "src"),
    _imprecise("reciprocal"),
    _imprecise("rsqrt"),
    _vector("duplicate", scalar="scalar"),
    Cast(),
    Compare("compare"),
    Compare("compare_scalar", scalar=True),
    Select(),
    ReduceAll("reduce_sum"),
    ReduceAll("reduce_max", largest=True),
    ReduceAll("reduce_min", largest=False),
    ReduceEach("whole_reduce_sum"),
    ReduceEach("whole_reduce_max", largest=True),
    ReduceEach("whole_reduce_min", largest=False),
    ReduceEach("block_reduce_sum", DATA_BLOCK_NBYTES),
    ReduceEach("block_reduce_max", DATA_BLOCK_NBYTES, largest=True),
    ReduceEach("block_reduce_min", DATA_BLOCK_NBYTES, largest=False),
    ReduceEach("pair_reduce_sum", pairs=True),
    Broadcast(),
    Gather(),
    GatherMask(),
    Transpose(),
    *map(MaskState, ("set_mask_count", "set_mask_norm", "set_vector_mask")),
    MaskState("reset_mask"),
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
    SyncAll(),
    CrossFlag("cross_core_set_flag", sets=True),
    CrossFlag("cross_core_wait_flag", sets=False),
    SetAtomic("set_atomic_add", "add"),
    SetAtomic("set_atomic_max", "max"),
    SetAtomic("set_atomic_min", "min"),
    SetAtomic("set_atomic_none"),
    DumpTensor(),
    CacheHint(),
    SystemCycle(),
)

INSTRUCTIONS: dict[str, Instruction] = {row.name: row for row in _ROWS}
