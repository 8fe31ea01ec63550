"""A block run again, step by step, to look into its memory.

A Run keeps no copy of local memory; the values of a step are computed when somebody
looks. The block runs alone, on copies of what the kernel wrote and on the inputs as
they are now. So values can be shown up to the block's first wait for other cores, and
not for a kernel that reads memory which it also wrote: `hidden` says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from npusim.core.group import Group, Machine
from npusim.core.lower import lower_program
from npusim.core.stream import Access
from npusim.lang.program import ADDRESS_BITS, Issue, Tensor
from npusim.lang.types import DType
from npusim.launch import Run
from npusim.timing import ClassTiming

SHOWN = 8  # values of an access


@dataclass
class Moment:
    """The state after one step: local memory, queues and flags."""

    local: np.ndarray  # uint8, the Unified Buffer of the block
    queues: dict[str, list[tuple[int, str]]]  # name → (slot, state)
    flags: dict[tuple[str, int], int]  # (event, id) → sets not yet waited for


@dataclass
class Rerun:
    """One block of a run; `at(i)` is the moment after its step i."""

    run: Run
    part: ClassTiming
    block: int
    dtypes: dict[str, DType] = field(init=False)
    hidden: str = field(init=False)  # "" or the key of the label that says why not

    def __post_init__(self) -> None:
        self.dtypes = _dtypes(self.run.execution.program.code)
        self.hidden = "values_in_place" if self._reads_results() else ""
        self._group: Group | None = None
        self._kept: dict[int, Moment] = {}

    def _reads_results(self) -> bool:
        """Whether the block reads a buffer of GM that the launch writes."""
        steps = list(self.part.stream.steps())
        written = {b for step in steps for a in step.writes for b in _buffers(a)}
        return any(
            b in written for step in steps for a in step.reads for b in _buffers(a)
        )

    def at(self, step: int) -> Moment | None:
        """The moment after step `step`; None where it cannot be shown."""
        if self.hidden:
            return None
        if step in self._kept:
            return self._kept[step]
        if self._group is None or len(self._group.steps) > step + 1:
            self._begin()
        moment = self._go_on(step)
        if moment is not None:
            self._kept[step] = moment
        return moment

    def _begin(self) -> None:
        execution = self.run.execution
        buffers = {
            number: replace(buffer, data=buffer.data.copy())
            if buffer.data.flags.writeable
            else buffer
            for number, buffer in execution.buffers.items()
        }
        machine = Machine(
            execution.program, execution.chip, buffers, execution.blocks,
            self.run.options.budget, self.run.options.overflow,
        )  # fmt: skip
        blocks = np.array([self.block], dtype=np.int64)
        self._group = Group(machine, blocks, list(execution.registers))
        self._code = lower_program(execution.program)
        self._pc = 0

    def _go_on(self, step: int) -> Moment | None:
        group = self._group
        assert group is not None
        with np.errstate(all="ignore"):
            while self._pc >= 0 and len(group.steps) <= step:
                self._pc = self._code[self._pc](group)
        if len(group.steps) <= step:
            return None
        queues = {q.name: list(q.states) for q in group.pipe.queues.values()}
        flags = {key: len(pending) for key, pending in group.flags.items() if pending}
        return Moment(group.local[0].copy(), queues, flags)

    def values(self, moment: Moment, access: Access) -> list[Any]:
        """The first values of an access to local memory, in the dtype of its tensor."""
        dtype = self.dtypes.get(access.name)
        if access.space != "UB" or dtype is None or not access.total_nbytes:
            return []
        start = int(access.base)
        nbytes = min(access.nbytes, SHOWN * dtype.itemsize)
        raw = moment.local[start : start + nbytes // dtype.itemsize * dtype.itemsize]
        return raw.view(dtype.numpy).tolist()


def _buffers(access: Access) -> set[int]:
    if access.space != "GM":
        return set()
    return set((np.atleast_1d(access.base) >> ADDRESS_BITS).tolist())


def _dtypes(code: tuple[Any, ...]) -> dict[str, DType]:
    """The dtype of each tensor by its name in the source."""
    issues = (op for op in code if isinstance(op, Issue))
    tensors = (v for op in issues for v in op.operands.values())
    return {t.name: t.dtype for t in tensors if isinstance(t, Tensor)}
