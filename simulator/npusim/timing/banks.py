"""UB banks while one vector instruction runs: reads that wait for writes.

The Unified Buffer has 16 bank groups of 32-byte blocks; an address also has a bank, the
64 KiB window it lies in. A repeat is read in one cycle if its blocks lie in different
groups, else block by block of the fullest group (equal blocks are read once). It is
written `bank_write_delay` cycles after its last read step, a cycle for each block of
its fullest group, with priority: a read step that touches a bank being written waits.
This module counts the cycles that reads so lose; blocks of one group in one repeat are
priced by `vector_price`. Repeats that touch the same banks come back after a few, so
only as many are followed as it takes until the waits repeat themselves. Rule and
numbers: published bank cases (`chip` files).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import gcd, lcm
from typing import NamedTuple

Operand = tuple[int, int, int, int]  # address, block pitch, repeat pitch, blocks


class BankRule(NamedTuple):
    """The constants of the rule: bytes of a block and of a window, groups, cycles."""

    block: int
    groups: int
    window: int
    delay: int


class Touched(NamedTuple):
    """Banks of one repeat, one bit each: those of every read step, those it writes, and
    the cycles that its write takes."""

    reads: tuple[int, ...]
    written: int
    write_cycles: int


class Repeats(NamedTuple):
    """`total` repeats; number n touches `touched[n % len(touched)]`."""

    touched: tuple[Touched, ...]
    total: int


def blocks_of(operand: Operand, repeat: int, rule: BankRule) -> frozenset[int]:
    """Numbers of the 32-byte blocks that one repeat of an operand touches."""
    base, gap, pitch, count = operand
    start = base + repeat * pitch
    return frozenset((start + i * gap) // rule.block for i in range(count))


def fullest(blocks: Iterable[int], groups: int) -> int:
    """Blocks in the fullest bank group, at least 1."""
    return max(Counter(block % groups for block in blocks).values(), default=1)


def _banks(blocks: Iterable[int], rule: BankRule) -> int:
    """The banks of blocks, as bits."""
    bits = 0
    for block in blocks:
        window = block * rule.block // rule.window
        bits |= 1 << (window * rule.groups + block % rule.groups)
    return bits


def _read_steps(sources: list[frozenset[int]], rule: BankRule) -> tuple[int, ...]:
    """The banks that each read step of a repeat touches."""
    every = frozenset().union(*sources)
    ways = fullest(every, rule.groups)
    if ways == len(sources) == 2 and all(
        fullest(source, rule.groups) == 1 for source in sources
    ):
        return tuple(_banks(source, rule) for source in sources)
    return (_banks(every, rule),) * ways


def waiting_cycles(
    operands: tuple[Operand, ...], repeats: int, interval: float, rule: BankRule
) -> float:
    """Cycles that reads wait for writes; `operands`: the destination first.

    `interval`: cycles from one repeat to the next where nothing is in the way; so many
    times as many as blocks of one group are read, or written, in it.
    """
    if len(operands) < 2 or repeats < 2 or _apart(operands, repeats, rule):
        return 0.0
    offset = rule.window * min(low // rule.window for low, *_ in operands)
    moved = tuple((low - offset, gap, pitch, n) for low, gap, pitch, n in operands)
    edges = _edges(moved, repeats, rule)
    period = pattern_period(moved, repeats, rule)
    runs = tuple(
        Repeats(
            tuple(_touched(moved, n, rule) for n in range(a, min(b, a + period))), b - a
        )
        for a, b in zip(edges, edges[1:], strict=False)
    )
    return _waits(runs, interval, rule.delay)


def _touched(operands: tuple[Operand, ...], number: int, rule: BankRule) -> Touched:
    target, *sources = [blocks_of(o, number, rule) for o in operands]
    written = _banks(target, rule)
    return Touched(_read_steps(sources, rule), written, fullest(target, rule.groups))


def _edges(operands: tuple[Operand, ...], repeats: int, rule: BankRule) -> list[int]:
    """The first repeats from which an operand touches other windows, 0 and the end."""
    edges = {0, repeats}
    for low, gap, pitch, count in operands:
        for address in (low, low + (count - 1) * gap):
            last = (address + (repeats - 1) * pitch) // rule.window
            ahead = range(address // rule.window + 1, last + 1)
            edges |= {-((address - k * rule.window) // pitch) for k in ahead}
    return sorted(edges)


def pattern_period(operands: tuple[Operand, ...], repeats: int, rule: BankRule) -> int:
    """After how many repeats of equal windows the same banks are touched again."""
    row = rule.block * rule.groups
    sources = set(operands[1:])
    if len({pitch for _, _, pitch, _ in sources}) > 1 and _meet(sources, repeats):
        return repeats
    return lcm(*(row // gcd(pitch, row) for _, _, pitch, _ in operands))


def _meet(operands: set[Operand], repeats: int) -> bool:
    """Whether the bytes from the first to the last of any two operands overlap."""
    spans = sorted((one[0], _end(one, repeats)) for one in operands)
    return any(
        high >= low for (_, high), (low, _) in zip(spans, spans[1:], strict=False)
    )


def _end(operand: Operand, repeats: int) -> int:
    """The last block's address."""
    low, gap, pitch, count = operand
    return low + (repeats - 1) * pitch + (count - 1) * gap


