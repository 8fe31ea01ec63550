"""`cast`: elements of one dtype become elements of another, in every form.

A repeat holds as many elements as fill 256 B of the wider dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npusim.core.group import Group
from npusim.core.layout import load, store
from npusim.core.numeric import SATURATION, is_infinite, saturate
from npusim.core.numeric_cast import convert, lost_to_integer
from npusim.core.operands import Lowering, Operand
from npusim.core.overlap import check_overlap
from npusim.core.plan import Operation, plan_finder
from npusim.core.shape import shape_of
from npusim.core.stream import Step
from npusim.core.tally import COUNTED, count_overflow
from npusim.core.vector import Call, vector_step, windows
from npusim.lang.program import Issue
from npusim.lang.types import RoundMode


class _Plan(NamedTuple):
    calls: list[Call]
    step: Step


@dataclass(frozen=True)
class Cast:
    """The row of `cast`."""

    name: str = "cast"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        dst, src = lowering.tensor(issue, "dst"), lowering.tensor(issue, "src")
        mode: Any = issue.operands["round_mode"]
        shape = shape_of(issue, lowering, (dst, src))

        def prepare(group: Group, scalar_steps: int, values: Sequence[int]) -> _Plan:
            shaped = shape.read(group, values)
            check_overlap(group, (dst, src), shaped)
            calls = [call for _, call in windows(group, (dst, src), shaped)]
            key = f"cast_{src.dtype.name}"
            return _Plan(calls, vector_step(pc, (dst, src), shaped, scalar_steps, key))

        find = plan_finder(issue, pc, shape.values, prepare, shape.state)

        def operation(group: Group) -> int:
            plan = find(group)
            for call in plan.calls:
                _convert(group, dst, call, mode)
            group.record(plan.step)
            return pc + 1

        return operation


def _convert(group: Group, dst: Operand, call: Call, mode: RoundMode) -> None:
    target, source = call[0], load(call[1])
    result = convert(source, dst.dtype, mode)
    if dst.dtype.is_float:
        _after_overflow(group, dst, source, result)
    else:
        lost = lost_to_integer(source, dst.dtype, mode)
        count_overflow(group, dst.operation, dst.where, dst.dtype, lost)
    store(target, result)


def _after_overflow(
    group: Group, dst: Operand, source: np.ndarray, result: np.ndarray
) -> None:
    """Count what became Inf; clamp it in the saturating mode."""
    if dst.dtype.name not in COUNTED:
        return
    infinite = is_infinite(result)
    if not infinite.any():
        return
    lost = infinite & np.isfinite(source)
    count_overflow(group, dst.operation, dst.where, dst.dtype, lost)
    if group.machine.overflow == "saturate":
        saturate(result, SATURATION[dst.dtype.name])
