"""Instructions that move elements inside UB: brcb, gather, transpose.

Source: public Ascend C documentation of Brcb, Gather and Transpose. Which elements a
gather reads depends on its data, so the step says only that any byte of the source from
the base address on may be read (`Access.loose`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npusim.core.group import Group
from npusim.core.layout import accesses, extent, first_of_each, load, store, views
from npusim.core.masks import check_repeats, per_repeat
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.operands import Lowering, Operand, check_local, check_range
from npusim.core.overlap import check_overlap, shared_nbytes, stop_overlap
from npusim.core.plan import Operation, plan_finder
from npusim.core.shape import Shape, placed, shape_of, strides
from npusim.core.signals import stop
from npusim.core.stream import Access, Cost, Step
from npusim.core.vector import Call, vector_step, windows
from npusim.lang.program import Issue

BLOCKS = 8  # data blocks of a repeat
SIDE = 16  # of a transposed square


def _run(operand: Operand, address: int, nbytes: int) -> Access:
    return Access("UB", address, nbytes, 1, nbytes, operand.name)


def refuse_overlap(
    group: Group, dst: Operand, src: Operand, written: Any, read: Any, address: int
) -> None:
    """ASC-ALIAS-12 where two operands share bytes."""
    shared = shared_nbytes(written, read)
    if shared:
        stop_overlap(group, dst, src, address, shared)


# -------------------------------------------------------------------------------- brcb
@dataclass(frozen=True)
class Broadcast:
    """The row of `brcb`: eight elements a repeat, each fills one data block."""

    name: str = "brcb"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        dst, src = lowering.tensor(issue, "dst"), lowering.tensor(issue, "src")
        per_block = DATA_BLOCK_NBYTES // dst.dtype.itemsize
        width = BLOCKS * per_block
        values = [
            dst.address, dst.size, src.address, src.size,
            *strides(issue, lowering, dst, width),
            lowering.integer(issue, "repeat_times"),
        ]  # fmt: skip

        def prepare(group: Group, steps: int, numbers: Sequence[int]) -> Any:
            into, room, out_of, size, block, repeat, times = numbers
            check_repeats(issue, times)
            lanes, layout = (
                first_of_each(width, times),
                placed(dst, into, block, repeat),
            )
            check_local(group, dst, into, room, extent(layout, lanes), "write")
            nbytes = BLOCKS * times * src.dtype.itemsize
            check_local(group, src, out_of, size, nbytes, "read")
            writes = accesses(layout, lanes, dst.name)
            reads = (_run(src, out_of, nbytes),) if times else ()
            refuse_overlap(group, dst, src, writes, reads, out_of)
            source = group.local[:, out_of : out_of + nbytes].view(dst.dtype.numpy)
            typed = [(layout, dst.dtype.numpy)]
            target = [views(group.local, typed, part)[0] for part in lanes.parts]
            cost = Cost("vector", self.name, times, dst.dtype.name)
            step = Step(
                pc, issue.where, self.name, "V", reads, writes, cost, None, steps
            )
            return source, target, step

        find = plan_finder(issue, pc, values, prepare)

        def operation(group: Group) -> int:
            source, targets, step = find(group)
            for target in targets:
                filled = np.repeat(source, per_block, axis=1)
                store(target, filled.reshape(load(target).shape))
            group.record(step)
            return pc + 1

        return operation


# --------------------------------------------------------------------------- transpose
@dataclass(frozen=True)
class Transpose:
    """The row of `transpose`: 16 x 16 elements of 16 bits."""

    name: str = "transpose"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        dst, src = lowering.tensor(issue, "dst"), lowering.tensor(issue, "src")
        values = [dst.address, dst.size, src.address, src.size]
        nbytes = SIDE * SIDE * dst.dtype.itemsize

        def prepare(group: Group, steps: int, numbers: Sequence[int]) -> Any:
            into, room, out_of, size = numbers
            check_local(group, dst, into, room, nbytes, "write")
            check_local(group, src, out_of, size, nbytes, "read")
            writes, reads = (_run(dst, into, nbytes),), (_run(src, out_of, nbytes),)
            if into != out_of:
                refuse_overlap(group, dst, src, writes, reads, out_of)
            square = [_square(group, at, dst) for at in (into, out_of)]
            repeats = nbytes // (BLOCKS * DATA_BLOCK_NBYTES)
            cost = Cost("vector", self.name, repeats, dst.dtype.name)
            step = Step(
                pc, issue.where, self.name, "V", reads, writes, cost, None, steps
            )
            return *square, step

        find = plan_finder(issue, pc, values, prepare)

        def operation(group: Group) -> int:
            target, source, step = find(group)
            target[...] = source.swapaxes(1, 2).copy()
            group.record(step)
            return pc + 1

        return operation


def _square(group: Group, address: int, operand: Operand) -> np.ndarray:
    memory, itemsize = group.local, operand.dtype.itemsize
    pitches = (memory.strides[0], SIDE * itemsize, itemsize)
    shape = (group.lanes, SIDE, SIDE)
    return np.ndarray(shape, operand.dtype.numpy, memory, address, pitches)


# ------------------------------------------------------------------------------ gather
class _GatherPlan(NamedTuple):
    calls: list[Call]
    first: int  # byte of the source that offset 0 means
    limit: int  # bytes from there to the source's end
    step: Step


@dataclass(frozen=True)
class Gather:
    """The row of `gather`: offsets in bytes, each element by its own."""

    name: str = "gather"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        roles = ("dst", "src_offset")
        tensors = [lowering.tensor(issue, role) for role in roles]
        src = lowering.tensor(issue, "src")
        shape = shape_of(issue, lowering, tensors, per_repeat(src.dtype.itemsize))
        work = _Gathering(pc, tensors, src, shape)
        values = [src.address, src.size, lowering.integer(issue, "src_base_addr")]
        find = plan_finder(
            issue, pc, [*values, *shape.values], work.prepare, shape.state
        )
        itemsize, dtype = src.dtype.itemsize, src.dtype.numpy

        def operation(group: Group) -> int:
            plan = find(group)
            found = [_offsets(group, src, plan, call) for call in plan.calls]
            memory = group.local.view(dtype)
            rows = np.arange(group.lanes)[:, None]
            for call, nbytes in zip(plan.calls, found, strict=True):
                index = (plan.first + nbytes) // itemsize
                picked = memory[rows, index.reshape(group.lanes, -1)]
                store(call[0], picked.reshape(nbytes.shape))
            group.record(plan.step)
            return pc + 1

        return operation


def _offsets(group: Group, src: Operand, plan: _GatherPlan, call: Call) -> np.ndarray:
    """The byte offsets; ends the blocks that leave the source or miss an element."""
    offsets = load(call[1]).astype(np.int64)
    itemsize = src.dtype.itemsize
    flat = offsets.reshape(group.lanes, -1)
    crooked = (plan.first + flat) % itemsize != 0
    outside = flat + itemsize > plan.limit
    for wrong, code in ((crooked, "ASC-ALIGN-02"), (outside, "ASC-UB-10")):
        if wrong.any():
            _stop_gather(group, src, plan, flat, wrong, code)
    return offsets


def _stop_gather(
    group: Group,
    src: Operand,
    plan: _GatherPlan,
    flat: np.ndarray,
    wrong: Any,
    code: str,
) -> None:
    before = plan.first - group.segment.origin(plan.first)
    byte = before + flat[np.arange(len(flat)), wrong.argmax(1)]
    facts = {"buffer": src.name, "byte": byte, "element": byte // src.dtype.itemsize}
    facts |= {"kind": "read", "nbytes": src.dtype.itemsize, "dtype": src.dtype.name}
    facts |= {"operand": "src_offset", "memory": "UB", "required": src.dtype.itemsize}
    facts["buffer_nbytes"] = before + plan.limit
    stop(code, src.where, wrong.any(1), operation=src.operation, **facts)


class _Gathering(NamedTuple):
    pc: int
    tensors: list[Operand]
    src: Operand
    shape: Shape

    def prepare(self, group: Group, steps: int, values: Sequence[int]) -> _GatherPlan:
        (address, size, base), rest = self.shape.split(values, 3)
        src, dst = self.src, self.tensors[0]
        shaped = self.shape.read(group, rest)
        check_overlap(group, self.tensors, shaped)
        end = max(0, size * src.dtype.itemsize)
        check_range(src.where, src.operation, "src_base_addr", base, 0, end)
        limit = end - base
        nbytes = limit if shaped.lanes.parts else 0
        whole = base + nbytes if nbytes else 0
        check_local(group, src, address, size, whole, "read")
        read = _run(src, address + base, nbytes)._replace(loose=True)
        refuse_overlap(group, dst, src, shaped.runs[0], (read,), address)
        calls = [call for _, call in windows(group, self.tensors, shaped)]
        step = vector_step(self.pc, self.tensors, shaped, steps)
        step = step._replace(reads=(*step.reads, read) if nbytes else step.reads)
        repeats = -(-shaped.lanes.elements * dst.dtype.itemsize // 256)
        step = step._replace(cost=step.cost._replace(repeats=repeats, banks=()))
        return _GatherPlan(calls, address + base, limit, step)
