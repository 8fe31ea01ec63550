"""What one vector instruction costs: repeats, start-up, and which bytes it touches.

Rule 2 and the two-source bank rule: an instruction with two sources costs the conflict
value unless the bank groups of a repeat of both are disjoint, or both are one address.
With strides (`Cost.banks`) a repeat takes as many times its cycles as blocks of one
bank group are read, or written, in it; a block that one operand reads again, or that
two equal operands read, is read once. Reads that wait for writes add to that (`banks`).
An instruction that does not fill its repeats (a mask, a tail) costs `partial_repeat`
cycles more. `Chip.without("bank_conflicts")` leaves all bank rules out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from npusim.chip import Chip, VectorCost
from npusim.core.stream import Access, Step
from npusim.timing.banks import (
    BankRule,
    Operand,
    blocks_of,
    fullest,
    waiting_cycles,
)
from npusim.timing.ticks import ticks_of_cycles

Span = tuple[int, int]  # first byte, byte after the last


class VectorWork(NamedTuple):
    """Fixed durations in ticks: start-up, gap after a busy pipe, the repeats."""

    start: int
    gap: int
    repeats: int


class VectorPrice(NamedTuple):
    """An instruction's work with and without a dependency on the one before.

    `free_ticks`: its repeats without bank conflicts; `conflict_ticks`: what these cost
    on top; spans in local memory.
    """

    independent: VectorWork
    dependent: VectorWork
    free_ticks: int
    conflict_ticks: int
    touched: tuple[Span, ...]
    written: tuple[Span, ...]


def _span(access: Access) -> Span:
    base = int(access.base)
    return base, base + access.pitch * (access.count - 1) + access.nbytes


def overlap(some: tuple[Span, ...], others: tuple[Span, ...]) -> bool:
    """Whether any two spans share a byte (gaps inside a strided span count)."""
    return any(
        low < end and start < high for low, high in some for start, end in others
    )


KNOWN_LIMIT = 8192  # prices kept a chip


@lru_cache(maxsize=8)
def prices_of(chip: Chip) -> VectorPrices:
    """The prices of a chip; the last few chips keep theirs."""
    return VectorPrices(chip)


class VectorPrices:
    """Prices by what a step does: equal ones are worked out once, over all launches."""

    def __init__(self, chip: Chip):
        self.chip = chip
        constant = chip.constant
        self.rule = BankRule(
            block=int(constant("bank_block")),
            groups=int(constant("bank_groups")),
            window=int(constant("bank_nbytes")),
            delay=int(constant("bank_write_delay")),
        )
        self.banked = chip.has("bank_conflicts")
        self.repeat = int(constant("repeat"))
        self.partial = constant("partial_repeat")
        self.known: dict[tuple, VectorPrice] = {}

    def conflict(self, reads: tuple[Access, ...]) -> bool:
        """Whether both sources of a repeat share a bank group."""
        if not self.banked or len(reads) < 2 or reads[0].base == reads[1].base:
            return False
        taken = self.repeat // self.rule.block
        distance = (int(reads[1].base) - int(reads[0].base)) // self.rule.block
        return not taken <= distance % self.rule.groups <= self.rule.groups - taken

    def ways(self, step: Step, repeat: int) -> int:
        """How many blocks of repeat number `repeat` share a bank group at most."""
        operands = [blocks_of(one, repeat, self.rule) for one in step.cost.banks]
        read = [block for blocks in set(operands[1:]) for block in blocks]
        groups = self.rule.groups
        return max(fullest(operands[0], groups), fullest(read, groups))

    def cycles(self, cost: VectorCost, step: Step) -> float:
        """Cycles of all repeats; a pattern of bank groups comes back after 16."""
        repeats = step.cost.repeats
        if not step.cost.banks or not self.banked:
            free = cost.conflict if self.conflict(step.reads) else cost.free
            return free * repeats
        period = min(repeats, self.rule.groups)
        ways = sum(
            self.ways(step, r) * len(range(r, repeats, self.rule.groups))
            for r in range(period)
        )
        return cost.free * ways

    def waiting(self, cost: VectorCost, step: Step) -> float:
        """Cycles in which reads wait for writes of the same instruction."""
        if not self.banked or not step.writes or not step.reads:
            return 0.0
        operands = step.cost.banks or self.dense(step)
        return waiting_cycles(operands, step.cost.repeats, cost.free, self.rule)

    def dense(self, step: Step) -> tuple[Operand, ...]:
        """Operands without strides: as many blocks a repeat as their bytes need."""
        return tuple(
            self.row(access, max(1, step.cost.repeats))
            for access in (step.writes[-1], *step.reads)
        )

    def row(self, access: Access, repeats: int) -> Operand:
        """One operand whose blocks follow one another."""
        block = self.rule.block
        count = max(1, min(self.repeat, access.total_nbytes // repeats) // block)
        return int(access.base), block, count * block, count

    def tail(self, step: Step) -> float:
        """Extra cycles of an instruction that does not fill its repeats."""
        most = max((a.total_nbytes for a in (*step.reads, *step.writes)), default=0)
        whole = most >= step.cost.repeats * self.repeat or not step.cost.repeats
        return 0.0 if whole else self.partial

    def work(self, cycles: float, gap: str) -> VectorWork:
        constant = self.chip.constant
        start, gap_ticks = constant("vector_start"), constant(gap)
        return VectorWork(*map(ticks_of_cycles, (start, gap_ticks, cycles)))

    def local_copy(self, nbytes: int) -> VectorWork:
        """A copy inside local memory, as so many repeats."""
        cost = self.chip.vector_cost("copy")
        return self.work(cost.free * -(-nbytes // self.repeat), "vector_gap")

    def price(self, step: Step) -> VectorPrice:
        """The price of a step; KeyError where the chip has no cost for it."""
        key = step.cost, step.reads, step.writes
        known = self.known.get(key)
        if known is None:
            if len(self.known) >= KNOWN_LIMIT:
                self.known.clear()
            known = self.known[key] = self.worked_out(step)
        return known

    def worked_out(self, step: Step) -> VectorPrice:
        cost = self.chip.vector_cost(step.cost.key, step.cost.dtype)
        banked = self.cycles(cost, step) + self.waiting(cost, step)
        free = cost.free * step.cost.repeats
        cycles = banked + self.tail(step)
        written = tuple(map(_span, step.writes))
        return VectorPrice(
            independent=self.work(cycles, "vector_gap"),
            dependent=self.work(cycles, "vector_dependent"),
            free_ticks=ticks_of_cycles(free),
            conflict_ticks=ticks_of_cycles(banked - free),
            touched=(*map(_span, step.reads), *written),
            written=written,
        )
