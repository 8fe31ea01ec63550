"""Vector instructions in their count form: `op(dst, src…, [scalar,] count)` on pipe V.

Elements beyond `count` are untouched; a count of 0 does nothing but is still issued.
A family of instructions differs only in its table row (`Vector`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.core.convert import to_element
from npusim.core.group import Group
from npusim.core.memory import REPEAT_NBYTES
from npusim.core.numeric import SATURATION, Numeric, saturate
from npusim.core.operands import Lowering, Operand, check_local, check_range
from npusim.core.plan import Operation, plan_finder
from npusim.core.stream import Access, Cost, Step
from npusim.lang.program import Issue


@dataclass(frozen=True)
class Vector:
    """One row of the table: tensors read, and the value operand if there is one."""

    name: str
    numeric: Numeric
    sources: tuple[str, ...]
    scalar: str = ""
    pipe: str = "V"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        roles = ("dst", *self.sources)
        tensors = [lowering.tensor(issue, role) for role in roles]
        values = [f for t in tensors for f in (t.address, t.size)]
        values.append(lowering.integer(issue, "count"))
        maker = _PlanMaker(self.name, pc, tensors)
        find = plan_finder(issue, pc, values, maker.prepare)
        if self.scalar:
            return _with_scalar(self, issue, lowering, find, pc + 1)
        return _plain(self, tensors[0], find, pc + 1)


def _plain(row: Vector, dst: Operand, find: Any, following: int) -> Operation:
    numeric, limit = row.numeric, SATURATION.get(dst.dtype.name)

    def operation(group: Group) -> int:
        views, step = find(group)
        numeric(*views)
        if limit is not None and group.machine.overflow == "saturate":
            saturate(views[0], limit)
        group.record(step)
        return following

    return operation


def _with_scalar(
    row: Vector, issue: Issue, lowering: Lowering, find: Any, following: int
) -> Operation:
    scalar = lowering.scalar(issue, issue.operands[row.scalar])
    dst: Any = issue.operands["dst"]
    dtype, where = dst.dtype, issue.where
    numeric, limit = row.numeric, SATURATION.get(dtype.name)

    def operation(group: Group) -> int:
        views, step = find(group)
        number = to_element(scalar(group.regs), dtype, where, row.name, row.scalar)
        numeric(*views, number[:, None] if number.ndim else number)
        if limit is not None and group.machine.overflow == "saturate":
            saturate(views[0], limit)
        group.record(step)
        return following

    return operation


@dataclass(frozen=True)
class _PlanMaker:
    name: str
    pc: int
    tensors: Sequence[Operand]

    def prepare(self, group: Group, scalar_steps: int, values: Sequence[int]) -> Any:
        count, dst = values[-1], self.tensors[0]
        limit = group.machine.chip.ub_nbytes // dst.dtype.itemsize
        check_range(dst.where, self.name, "count", count, 0, limit)
        places = list(zip(self.tensors, values[::2], values[1::2], strict=False))
        for tensor, address, size in places:
            nbytes = count * tensor.dtype.itemsize
            kind = "write" if tensor is dst else "read"
            check_local(group, tensor, address, size, nbytes, kind)
        views = [_view(group, t, address, count) for t, address, _ in places]
        runs = [_run(t, address, count) for t, address, _ in places]
        return views, self._step(scalar_steps, runs, count)

    def _step(self, scalar_steps: int, runs: list, count: int) -> Step:
        dst = self.tensors[0]
        repeats = -(-count * dst.dtype.itemsize // REPEAT_NBYTES)
        cost = Cost("vector", self.name, repeats, dst.dtype.name)
        runs = runs if count else []
        reads, writes = tuple(runs[1:]), tuple(runs[:1])
        return Step(
            self.pc, dst.where, self.name, "V", reads, writes, cost, None, scalar_steps
        )


def _view(group: Group, tensor: Operand, address: int, count: int) -> np.ndarray:
    end = address + count * tensor.dtype.itemsize
    return group.local[:, address:end].view(tensor.dtype.numpy)


def _run(tensor: Operand, address: int, count: int) -> Access:
    nbytes = count * tensor.dtype.itemsize
    return Access(tensor.memory, address, nbytes, 1, nbytes, tensor.name)
