"""What one vector instruction costs: repeats, start-up, and which bytes it touches.

Rule 2 and the two-source bank rule: an instruction with two sources costs the conflict
value unless the bank groups of a repeat of both are disjoint, or both are one address.
With strides (`Cost.banks`) a repeat takes as many times its cycles as blocks of one
bank group are read, or written, in it; a block that one operand reads again, or that
two equal operands read, is read once.
Left out: stalls of reads by writes, masks, rows shorter than a repeat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from npusim.chip import Chip, VectorCost
from npusim.core.stream import Access, Step
from npusim.timing.ticks import ticks_of_cycles

Span = tuple[int, int]  # first byte, byte after the last


class VectorWork(NamedTuple):
    """Fixed durations in ticks: start-up, gap after a busy pipe, the repeats."""

    start: int
    gap: int
    repeats: int


class VectorPrice(NamedTuple):
    """An instruction's work with and without a dependency on the one before.

    `free_ticks`: its repeats without bank conflicts; spans in local memory.
    """

    independent: VectorWork
    dependent: VectorWork
    free_ticks: int
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


class VectorPrices:
    """Prices by step. Equal steps of a stream are one object and priced once."""

    def __init__(self, chip: Chip):
        self.chip = chip
        self.block = int(chip.constant("bank_block"))
        self.groups = int(chip.constant("bank_groups"))
        self.repeat = int(chip.constant("repeat"))
        self.known: dict[int, tuple[Step, VectorPrice]] = {}

    def conflict(self, reads: tuple[Access, ...]) -> bool:
        """Whether both sources of a repeat share a bank group."""
        if len(reads) < 2 or reads[0].base == reads[1].base:
            return False
        taken = self.repeat // self.block
        distance = (int(reads[1].base) - int(reads[0].base)) // self.block
        return not taken <= distance % self.groups <= self.groups - taken

    def ways(self, step: Step, repeat: int) -> int:
        """How many blocks of repeat number `repeat` share a bank group at most."""
        operands = [
            frozenset(
                (base + repeat * pitch + i * gap) // self.block for i in range(count)
            )
            for base, gap, pitch, count in step.cost.banks
        ]
        read = [block for blocks in set(operands[1:]) for block in blocks]
        return max(self.crowded(operands[0]), self.crowded(read))

    def crowded(self, blocks: Iterable[int]) -> int:
        """Blocks in the fullest bank group (at least 1)."""
        return max(Counter(block % self.groups for block in blocks).values(), default=1)

    def cycles(self, cost: VectorCost, step: Step) -> float:
        """Cycles of all repeats; a pattern of bank groups comes back after 16."""
        repeats = step.cost.repeats
        if not step.cost.banks:
            return (cost.conflict if self.conflict(step.reads) else cost.free) * repeats
        period = min(repeats, self.groups)
        ways = sum(
            self.ways(step, r) * len(range(r, repeats, self.groups))
            for r in range(period)
        )
        return cost.free * ways

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
        known = self.known.get(id(step))
        if known is None:
            known = self.known[id(step)] = (step, self.worked_out(step))
        return known[1]

    def worked_out(self, step: Step) -> VectorPrice:
        cost = self.chip.vector_cost(step.cost.key, step.cost.dtype)
        cycles = self.cycles(cost, step)
        written = tuple(map(_span, step.writes))
        return VectorPrice(
            independent=self.work(cycles, "vector_gap"),
            dependent=self.work(cycles, "vector_dependent"),
            free_ticks=ticks_of_cycles(cost.free * step.cost.repeats),
            touched=(*map(_span, step.reads), *written),
            written=written,
        )
