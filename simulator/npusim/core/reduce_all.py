"""reduce_sum, reduce_max, reduce_min: all elements to one, with a work area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from npusim.core.group import Group
from npusim.core.masks import per_repeat
from npusim.core.operands import (
    Lowering,
    Operand,
    check_alignment,
    check_end,
    check_local,
    check_range,
)
from npusim.core.overlap import shared_nbytes
from npusim.core.plan import Operation, plan_finder
from npusim.core.reduce import (
    Clamp,
    extreme,
    folded_repeats,
    fours,
    index_bits,
    lane_list,
    one_after_another,
    spread,
    tmp_nbytes,
    tree,
)
from npusim.core.reduction import (
    ReducePlan,
    Reduction,
    Sources,
    elements_of,
    reduction,
)
from npusim.core.signals import stop
from npusim.core.stream import Access
from npusim.lang.program import Issue


@dataclass(frozen=True)
class ReduceAll:
    """reduce_sum, reduce_max, reduce_min; `largest` None: the sum."""

    name: str
    largest: bool | None = None

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        made = reduction(issue, pc, lowering)
        tmp = lowering.tensor(issue, "tmp")
        index = bool(issue.operands.get("index", False))
        values = [made.dst.address, made.dst.size, tmp.address, tmp.size]
        prepare = _PrepareAll(made, tmp, self.largest is None, index).prepare
        find = plan_finder(
            issue, pc, [*values, *made.shape.values], prepare, made.shape.state
        )
        reduce = _sum_all if self.largest is None else _extreme_all

        def operation(group: Group) -> int:
            plan = find(group)
            if plan.sources:
                plan.targets[0][...] = reduce(self, group, made, plan.sources, index)
            group.record(plan.step)
            return pc + 1

        return operation


def _sum_all(
    row: ReduceAll, group: Group, made: Reduction, sources: Sources, index: bool
) -> np.ndarray:
    width = per_repeat(made.src.dtype.itemsize)
    clamp = Clamp(made.src.dtype, group.machine.overflow, group.lanes)
    count_form = made.issue.form == "count"
    sums: list[np.ndarray] = []
    for part, window in sources:
        values = elements_of(window)
        if count_form:
            sums += _by_repeats(values[:, 0], width, clamp)
        else:
            sums.append(tree(spread(values, lane_list(part.runs), width), clamp))
    combine = one_after_another if count_form else tree
    result = combine(np.concatenate(sums, 1), clamp)
    made.count_lost(group, clamp.lost(result, lambda: _finite(group, sources)))
    return result[:, None]


def _finite(group: Group, sources: Sources) -> np.ndarray:
    """Blocks whose elements are all finite."""
    finite = np.ones(group.lanes, bool)
    for _, window in sources:
        finite &= np.isfinite(elements_of(window)).all((1, 2))
    return finite


def _by_repeats(values: np.ndarray, width: int, clamp: Clamp) -> list[np.ndarray]:
    """The sums of contiguous elements, repeat by repeat; the last may be short."""
    full = values.shape[1] // width
    rest = values[:, full * width :]
    whole = values[:, : full * width]
    if full and clamp.limit is None:  # on long rows, before they are cut up
        whole = fours(whole)
    sums = [tree(whole.reshape(len(values), full, -1), clamp)] if full else []
    return sums + ([tree(rest, clamp)[:, None]] if rest.shape[1] else [])


def _extreme_all(
    row: ReduceAll, group: Group, made: Reduction, sources: Sources, index: bool
) -> np.ndarray:
    width = per_repeat(made.src.dtype.itemsize)
    parts, places = [], []
    for part, window in sources:
        parts.append(elements_of(window).reshape(group.lanes, -1))
        repeats = np.arange(part.first, part.first + part.number)[:, None] * width
        places.append((repeats + lane_list(part.runs)).reshape(-1))
    value, position = extreme(np.concatenate(parts, 1), bool(row.largest))
    if not index:
        return value[:, None]
    found = index_bits(np.concatenate(places)[position], made.dst.dtype)
    return np.stack([value, found], 1)


class _PrepareAll(NamedTuple):
    made: Reduction
    tmp: Operand
    sums: bool
    indexed: bool

    def prepare(
        self, group: Group, scalar_steps: int, values: Sequence[int]
    ) -> ReducePlan:
        made, dst, dtype = self.made, self.made.dst, self.made.dst.dtype
        (into, room, work, work_size), rest = made.shape.split(values, 4)
        shaped = made.shape.read(group, rest)
        width = per_repeat(dtype.itemsize)
        elements = shaped.lanes.elements
        repeats = shaped.lanes.repeats if shaped.masked else -(-elements // width)
        nbytes = dtype.itemsize * (2 if self.indexed else 1)
        if self.indexed:  # an index is stored in the width of the dtype
            limit = 1 << 8 * dtype.itemsize
            check_range(dst.where, dst.operation, "count", elements, 0, limit)
        check_alignment(group, dst, into, dtype.itemsize * (1 if self.sums else 2))
        check_end(group, dst, into, room, nbytes, "write")
        needed = tmp_nbytes(repeats, dtype, self.sums, self.indexed)
        self._check_tmp(group, work, work_size, needed, elements)
        target = group.local[:, into : into + nbytes].view(dtype.numpy)
        result = Access("UB", into, nbytes, 1, nbytes, dst.name)
        if shared_nbytes((result,), shaped.runs[0]):
            result = result._replace(spoils="source")
        writes = [result]
        if needed:
            scratch = Access("UB", work, needed, 1, needed, self.tmp.name)
            writes.insert(0, scratch._replace(spoils="work"))
        folded = folded_repeats(repeats, width if self.sums else width // 2)
        step = made.step(shaped, writes, folded, scalar_steps)
        return ReducePlan(made.sources(group, shaped), [target], step)

    def _check_tmp(
        self, group: Group, address: int, size: int, needed: int, elements: int
    ) -> None:
        """ASC-TMP-14 for a work area that is too small."""
        tmp = self.tmp
        given = max(0, size * tmp.dtype.itemsize)
        if given < needed:
            facts = {"buffer": tmp.name, "count": elements, "dtype": tmp.dtype.name}
            facts |= {"nbytes": given, "required": needed}
            stop("ASC-TMP-14", tmp.where, operation=tmp.operation, **facts)
        check_local(group, tmp, address, size, needed, "write")
