"""What all reductions share: the issue lowered, its windows, its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from npusim.core.group import Group
from npusim.core.layout import Part, Window, load, views
from npusim.core.operands import Lowering, Operand
from npusim.core.shape import Shape, Shaped, shape_of
from npusim.core.stream import Access, Cost, Step
from npusim.core.tally import COUNTED, count_overflow
from npusim.lang.program import Issue

Sources = list[tuple[Part, Window]]


class ReducePlan(NamedTuple):
    """Windows of the source, and those of the results of each part."""

    sources: Sources
    targets: list[np.ndarray]
    step: Step


class Reduction(NamedTuple):
    """One reduction of a program, lowered."""

    issue: Issue
    pc: int
    dst: Operand
    src: Operand
    shape: Shape

    def step(
        self, shaped: Shaped, writes: Sequence[Access], repeats: int, steps: int
    ) -> Step:
        issue = self.issue
        cost = Cost("vector", issue.name, repeats, self.src.dtype.name, shaped.banks)
        written = tuple(writes) if shaped.lanes.parts else ()
        return Step(
            self.pc, issue.where, issue.name, "V", shaped.runs[0], written, cost, None,
            steps,
        )  # fmt: skip

    def sources(self, group: Group, shaped: Shaped) -> Sources:
        typed = [(shaped.layouts[0], self.src.dtype.numpy)]
        return [(p, views(group.local, typed, p)[0]) for p in shaped.lanes.parts]

    def count_lost(self, group: Group, lost: np.ndarray) -> None:
        if self.dst.dtype.name in COUNTED:
            issue = self.issue
            count_overflow(group, issue.name, issue.where, self.dst.dtype, lost)


def reduction(issue: Issue, pc: int, lowering: Lowering) -> Reduction:
    dst, src = lowering.tensor(issue, "dst"), lowering.tensor(issue, "src")
    return Reduction(issue, pc, dst, src, shape_of(issue, lowering, [src]))


def elements_of(window: Window) -> np.ndarray:
    """`[blocks, repeats, lanes]`."""
    values = load(window)
    return values.reshape(*values.shape[:2], -1)
