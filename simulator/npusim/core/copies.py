"""Copies: GM→UB on MTE2, UB→GM on MTE3, UB→UB on V.

The local side has a plan (views, accesses); the global side may lie elsewhere for each
block and each time, so it is resolved at every execution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npusim.core.atomics import check_atomic_copy
from npusim.core.convert import to_element
from npusim.core.descriptor import (
    COPY_FIELDS,
    PAD_FIELDS,
    Bursts,
    from_blocks,
    from_bytes,
    from_count,
    whole_blocks,
)
from npusim.core.group import Group
from npusim.core.memory import POISON, REPEAT_NBYTES, Place, local_window
from npusim.core.operands import (
    Lowering,
    Operand,
    check_local,
    resolve_global,
)
from npusim.core.overlap import shared_nbytes, stop_overlap
from npusim.core.plan import Operation, plan_finder
from npusim.core.scalar import Value
from npusim.core.signals import Stop, stop
from npusim.core.stream import Access, Cost, Step
from npusim.core.units import warn_mixed_units
from npusim.lang.program import Issue

Describe = Callable[[Operand, Operand, Sequence[int]], Bursts]


class CopyPlan(NamedTuple):
    """The local side of a copy: window, padding windows and accesses."""

    bursts: Bursts
    window: np.ndarray
    paddings: tuple[np.ndarray, ...]
    undefined: tuple[np.ndarray, ...]
    accesses: tuple[Access, ...]
    scalar_steps: int


@dataclass(frozen=True)
class Copy:
    """One row of the table: how each form describes its bursts."""

    name: str

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        dst, src = lowering.tensor(issue, "dst"), lowering.tensor(issue, "src")
        describe, values = _description(issue, lowering)
        paths = {("UB", "GM"): _copy_in, ("GM", "UB"): _copy_out, ("UB", "UB"): _within}
        path = paths.get((dst.memory, src.memory))
        if path is None:
            facts = {"source": src.memory, "target": dst.memory}
            return lambda group: stop(
                "ASC-PATH-07", issue.where, operation=issue.name, **facts
            )
        value = _pad_value(issue, lowering)
        return path(_Copy(issue, pc, dst, src, describe, values, value))


class _Copy(NamedTuple):
    issue: Issue
    pc: int
    dst: Operand
    src: Operand
    describe: Describe
    values: list[Value]
    pad_value: Value

    def step(
        self,
        pipe: str,
        reads: tuple[Access, ...],
        writes: tuple[Access, ...],
        cost: Cost,
        scalar_steps: int,
    ) -> Step:
        where, name = self.issue.where, self.issue.name
        return Step(self.pc, where, name, pipe, reads, writes, cost, None, scalar_steps)


def _description(issue: Issue, lowering: Lowering) -> tuple[Describe, list[Value]]:
    if issue.name == "data_copy_pad":
        fields = lowering.fields(issue, "params", COPY_FIELDS)
        return from_bytes, fields + lowering.fields(issue, "pad_params", PAD_FIELDS)
    if "params" in issue.operands:
        return from_blocks, lowering.fields(issue, "params", COPY_FIELDS)
    return from_count, [lowering.integer(issue, "count")]


def _described(group: Group, copy: _Copy, values: Sequence[int]) -> Bursts:
    """What the copy moves; where a launch outlives ASC-MTE-01, whole data blocks."""
    try:
        return copy.describe(copy.dst, copy.src, values)
    except Stop as fault:
        if not group.outlives(fault):
            raise
        return whole_blocks(copy.dst, values)


def _pad_value(issue: Issue, lowering: Lowering) -> Value:
    return lowering.fields(issue, "pad_params", ("padding_value",))[0]


# ------------------------------------------------------------------------------ GM→UB
def _copy_in(copy: _Copy) -> Operation:
    dst, src, following = copy.dst, copy.src, copy.pc + 1
    find = plan_finder(
        copy.issue, copy.pc, [dst.address, dst.size, *copy.values], _plan_in(copy)
    )

    def operation(group: Group) -> int:
        plan = find(group)
        registers, bursts = group.regs, plan.bursts
        address = src.address(registers)
        reads: tuple[Access, ...] = ()
        size, extent = src.size(registers), bursts.source_extent
        if extent:
            place = resolve_global(group, src, address, size, extent, "read")
            shape = (bursts.number, bursts.nbytes)
            pitch = bursts.source_pitch
            if deferred := group.machine.deferred:
                deferred.before(group, src, place, shape, pitch, True)
            _fill(group, copy, plan)
            for rows, window in place.windows(group.lanes, shape, pitch, False):
                plan.window[rows] = window
            reads = (_global_access(address, bursts, pitch, src),)
        cost = Cost("copy", "gm_to_ub", bursts.number, dst.dtype.name)
        group.record(copy.step("MTE2", reads, plan.accesses, cost, plan.scalar_steps))
        return following

    return operation


def _plan_in(copy: _Copy) -> Callable:
    def prepare(group: Group, scalar_steps: int, values: Sequence[int]) -> CopyPlan:
        address, size = values[:2]
        bursts = _described(group, copy, values[2:])
        if copy.issue.name == "data_copy_pad":
            warn_mixed_units(group, copy.dst, bursts, "dst_stride", values[5])
        room = size + _slack(copy.dst, bursts.tail)
        check_local(group, copy.dst, address, room, bursts.target_extent, "write")
        count, pitch = bursts.number, bursts.target_pitch
        data = address + bursts.left
        end = data + bursts.nbytes
        window = local_window(group.local, data, bursts.nbytes, count, pitch)
        spaces = [
            (local_window(group.local, start, nbytes, count, pitch))
            for start, nbytes in ((address, bursts.left), (end, bursts.right))
            if nbytes
        ]
        tail = local_window(group.local, end + bursts.right, bursts.tail, count, pitch)
        undefined = [tail] if bursts.tail else []
        if not bursts.filled:
            undefined, spaces = spaces + undefined, []
        accesses = tuple(_accesses_in(copy.dst, address, bursts))
        return CopyPlan(
            bursts, window, tuple(spaces), tuple(undefined), accesses, scalar_steps
        )

    return prepare


def _slack(operand: Operand, tail: int) -> int:
    """Elements by which the filler of a last data block may pass a tensor's end."""
    return -(-tail // operand.dtype.itemsize)


def _accesses_in(dst: Operand, address: int, bursts: Bursts) -> list[Access]:
    """What a copy-in writes: data with defined padding, then undefined bytes."""
    if not bursts.number:
        return []
    before, behind = bursts.left, bursts.right
    start, nbytes = address + before, bursts.nbytes
    if bursts.filled:
        start, nbytes = address, before + nbytes + behind
        before = behind = 0
    behind += bursts.tail
    runs = [(start, nbytes, False), (address, before, True)]
    runs.append((start + nbytes, behind, True))
    return [
        Access("UB", base, length, bursts.number, bursts.target_pitch, dst.name, poison)
        for base, length, poison in runs
        if length
    ]


def _fill(group: Group, copy: _Copy, plan: CopyPlan) -> None:
    for window in plan.undefined:
        window[...] = POISON
    if plan.paddings:
        dtype, issue = copy.dst.dtype, copy.issue
        value = copy.pad_value(group.regs)
        number = to_element(value, dtype, issue.where, issue.name, "padding_value")
        for window in plan.paddings:
            elements = window.view(dtype.numpy)
            elements[...] = number[:, None, None] if number.ndim else number


def _global_access(
    address: Any, bursts: Bursts, pitch: int, operand: Operand
) -> Access:
    return Access("GM", address, bursts.nbytes, bursts.number, pitch, operand.name)


# ------------------------------------------------------------------------------ UB→GM
def _copy_out(copy: _Copy) -> Operation:
    dst, src, following = copy.dst, copy.src, copy.pc + 1
    find = plan_finder(
        copy.issue, copy.pc, [src.address, src.size, *copy.values], _plan_out(copy)
    )

    def operation(group: Group) -> int:
        plan = find(group)
        registers, bursts = group.regs, plan.bursts
        address = dst.address(registers)
        writes: tuple[Access, ...] = ()
        size, extent = dst.size(registers), bursts.target_extent
        if extent:
            place = resolve_global(group, dst, address, size, extent, "write")
            pitch = bursts.target_pitch
            _store(group, dst, place, plan.window, pitch)
            written = _global_access(address, bursts, pitch, dst)
            mode = group.atomic
            writes = (written._replace(atomic=mode.operation) if mode else written,)
        cost = Cost("copy", "ub_to_gm", bursts.number, src.dtype.name)
        group.record(copy.step("MTE3", plan.accesses, writes, cost, plan.scalar_steps))
        return following

    return operation


def _store(
    group: Group, dst: Operand, place: Place, source: np.ndarray, pitch: int
) -> None:
    """Write `source`, `[blocks, rows, bytes]`; under an atomic mode, log it."""
    deferred, mode, shape = group.machine.deferred, group.atomic, source.shape[1:]
    if mode is not None:
        check_atomic_copy(mode, dst, shape[1])
        deferred.accumulate(group, dst, place, source, pitch, mode)
        return
    if deferred:
        deferred.before(group, dst, place, shape, pitch, False)
    for rows, window in place.windows(group.lanes, shape, pitch, True):
        own = source[rows]
        window[...] = own[-1:] if len(window) == 1 else own


def _plan_out(copy: _Copy) -> Callable:
    def prepare(group: Group, scalar_steps: int, values: Sequence[int]) -> CopyPlan:
        address, size = values[:2]
        bursts = _described(group, copy, values[2:])
        if copy.issue.name == "data_copy_pad":
            warn_mixed_units(group, copy.src, bursts, "src_stride", values[4])
        check_local(group, copy.src, address, size, bursts.source_extent, "read")
        window, accesses = _local_side(
            group, copy.src, address, bursts, bursts.source_pitch
        )
        return CopyPlan(bursts, window, (), (), accesses, scalar_steps)

    return prepare


def _local_side(
    group: Group, operand: Operand, address: int, bursts: Bursts, pitch: int
) -> tuple[np.ndarray, tuple[Access, ...]]:
    count, nbytes = bursts.number, bursts.nbytes
    window = local_window(group.local, address, nbytes, count, pitch)
    access = Access("UB", address, nbytes, count, pitch, operand.name)
    return window, (access,) if count else ()


# ------------------------------------------------------------------------------ UB→UB
def _within(copy: _Copy) -> Operation:
    dst, src, following = copy.dst, copy.src, copy.pc + 1
    values = [dst.address, dst.size, src.address, src.size, *copy.values]
    find = plan_finder(copy.issue, copy.pc, values, _plan_within(copy))

    def operation(group: Group) -> int:
        target, source, step = find(group)
        target[...] = source
        group.record(step)
        return following

    return operation


def _plan_within(copy: _Copy) -> Callable:
    def prepare(group: Group, scalar_steps: int, values: Sequence[int]) -> Any:
        dst, src = copy.dst, copy.src
        bursts = _described(group, copy, values[4:])
        into, into_size, out_of, out_of_size = values[:4]
        check_local(group, dst, into, into_size, bursts.target_extent, "write")
        check_local(group, src, out_of, out_of_size, bursts.source_extent, "read")
        target, writes = _local_side(group, dst, into, bursts, bursts.target_pitch)
        source, reads = _local_side(group, src, out_of, bursts, bursts.source_pitch)
        if (into, bursts.target_pitch) != (out_of, bursts.source_pitch):
            shared = shared_nbytes(writes, reads)
            if shared:
                stop_overlap(group, dst, src, out_of, shared)
        repeats = -(-bursts.number * bursts.nbytes // REPEAT_NBYTES)
        cost = Cost("vector", "copy", repeats, dst.dtype.name)
        return target, source, copy.step("V", reads, writes, cost, scalar_steps)

    return prepare
