"""Elementwise vector instructions: `dst[i] = f(src[i], …)` on pipe V, in every form.

Elements that no lane names are untouched; a count or repeat_times of 0 does nothing
but is still issued. A family of instructions differs only in its table row (`Vector`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npusim.core.convert import to_element
from npusim.core.group import Group
from npusim.core.layout import (
    Part,
    Picked,
    Shown,
    Window,
    element_index,
    load,
    store,
    views,
)
from npusim.core.memory import REPEAT_NBYTES
from npusim.core.numeric import SATURATION, Numeric, is_infinite, saturate
from npusim.core.operands import Lowering, Operand
from npusim.core.overlap import check_overlap, repeats_overlap, warn_stride
from npusim.core.plan import Operation, plan_finder
from npusim.core.shape import Shape, Shaped, shape_of
from npusim.core.signals import stop
from npusim.core.stream import Cost, Step
from npusim.core.tally import COUNTED, count_overflow
from npusim.lang.program import Issue

Call = tuple[Window, ...]  # destination, then sources
Inspect = Callable[[Group, int, np.ndarray, Sequence[np.ndarray]], None]


@dataclass(frozen=True)
class Vector:
    """One row of the table: tensors read, and the value operand if there is one.

    A source "dst" is the destination's old contents. `pole`: a zero of the last source
    makes Inf without overflow. `inspect` looks at results and sources.
    """

    name: str
    numeric: Numeric
    sources: tuple[str, ...]
    scalar: str = ""
    overflows: bool = False
    pole: bool = False
    lowest: int | None = None  # of an integer scalar
    inspect: Inspect | None = None
    pipe: str = "V"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        tensors = [lowering.tensor(issue, role) for role in ("dst", *self.sources)]
        shape = shape_of(issue, lowering, tensors)
        find = plan_finder(
            issue, pc, shape.values, preparer(pc, tensors, shape), shape.state
        )
        scalar = self._scalar(issue, lowering) if self.scalar else None
        return _operation(_Work(self, tensors[0], issue.where), find, scalar, pc + 1)

    def _scalar(self, issue: Issue, lowering: Lowering) -> Callable[[Group], Any]:
        """The value operand as an element of the tensor it belongs to."""
        value = lowering.scalar(issue, issue.operands[self.scalar])
        holder: Any = issue.operands[(*self.sources, "dst")[0]]
        dtype, where, low = holder.dtype, issue.where, self.lowest

        def element(group: Group) -> Any:
            number = to_element(value(group.regs), dtype, where, self.name, self.scalar)
            if low is not None:
                check_lowest(number, low, where, self.name, self.scalar)
            return number[:, None, None] if number.ndim else number

        return element


def check_lowest(number: Any, low: int, where: int, name: str, role: str) -> None:
    """ASC-RUN-07 for a scalar below `low`."""
    bad = number < low
    if bad.any():
        facts = {"operand": role, "value": number, "required": f"≥ {low}"}
        stop("ASC-RUN-07", where, bad if bad.ndim else True, operation=name, **facts)


class VectorPlan(NamedTuple):
    """The windows of an instruction, in the order they are computed, and its step."""

    calls: tuple[Call, ...]
    step: Step
    aliased: bool  # the destination is one of the sources
    direct: bool  # one call on windows [blocks, repeats, lanes]
    shown: bool  # some of these are `Shown`


class _Work(NamedTuple):
    row: Vector
    dst: Operand
    where: int


def _operation(
    work: _Work, find: Any, scalar: Callable[[Group], Any] | None, following: int
) -> Operation:
    name = work.dst.dtype.name
    watched = work.row.inspect is not None or work.row.overflows and name in COUNTED
    limit = SATURATION.get(name)

    numeric = work.row.numeric

    def operation(group: Group) -> int:
        plan = find(group)
        extra = () if scalar is None else (scalar(group),)
        clamp = limit if group.machine.overflow == "saturate" else None
        if plan.direct and clamp is None and not watched:
            call = map(load, plan.calls[0]) if plan.shown else plan.calls[0]
            numeric(*call, *extra)
        else:
            for call in plan.calls:
                compute = _watched if watched else _plain
                compute(group, work, call, extra, clamp, plan.aliased)
        group.record(plan.step)
        return following

    return operation


def _plain(
    group: Group, work: _Work, call: Call, extra: tuple, limit: Any, aliased: bool
) -> None:
    target = call[0]
    out = load(target)
    work.row.numeric(out, *map(load, call[1:]), *_fitting(extra, out))
    if limit is not None:
        saturate(out, limit)
    if isinstance(target, Picked):
        store(target, out)


def _watched(
    group: Group, work: _Work, call: Call, extra: tuple, limit: Any, aliased: bool
) -> None:
    """As `_plain`, and count the results that overflowed or lost precision."""
    row, target = work.row, call[0]
    out = load(target)
    sources = [load(source) for source in call[1:]]
    if aliased:
        sources = [np.array(source) for source in sources]
    numbers = _fitting(extra, out)
    row.numeric(out, *sources, *numbers)
    if row.inspect is not None:
        row.inspect(group, work.where, out, sources)
    infinite = is_infinite(out)
    if row.overflows and infinite.any():
        lost = _overflowed(row, infinite, [*sources, *numbers])
        count_overflow(group, row.name, work.where, work.dst.dtype, lost)
    if limit is not None:
        saturate(out, limit)
    if isinstance(target, Picked):
        store(target, out)


def _fitting(extra: tuple, out: np.ndarray) -> list[Any]:
    """Scalars one a block, with as many axes as the result."""
    return [
        x.reshape(-1, *[1] * (out.ndim - 1)) if getattr(x, "ndim", 0) else x
        for x in extra
    ]


def _overflowed(row: Vector, infinite: np.ndarray, sources: list[Any]) -> np.ndarray:
    """Infinite results of finite operands."""
    lost = infinite
    for source in sources:
        lost = lost & np.isfinite(source)
    return lost & (sources[-1] != 0) if row.pole else lost


# ------------------------------------------------------------------------------ plans
def preparer(pc: int, tensors: Sequence[Operand], shape: Shape) -> Callable:
    """`prepare` for the plans of an elementwise instruction."""

    def prepare(group: Group, scalar_steps: int, values: Sequence[int]) -> VectorPlan:
        shaped = shape.read(group, values)
        check_overlap(group, tensors, shaped)
        calls = tuple(_calls(group, tensors, shaped))
        places = [run[:5] for run in shaped.runs[0]]
        aliased = any([run[:5] for run in runs] == places for runs in shaped.runs[1:])
        step = vector_step(pc, tensors, shaped, scalar_steps)
        shown = any(isinstance(window, Shown) for call in calls for window in call)
        return VectorPlan(calls, step, aliased, _is_direct(calls), shown)

    return prepare


def _is_direct(calls: Sequence[Call]) -> bool:
    windows = calls[0] if len(calls) == 1 else ()
    return bool(windows) and all(
        isinstance(window, Shown) or isinstance(window, np.ndarray) and window.ndim == 3
        for window in windows
    )


def _calls(group: Group, tensors: Sequence[Operand], shaped: Shaped) -> list[Call]:
    return [call for _, call in windows(group, tensors, shaped)]


def windows(
    group: Group, tensors: Sequence[Operand], shaped: Shaped
) -> list[tuple[Part, Call]]:
    """What to compute on, in order: repeat by repeat where the destination's repeats
    overlap (with a warning unless they accumulate)."""
    typed = [
        (layout, tensor.dtype.numpy)
        for layout, tensor in zip(shaped.layouts, tensors, strict=True)
    ]
    parts = shaped.lanes.parts
    if not repeats_overlap(shaped):
        return [(part, tuple(views(group.local, typed, part))) for part in parts]
    if shaped.layouts[0] not in shaped.layouts[1:]:
        warn_stride(group, tensors[0], shaped)
    singles = [single for part in parts for single in one_by_one(part)]
    return [(part, _picked(group.local, typed, part)) for part in singles]


def _picked(memory: np.ndarray, typed: list, part: Part) -> Call:
    return tuple(
        Picked(memory.view(dtype), element_index(layout, part))
        for layout, dtype in typed
    )


def one_by_one(part: Part) -> list[Part]:
    """The repeats of a part, each as a part of its own."""
    return [part._replace(first=part.first + i, number=1) for i in range(part.number)]


def vector_step(
    pc: int,
    tensors: Sequence[Operand],
    shaped: Shaped,
    scalar_steps: int,
    key: str = "",
) -> Step:
    """The record of an instruction whose first operand is its destination."""
    dst = tensors[0]
    widest = max(tensor.dtype.itemsize for tensor in tensors)
    elements = shaped.lanes.elements * widest
    repeats = shaped.lanes.repeats if shaped.masked else -(-elements // REPEAT_NBYTES)
    cost = Cost("vector", key or dst.operation, repeats, dst.dtype.name, shaped.banks)
    reads = tuple(run for runs in shaped.runs[1:] for run in runs)
    return Step(
        pc,
        dst.where,
        dst.operation,
        "V",
        reads,
        shaped.runs[0],
        cost,
        None,
        scalar_steps,
    )
