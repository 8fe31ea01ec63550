"""`compare`, `compare_scalar` and `select`: one bit an element, lowest bit first.

A comparison writes the bits of whole repeats one after the other; elements that a mask
leaves out give 0. NaN is unequal to everything. `select` reads bit i for element i; in
mode VSEL_CMPMASK_SPR all repeats share the bits of one. The count form of a comparison
works in whole repeats of 256 B (public Ascend C documentation of Compare and Select).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npusim.core.convert import to_element
from npusim.core.group import Group
from npusim.core.layout import Part, Window, load, store, views
from npusim.core.masks import per_repeat
from npusim.core.memory import REPEAT_NBYTES
from npusim.core.operands import Lowering, Operand, check_local
from npusim.core.overlap import check_overlap, shared_nbytes, stop_overlap
from npusim.core.plan import Operation, plan_finder
from npusim.core.reduce import lane_list
from npusim.core.shape import Shape, Shaped, shape_of
from npusim.core.signals import stop
from npusim.core.stream import Access, Cost, Step
from npusim.core.vector import Call, vector_step, windows
from npusim.lang.program import Issue
from npusim.lang.types import CMPMODE, SELMODE

ASKED: dict[CMPMODE, np.ufunc] = {
    CMPMODE.LT: np.less,
    CMPMODE.GT: np.greater,
    CMPMODE.EQ: np.equal,
    CMPMODE.LE: np.less_equal,
    CMPMODE.GE: np.greater_equal,
    CMPMODE.NE: np.not_equal,
}


def _width(tensor: Operand) -> int:
    return per_repeat(tensor.dtype.itemsize)


# ------------------------------------------------------------------------- comparisons
class _ComparePlan(NamedTuple):
    parts: list[tuple[Part, list[Window]]]
    bits: np.ndarray  # uint8[blocks, bytes]
    step: Step


@dataclass(frozen=True)
class Compare:
    """One row of the table; `scalar`: the second operand is a number."""

    name: str
    scalar: bool = False

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        roles = ("src0",) if self.scalar else ("src0", "src1")
        sources = [lowering.tensor(issue, role) for role in roles]
        dst = lowering.tensor(issue, "dst")
        work = _Comparison(issue, pc, dst, sources, shape_of(issue, lowering, sources))
        values = [dst.address, dst.size, *work.shape.values]
        find = plan_finder(issue, pc, values, work.prepare, work.shape.state)
        value = lowering.scalar(issue, issue.operands["src1"]) if self.scalar else None
        mode: Any = issue.operands["cmp_mode"]
        ask, width, dtype = ASKED[mode], _width(sources[0]), sources[0].dtype

        def operation(group: Group) -> int:
            plan = find(group)
            extra = []
            if value is not None:
                number = to_element(
                    value(group.regs), dtype, issue.where, self.name, "src1"
                )
                extra = [number.reshape(-1, 1, 1)]
            found = [
                _spread(ask(*map(_rows, map(load, call)), *extra), part, width)
                for part, call in plan.parts
            ]
            if found:
                plan.bits[...] = np.packbits(
                    np.concatenate(found, 1), axis=1, bitorder="little"
                )
            group.record(plan.step)
            return pc + 1

        return operation


def _rows(values: np.ndarray) -> np.ndarray:
    """`[blocks, repeats, lanes]` of a window of any shape."""
    return values.reshape(*values.shape[:2], -1)


def _spread(bits: np.ndarray, part: Part, width: int) -> np.ndarray:
    """The bits at their lanes of whole repeats, `[blocks, bits]`."""
    if bits.shape[2] % width:
        full = np.zeros((*bits.shape[:2], width), bool)
        full[:, :, lane_list(part.runs)] = bits
        bits = full
    return bits.reshape(len(bits), -1)


class _Comparison(NamedTuple):
    issue: Issue
    pc: int
    dst: Operand
    sources: list[Operand]
    shape: Shape

    def prepare(
        self, group: Group, scalar_steps: int, values: Sequence[int]
    ) -> _ComparePlan:
        (address, size), rest = self.shape.split(values, 2)
        if self.issue.form == "count":
            self._check_count(rest[-1])
        shaped = self.shape.read(group, rest)
        nbytes = self._nbytes(shaped)
        check_local(group, self.dst, address, size, nbytes, "write")
        written = (Access("UB", address, nbytes, 1, nbytes, self.dst.name),)
        for source, layout, runs in zip(
            self.sources, shaped.layouts, shaped.runs, strict=True
        ):
            shared = shared_nbytes(written, runs)
            if shared:
                stop_overlap(group, self.dst, source, layout.address, shared)
        typed = [
            (layout, source.dtype.numpy)
            for layout, source in zip(shaped.layouts, self.sources, strict=True)
        ]
        parts = [(part, views(group.local, typed, part)) for part in shaped.lanes.parts]
        bits = group.local[:, address : address + nbytes]
        step = self._step(shaped, written if nbytes else (), scalar_steps)
        return _ComparePlan(parts, bits, step)

    def _check_count(self, count: int) -> None:
        source = self.sources[0]
        nbytes = count * source.dtype.itemsize
        if nbytes % REPEAT_NBYTES:
            facts = {"count": count, "dtype": source.dtype.name, "nbytes": nbytes}
            facts |= {"buffer": source.name, "required": REPEAT_NBYTES}
            stop("ASC-CMP-32", self.issue.where, operation=self.issue.name, **facts)

    def _nbytes(self, shaped: Shaped) -> int:
        if not shaped.masked:
            return shaped.lanes.elements // 8
        return shaped.lanes.repeats * _width(self.sources[0]) // 8

    def _step(self, shaped: Shaped, written: tuple, scalar_steps: int) -> Step:
        source, issue = self.sources[0], self.issue
        nbytes = shaped.lanes.elements * source.dtype.itemsize
        repeats = shaped.lanes.repeats if shaped.masked else -(-nbytes // REPEAT_NBYTES)
        cost = Cost("vector", issue.name, repeats, source.dtype.name)
        reads = tuple(run for runs in shaped.runs for run in runs)
        return Step(
            self.pc, issue.where, issue.name, "V", reads, written, cost, None,
            scalar_steps,
        )  # fmt: skip


# ------------------------------------------------------------------------------ select
class _SelectPlan(NamedTuple):
    calls: list[tuple[Call, np.ndarray]]  # windows, and which bit each element has
    bits: np.ndarray
    step: Step


@dataclass(frozen=True)
class Select:
    """The row of `select`; its second source may be a number."""

    name: str = "select"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        other = issue.operands["src1"]
        has_tensor = hasattr(other, "position")
        roles = ("dst", "src0", "src1") if has_tensor else ("dst", "src0")
        tensors = [lowering.tensor(issue, role) for role in roles]
        work = _Selection(
            issue, pc, tensors, lowering.tensor(issue, "sel_mask"),
            shape_of(issue, lowering, tensors),
        )  # fmt: skip
        values = [work.mask.address, work.mask.size, *work.shape.values]
        find = plan_finder(issue, pc, values, work.prepare, work.shape.state)
        scalar = None if has_tensor else lowering.scalar(issue, other)
        dtype = tensors[0].dtype

        def operation(group: Group) -> int:
            plan = find(group)
            bits = np.unpackbits(plan.bits, axis=1, bitorder="little").view(bool)
            number = None
            if scalar is not None:
                number = to_element(
                    scalar(group.regs), dtype, issue.where, self.name, "src1"
                )
            for call, index in plan.calls:
                _choose(call, bits[:, index], number)
            group.record(plan.step)
            return pc + 1

        return operation


def _choose(call: Call, bits: np.ndarray, number: Any) -> None:
    first = load(call[1])
    if number is None:
        second = load(call[2])
    else:
        second = number.reshape(-1, *[1] * (first.ndim - 1)) if number.ndim else number
    store(call[0], np.where(bits.reshape(first.shape), first, second))


class _Selection(NamedTuple):
    issue: Issue
    pc: int
    tensors: list[Operand]
    mask: Operand
    shape: Shape

    def prepare(
        self, group: Group, scalar_steps: int, values: Sequence[int]
    ) -> _SelectPlan:
        (address, size), rest = self.shape.split(values, 2)
        shaped = self.shape.read(group, rest)
        check_overlap(group, self.tensors, shaped)
        calls = [
            (call, self._bit_index(part))
            for part, call in windows(group, self.tensors, shaped)
        ]
        last = max((int(index.max()) for _, index in calls), default=-1)
        nbytes = last // 8 + 1
        check_local(group, self.mask, address, size, nbytes, "read")
        read = Access("UB", address, nbytes, 1, nbytes, self.mask.name)
        shared = shared_nbytes(shaped.runs[0], (read,))
        if shared:
            stop_overlap(group, self.tensors[0], self.mask, address, shared)
        step = vector_step(self.pc, self.tensors, shaped, scalar_steps)
        step = step._replace(reads=(*step.reads, read) if nbytes else step.reads)
        return _SelectPlan(calls, group.local[:, address : address + nbytes], step)

    def _bit_index(self, part: Part) -> np.ndarray:
        """Which bit belongs to each element, `[repeats, lanes]`."""
        width = _width(self.tensors[0])
        lanes = lane_list(part.runs)
        if self.issue.operands["sel_mode"] is SELMODE.VSEL_CMPMASK_SPR:
            return np.broadcast_to(lanes % width, (part.number, len(lanes)))
        repeats = np.arange(part.first, part.first + part.number)
        return repeats[:, None] * width + lanes
