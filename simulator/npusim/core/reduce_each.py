"""whole_, block_ and pair_ reductions: results of each repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from npusim.core.group import Group
from npusim.core.layout import Part
from npusim.core.masks import per_repeat
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.operands import Lowering, check_alignment, check_end, check_range
from npusim.core.overlap import runs_ahead, shared_nbytes, stop_overlap
from npusim.core.plan import Operation, plan_finder
from npusim.core.reduce import (
    Clamp,
    extreme,
    index_bits,
    lane_list,
    lost_in_sum,
    spread,
    tree,
)
from npusim.core.reduction import ReducePlan, Reduction, elements_of, reduction
from npusim.core.shape import MAX_BLOCK_STRIDE, Shaped
from npusim.core.stream import Access
from npusim.lang.program import Issue
from npusim.lang.types import ReduceOrder


@dataclass(frozen=True)
class ReduceEach:
    """whole_, block_ and pair_ reductions: one result for `lanes` elements of a repeat
    (0: for all of them). `largest` None: sums."""

    name: str
    unit_nbytes: int = 0  # a result stands for so many bytes of source; 0: a repeat
    largest: bool | None = None
    pairs: bool = False

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        made = reduction(issue, pc, lowering)
        order: Any = issue.operands.get("order", ReduceOrder.ORDER_VALUE_INDEX)
        plain = self.largest is None or self._group(made) > 0
        work = _Each(self, made, None if plain else order)
        values = [
            made.dst.address,
            made.dst.size,
            lowering.integer(issue, "dst_rep_stride"),
        ]
        find = plan_finder(
            issue, pc, [*values, *made.shape.values], work.prepare, made.shape.state
        )

        def operation(group: Group) -> int:
            plan = find(group)
            for (part, window), target in zip(plan.sources, plan.targets, strict=True):
                work.reduce(group, part, elements_of(window), target)
            group.record(plan.step)
            return pc + 1

        return operation

    def _group(self, made: Reduction) -> int:
        """Elements of one result; 0: a whole repeat."""
        return 2 if self.pairs else self.unit_nbytes // made.src.dtype.itemsize


@lru_cache(maxsize=256)
def _groups(runs: tuple[tuple[int, int], ...], members: int) -> list[int]:
    """Which groups of `members` lanes have a lane in `runs`."""
    return sorted({lane // members for lane in lane_list(runs).tolist()})


class _Each(NamedTuple):
    row: ReduceEach
    made: Reduction
    order: ReduceOrder | None  # of the extremes of whole repeats

    @property
    def results(self) -> int:
        """Elements that a repeat leaves behind."""
        width = per_repeat(self.made.src.dtype.itemsize)
        members = self.row._group(self.made)
        if members:
            return width // members
        both = (ReduceOrder.ORDER_VALUE_INDEX, ReduceOrder.ORDER_INDEX_VALUE)
        return 2 if self.order in both else 1

    def prepare(
        self, group: Group, scalar_steps: int, values: Sequence[int]
    ) -> ReducePlan:
        made, dst = self.made, self.made.dst
        (into, room, stride), rest = made.shape.split(values, 3)
        shaped = made.shape.read(group, rest)
        role = "dst_rep_stride"
        check_range(dst.where, dst.operation, role, stride, 0, MAX_BLOCK_STRIDE)
        itemsize, results = dst.dtype.itemsize, self.results
        pitch = stride * results * itemsize
        required = min(results * itemsize, DATA_BLOCK_NBYTES)
        pair = {"reason": "pair"} if self.order is not None and results == 2 else {}
        check_alignment(group, dst, into, required, **pair)
        sources = made.sources(group, shaped)
        writes, targets = [], []
        for part, _ in sources:
            kept = self._kept(part)
            start, number = into + part.first * pitch, part.number
            end = part.first * pitch + (number - 1) * pitch + (kept[-1] + 1) * itemsize
            check_end(group, dst, into, room, end, "write")
            targets.append(self._target(group, start, number, pitch))
            writes += self._writes(start, number, pitch, kept)
        self._check_overlap(group, shaped, writes, into, pitch)
        step = made.step(shaped, writes, shaped.lanes.repeats, scalar_steps)
        return ReducePlan(sources, targets, step)

    def _kept(self, part: Part) -> list[int]:
        """Which results of a repeat have any element."""
        members = self.row._group(self.made)
        if not members:
            return list(range(self.results))
        return _groups(part.runs, members)

    def _target(self, group: Group, start: int, number: int, pitch: int) -> np.ndarray:
        dtype, memory = self.made.dst.dtype, group.local
        strides = (memory.strides[0], pitch, dtype.itemsize)
        shape = (group.lanes, number, self.results)
        room = memory.shape[1] - start - (number - 1) * pitch
        shape = (*shape[:2], min(self.results, room // dtype.itemsize))
        return np.ndarray(shape, dtype.numpy, memory, start, strides)

    def _writes(
        self, start: int, number: int, pitch: int, kept: list[int]
    ) -> list[Access]:
        name, itemsize = self.made.dst.name, self.made.dst.dtype.itemsize
        runs: list[list[int]] = []
        for result in kept:
            if runs and result == runs[-1][1]:
                runs[-1][1] += 1
            else:
                runs.append([result, result + 1])
        return [
            Access(
                "UB", start + first * itemsize, (end - first) * itemsize, number, pitch,
                name,
            )
            for first, end in runs
        ]  # fmt: skip

    def _check_overlap(
        self, group: Group, shaped: Shaped, writes: list[Access], into: int, pitch: int
    ) -> None:
        """Results may go to where the source starts: they are shorter than it. Not if
        their stride carries them ahead of what is still to be read."""
        layout = shaped.layouts[0]
        extent = self.results * self.made.dst.dtype.itemsize
        ahead = runs_ahead(shaped.lanes.repeats, extent, pitch, layout)
        if layout.address == into and not ahead:
            return
        shared = shared_nbytes(writes, shaped.runs[0])
        if shared:
            made = self.made
            stop_overlap(group, made.dst, made.src, layout.address, shared)

    def reduce(
        self, group: Group, part: Part, values: np.ndarray, target: np.ndarray
    ) -> None:
        """The results of the repeats of one part, stored."""
        lanes, kept = lane_list(part.runs), self._kept(part)
        if self.row.largest is not None:
            found = self._extremes(values, lanes)
        else:
            found = self._sums(group, values, lanes)
        if target.strides[1] >= (kept[-1] + 1) * target.itemsize:
            target[:, :, kept] = found[:, :, kept]
            return
        for repeat in range(part.number):  # in order: results share places
            target[:, repeat, kept] = found[:, repeat][:, kept]

    def _sums(self, group: Group, values: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        made = self.made
        width = per_repeat(made.src.dtype.itemsize)
        full = spread(values, lanes, width)
        members = self.row._group(made) or width
        grouped = full.reshape(*full.shape[:2], -1, members)
        clamp = Clamp(made.src.dtype, group.machine.overflow, group.lanes)
        found = tree(grouped, clamp)
        made.count_lost(group, clamp.lost_each(found, lost_in_sum(found, grouped)))
        return found

    def _extremes(self, values: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        members, largest = self.row._group(self.made), bool(self.row.largest)
        if members:
            return self._extreme_groups(values, lanes, members, largest)
        value, position = extreme(values, largest)
        index = index_bits(lanes[position], self.made.dst.dtype)
        shown: dict[Any, tuple[np.ndarray, ...]] = {
            ReduceOrder.ORDER_VALUE_INDEX: (value, index),
            ReduceOrder.ORDER_INDEX_VALUE: (index, value),
            ReduceOrder.ORDER_ONLY_VALUE: (value,),
            ReduceOrder.ORDER_ONLY_INDEX: (index,),
        }
        return np.stack(shown[self.order], -1)

    def _extreme_groups(
        self, values: np.ndarray, lanes: np.ndarray, members: int, largest: bool
    ) -> np.ndarray:
        width = per_repeat(self.made.src.dtype.itemsize)
        worst = -np.inf if largest else np.inf
        full = np.full((*values.shape[:2], width), worst, values.dtype)
        full[..., lanes] = values
        return extreme(full.reshape(*full.shape[:2], -1, members), largest)[0]
