"""UB banks while one vector instruction runs: reads that wait for writes.

The Unified Buffer has 16 bank groups of 32-byte blocks; an address also has a bank, the
64 KiB window it lies in. A repeat is read in one cycle if its blocks lie in different
groups, else block by block of the fullest group (equal blocks are read once). It is
written `bank_write_delay` cycles after its last read step, a cycle for each block of
its fullest group, with priority: a read step that touches a bank being written waits.
This module counts the cycles that reads so lose; blocks of one group in one repeat are
priced by `vector_price`. Rule and numbers: published bank cases (`chip` files).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

Operand = tuple[int, int, int, int]  # address, block pitch, repeat pitch, blocks
Bank = tuple[int, int]  # 64 KiB window, group


class BankRule(NamedTuple):
    """The constants of the rule: bytes of a block and of a window, groups, cycles."""

    block: int
    groups: int
    window: int
    delay: int


def blocks_of(operand: Operand, repeat: int, rule: BankRule) -> frozenset[int]:
    """Numbers of the 32-byte blocks that one repeat of an operand touches."""
    base, gap, pitch, count = operand
    start = base + repeat * pitch
    return frozenset((start + i * gap) // rule.block for i in range(count))


def fullest(blocks: Iterable[int], groups: int) -> int:
    """Blocks in the fullest bank group, at least 1."""
    return max(Counter(block % groups for block in blocks).values(), default=1)


def _banks(blocks: Iterable[int], rule: BankRule) -> frozenset[Bank]:
    return frozenset(
        (block * rule.block // rule.window, block % rule.groups) for block in blocks
    )


def _read_steps(sources: list[frozenset[int]], rule: BankRule) -> list[frozenset[Bank]]:
    """The banks that each read step of a repeat touches."""
    every = frozenset().union(*sources)
    ways = fullest(every, rule.groups)
    if ways == len(sources) == 2 and all(
        fullest(source, rule.groups) == 1 for source in sources
    ):
        return [_banks(source, rule) for source in sources]
    return [_banks(every, rule)] * ways


def waiting_cycles(
    operands: tuple[Operand, ...], repeats: int, interval: float, rule: BankRule
) -> float:
    """Cycles that reads wait for writes; `operands`: the destination first.

    `interval`: cycles from one repeat to the next where nothing is in the way.
    """
    if len(operands) < 2 or repeats < 2 or _apart(operands, repeats, rule):
        return 0.0
    offset = rule.window * min(low // rule.window for low, *_ in operands)
    moved = tuple((low - offset, *rest) for low, *rest in operands)
    return _waits(moved, repeats, interval, rule)


def _apart(operands: tuple[Operand, ...], repeats: int, rule: BankRule) -> bool:
    """Whether no window of 64 KiB holds both results and sources."""
    windows = [_windows(operand, repeats, rule) for operand in operands]
    return not windows[0] & set().union(*windows[1:])


def _windows(operand: Operand, repeats: int, rule: BankRule) -> set[int]:
    low, gap, pitch, count = operand
    high = low + (repeats - 1) * pitch + (count - 1) * gap
    return set(range(low // rule.window, high // rule.window + 1))


@lru_cache(maxsize=4096)
def _waits(
    operands: tuple[Operand, ...], repeats: int, interval: float, rule: BankRule
) -> float:
    """Cycles lost by all repeats."""
    writes: list[tuple[float, float, frozenset[Bank]]] = []  # start, end, banks
    ready, lost = 0.0, 0.0
    for number in range(repeats):
        target, *sources = [blocks_of(o, number, rule) for o in operands]
        time = ready
        for banks in _read_steps(sources, rule):
            start = _free_from(time, banks, writes)
            lost += start - time
            time = start + 1.0
        last = writes[-1][1] if writes else 0.0
        start = max(time - 1.0 + rule.delay, last)
        end = start + fullest(target, rule.groups)
        writes.append((start, end, _banks(target, rule)))
        ready = max(time, ready + interval)
        del writes[: max(0, len(writes) - 2 * rule.delay)]
    return lost


def _free_from(time: float, banks: frozenset[Bank], writes: list) -> float:
    """The first moment from `time` on at which none of `banks` is being written."""
    for start, end, busy in writes:
        if start < time + 1.0 and time < end and banks & busy:
            time = end
    return time
