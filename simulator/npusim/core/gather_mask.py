"""`gather_mask`: packs the elements that a pattern picks, and counts them.

A pattern is a number (1: every first of two, 2: every second, 3–6: the first … fourth
of four, 7: all) or a tensor of bits, lowest bit first. In normal mode every repeat
offers all its elements, in counter mode `mask` of them. The result packs from the start
of dst on; its length is the instruction's value. Source: public Ascend C documentation
of GatherMask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npusim.core.group import Group
from npusim.core.layout import (
    Part,
    accesses,
    element_index,
    extent,
    first_of_each,
)
from npusim.core.masks import check_repeats, per_repeat
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.operands import (
    Lowering,
    Operand,
    check_alignment,
    check_local,
    check_range,
)
from npusim.core.permute import refuse_overlap
from npusim.core.plan import Operation, plan_finder
from npusim.core.shape import placed
from npusim.core.signals import stop
from npusim.core.stream import Access, Cost, Step
from npusim.lang.program import Issue

PATTERNS: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    1: lambda lane: lane % 2 == 0,
    2: lambda lane: lane % 2 == 1,
    3: lambda lane: lane % 4 == 0,
    4: lambda lane: lane % 4 == 1,
    5: lambda lane: lane % 4 == 2,
    6: lambda lane: lane % 4 == 3,
    7: lambda lane: lane >= 0,
}
FIELDS = (
    "repeat_times", "src0_block_stride", "src0_repeat_stride", "src1_repeat_stride",
)  # fmt: skip


class _Plan(NamedTuple):
    offered: np.ndarray  # elements offered, [repeats, lanes]
    picked: np.ndarray | None  # of a numbered pattern, [repeats, lanes]
    bits: np.ndarray | None  # bytes of a tensor pattern, [blocks, bytes]
    bit_index: np.ndarray | None
    into: int
    room: int
    step: Step


@dataclass(frozen=True)
class GatherMask:
    """The row of `gather_mask`."""

    name: str = "gather_mask"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        dst, src = lowering.tensor(issue, "dst"), lowering.tensor(issue, "src0")
        has_tensor = hasattr(issue.operands["src1_pattern"], "position")
        values = [dst.address, dst.size, src.address, src.size]
        values += lowering.fields(issue, "params", FIELDS)
        values.append(lowering.integer(issue, "mask"))
        pattern = lowering.tensor(issue, "src1_pattern") if has_tensor else None
        if pattern is not None:
            values += [pattern.address, pattern.size]
        else:
            values.append(lowering.integer(issue, "src1_pattern"))
        work = _Work(issue, pc, dst, src, pattern)
        find = plan_finder(issue, pc, values, work.prepare)
        target = issue.results[0] if issue.results else None

        def operation(group: Group) -> int:
            plan = find(group)
            picked = _picked(group, plan)
            counts = picked.reshape(group.lanes, -1).sum(1)
            work.check_room(group, plan, counts)
            _pack(group, dst, plan, picked)
            if target is not None:
                same = bool((counts == counts[0]).all())
                group.regs[target] = int(counts[0]) if same else counts.astype(np.int64)
            group.record(plan.step)
            return pc + 1

        return operation


def _picked(group: Group, plan: _Plan) -> np.ndarray:
    """Which of the offered elements are taken, `[blocks, elements]`."""
    if plan.picked is not None:
        shape = (group.lanes, plan.picked.size)
        return np.broadcast_to(plan.picked.reshape(-1), shape)
    assert plan.bits is not None and plan.bit_index is not None
    bits = np.unpackbits(plan.bits, axis=1, bitorder="little").view(bool)
    return bits[:, plan.bit_index.reshape(-1)]


def _pack(group: Group, dst: Operand, plan: _Plan, picked: np.ndarray) -> None:
    memory = group.local.view(dst.dtype.numpy)
    first = plan.into // dst.dtype.itemsize
    for row in range(group.lanes):
        found = memory[row, plan.offered.reshape(-1)[picked[row]]]
        memory[row, first : first + len(found)] = found


class _Work(NamedTuple):
    issue: Issue
    pc: int
    dst: Operand
    src: Operand
    pattern: Operand | None

    def prepare(self, group: Group, steps: int, values: Sequence[int]) -> _Plan:
        into, room, out_of, size, times, block, repeat, stride, mask, *rest = values
        src, dst, issue = self.src, self.dst, self.issue
        check_repeats(issue, times)
        width = per_repeat(src.dtype.itemsize)
        lanes = self._lanes(group, mask, width, times)
        part, layout = Part(0, times, ((0, lanes),)), placed(src, out_of, block, repeat)
        offered = first_of_each(lanes, times)
        check_local(group, src, out_of, size, extent(layout, offered), "read")
        check_alignment(group, dst, into, DATA_BLOCK_NBYTES)
        group.fill(min(into + room * dst.dtype.itemsize, group.machine.chip.ub_nbytes))
        reads = accesses(layout, offered, src.name)
        index = element_index(layout, part)
        made: Any = (None, None, None)
        if self.pattern is None:
            made = (self._numbered(rest[0], lanes, times), None, None)
        else:
            found, read = self._tensor(group, rest, stride, lanes, times)
            made, reads = (None, *found), (*reads, read) if times else reads
        writes = self._writes(into, room, made[0], lanes * times)
        if into != out_of and made[0] is not None:
            refuse_overlap(group, dst, src, writes, reads, out_of)
        cost = Cost("vector", issue.name, times * -(-lanes // width), src.dtype.name)
        step = Step(
            self.pc, issue.where, issue.name, "V", reads, writes, cost, None, steps
        )
        picked, bits, bit_index = made
        return _Plan(index, picked, bits, bit_index, into, room, step)

    def _lanes(self, group: Group, mask: int, width: int, times: int) -> int:
        """Elements that a repeat offers; all repeats at most what fills UB."""
        if not self.issue.operands["reduce_mode"]:
            return width
        room = group.machine.chip.ub_nbytes // self.src.dtype.itemsize
        limit = max(width, room // max(1, times))
        check_range(self.issue.where, self.issue.name, "mask", mask, 1, limit)
        return mask

    def _numbered(self, number: int, lanes: int, times: int) -> np.ndarray:
        where, name = self.issue.where, self.issue.name
        check_range(where, name, "src1_pattern", number, min(PATTERNS), max(PATTERNS))
        return np.tile(PATTERNS[number](np.arange(lanes)), (times, 1))

    def _tensor(
        self, group: Group, place: Sequence[int], stride: int, lanes: int, times: int
    ) -> tuple[tuple[np.ndarray, np.ndarray], Access]:
        assert self.pattern is not None
        (address, size), pitch = place, stride * DATA_BLOCK_NBYTES
        nbytes = -(-lanes // 8)
        total = (times - 1) * pitch + nbytes if times else 0
        check_local(group, self.pattern, address, size, total, "read")
        bits = group.local[:, address : address + total]
        index = np.arange(times)[:, None] * pitch * 8 + np.arange(lanes)
        read = Access("UB", address, nbytes, times, pitch, self.pattern.name)
        return (bits, index), read

    def _writes(
        self, into: int, room: int, picked: np.ndarray | None, most: int
    ) -> tuple[Access, ...]:
        itemsize = self.dst.dtype.itemsize
        count = min(room, most) if picked is None else int(picked.sum())
        nbytes, loose = count * itemsize, picked is None
        run = Access("UB", into, nbytes, 1, nbytes, self.dst.name, loose=loose)
        return (run,) if nbytes else ()

    def check_room(self, group: Group, plan: _Plan, counts: np.ndarray) -> None:
        """ASC-UB-10 for blocks whose result is longer than dst."""
        dst = self.dst
        capacity = group.machine.chip.ub_nbytes - plan.into
        room = min(plan.room * dst.dtype.itemsize, capacity)
        nbytes = counts * dst.dtype.itemsize
        bad = nbytes > room
        if bad.any():
            byte = plan.into - group.segment.origin(plan.into)
            facts = {
                "kind": "write",
                "nbytes": nbytes,
                "buffer": dst.name,
                "byte": byte,
            }
            facts |= {"element": dst.element(byte), "buffer_nbytes": byte + room}
            facts["dtype"] = dst.dtype.name
            stop("ASC-UB-10", dst.where, bad, operation=dst.operation, **facts)