def _apart(operands: tuple[Operand, ...], repeats: int, rule: BankRule) -> bool:
    """Whether no window of 64 KiB holds both results and sources."""
    windows = [_windows(operand, repeats, rule) for operand in operands]
    return not windows[0] & set().union(*windows[1:])


def _windows(operand: Operand, repeats: int, rule: BankRule) -> set[int]:
    first, last = operand[0], _end(operand, repeats)
    return set(range(first // rule.window, last // rule.window + 1))


class _Pipe:
    """Repeats one after another; `lost`: cycles in which reads waited.

    `writes`: (start, end, banks) of writes that are not over, counted from the moment
    at which the next repeat may be read.
    """

    def __init__(self, interval: float, delay: int):
        self.interval, self.delay = interval, delay
        self.lost = 0.0
        self.writes: tuple[tuple[float, float, int], ...] = ()

    def repeat(self, touched: Touched) -> None:
        time = 0.0
        for banks in touched.reads:
            start = _free_from(time, banks, self.writes)
            self.lost += start - time
            time = start + 1.0
        last = self.writes[-1][1] if self.writes else 0.0
        start = max(time - 1.0 + self.delay, last)
        new = (start, start + touched.write_cycles, touched.written)
        steps = max(len(touched.reads), touched.write_cycles)
        ready = max(time, self.interval * steps)
        self.writes = tuple(
            (begin - ready, end - ready, banks)
            for begin, end, banks in (*self.writes, new)
            if end > ready
        )

    def follow(self, repeats: Repeats) -> None:
        """All of them; where the waits repeat themselves the rest is multiplied."""
        touched, number = repeats.touched, 0
        seen: dict[object, tuple[int, float]] = {}
        while number < repeats.total:
            if number % len(touched) == 0:
                before, lost = seen.setdefault(self.writes, (number, self.lost))
                if before < number:
                    turns = (repeats.total - number) // (number - before)
                    self.lost += turns * (self.lost - lost)
                    number += turns * (number - before)
                    seen = {}
                    continue
            self.repeat(touched[number % len(touched)])
            number += 1


@lru_cache(maxsize=4096)
def _waits(runs: tuple[Repeats, ...], interval: float, delay: int) -> float:
    """Cycles lost by all repeats."""
    pipe = _Pipe(interval, delay)
    for repeats in runs:
        pipe.follow(repeats)
    return pipe.lost


def _free_from(
    time: float, banks: int, writes: tuple[tuple[float, float, int], ...]
) -> float:
    """The first moment from `time` on at which none of `banks` is being written."""
    for start, end, busy in writes:
        if start < time + 1.0 and time < end and banks & busy:
            time = end
    return time
