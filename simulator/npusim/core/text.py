"""Text that a kernel prints: printf lines and assert messages.

Lines come in canonical order, by block and then by program order, each with its core.
A launch prints at most `PRINT_LIMIT` lines; the last line then says that more follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from npusim.core.group import Group, Machine
from npusim.core.operands import Lowering
from npusim.core.signals import stop
from npusim.core.stamps import Line, Parts, Stamp
from npusim.lang.program import Check, Print

PRINT_LIMIT = 1_000  # lines a launch
MAX_WIDTH = 1_000  # of a format spec: a wider one is a mistake, or an attack

Render = Callable[[Group, int], Parts]


def lower_text(op: Print | Check, lowering: Lowering) -> Render:
    """`render(group, row)`: the text for one block of the group."""
    parts = [
        part if isinstance(part, str) else _formatter(part, op.where, lowering)
        for part in op.parts
    ]

    def render(group: Group, row: int) -> Parts:
        return tuple(p if isinstance(p, str) else p(group, row) for p in parts)

    return render


def _formatter(
    part: tuple[Any, str], where: int, lowering: Lowering
) -> Callable[[Group, int], str | tuple[Stamp, str]]:
    expression, spec = part
    value = lowering.scalars.compile(expression, where)
    widths = [int(digits) for digits in re.findall(r"\d+", spec)]
    bad_width = any(width > MAX_WIDTH for width in widths)

    def render(group: Group, row: int) -> str | tuple[Stamp, str]:
        number = value(group.regs)
        if type(number) is Stamp:
            return number, "" if bad_width else spec
        if type(number) is np.ndarray:
            number = number[row].item()
        try:
            if not bad_width:
                return format(number, spec)
        except (ValueError, OverflowError):
            pass
        stop("ASC-RUN-07", where, operation="printf", operand="format", value=spec)

    return render


def add_lines(group: Group, render: Render) -> None:
    """One line a block of the group, as far as it can still be shown."""
    lines = group.machine.lines
    before = len(lines)
    full = before > PRINT_LIMIT  # in order, and cut to the lines that are shown
    for row, block in enumerate(group.blocks.tolist()):
        if not full or block < lines[PRINT_LIMIT].block:
            lines.append(Line(block, (f"[core {block}] ", *render(group, row))))
    if len(lines) > max(before, PRINT_LIMIT):
        lines[:] = _first_lines(lines)


def _first_lines(lines: list[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line.block)[: PRINT_LIMIT + 1]


def printed(machine: Machine) -> tuple[Line, ...]:
    """The lines of the launch in canonical order."""
    lines = _first_lines(machine.lines)
    if len(lines) > PRINT_LIMIT:
        more = f"… only the first {PRINT_LIMIT:,} lines are shown"
        lines[PRINT_LIMIT:] = [Line(0, (more,))]
    return tuple(lines)
