"""Rule 7: how many copies share the chip, solved as a mean field.

`x` copies are active on average, `x = (transfer time of all blocks) / (end of the last
core)`; but transfer times grow with x. The solver looks for the fixed point by secant
steps and stops on the side where x is not too small: there the end of the last core is
never below the time that HBM and L2 need for the bytes. Cores that are out of step fill
each other's gaps, so a kernel with one buffer can still saturate the chip. A machine
that is far from loaded is timed for x = 0 only. Latency grows with the load that the
other cores put on the chip. The search needs the ends of the cores only (`brief`);
single steps are timed once, for the solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from npusim.chip import Chip
from npusim.timing.brief import Brief, brief
from npusim.timing.classes import BlockClass, place_blocks
from npusim.timing.meetings import run_together
from npusim.timing.pipes import Path, pipe_run
from npusim.timing.rates import (
    ClassRates,
    CopyModel,
    class_rates,
    durations_of,
    machine_cycles,
)
from npusim.timing.ticks import TICKS_PER_CYCLE, ticks_of_cycles

_COPY_PIPES = 3  # MTE2, MTE3 and S can move GM bytes at the same time
_UNLOADED = 0.02  # x * machine / own below which sharing changes less than 1 %
_ALONE = 0.1  # the same for one core, whose latency no other core can load
_TOLERANCE = 0.001  # of x
_STEPS = 8
_MARGIN = 0.0004  # how far above a root the solver aims


@dataclass(frozen=True)
class Evaluation:
    """All classes timed with `active` copies on the chip; times in ticks.

    In brief: `paths` tell their ends only.
    """

    active: float
    paths: list[Path]
    ends: list[int]
    block_starts: list[int]
    transfer: int
    is_brief: bool

    @property
    def last(self) -> int:
        return max(self.ends, default=0)

    @property
    def implied(self) -> float:
        """The number of active copies that these times amount to."""
        return self.transfer / self.last if self.last else 0.0


class Launch:
    """The classes of one launch, ready to be timed for any number of active copies."""

    def __init__(
        self, chip: Chip, classes: list[BlockClass], model: CopyModel, hand_out: int
    ):
        self.classes, self.model, self.hand_out = classes, model, hand_out
        blocks = sum(len(c.blocks) for c in classes)
        self.cores = chip.vector_cores if chip.has("waves") else blocks
        self.shared = chip.has("bandwidth_sharing")
        self.meeting = ticks_of_cycles(chip.constant("core_sync"))
        self.rates: list[ClassRates] = [class_rates(c, model) for c in classes]
        self.machine = machine_cycles(classes, self.rates)
        used = min(blocks, self.cores)
        self.most = float(_COPY_PIPES * used)
        self.others = 1.0 - 1.0 / max(1, used)  # the share of the load others make

    def unloaded(self, active: float) -> bool:
        limit = _UNLOADED if self.others else _ALONE
        return not self.shared or all(
            active * rate.machine <= limit * rate.own
            for rates in self.rates
            for rate in rates.rates
        )

    def load(self, transfer: int, active: float) -> float:
        """Share of the time in which other cores keep HBM or L2 busy, if `active`
        copies make up `transfer` ticks."""
        busy = self.machine * TICKS_PER_CYCLE * active / max(1, transfer)
        return min(1.0, busy) * self.others

    def transfers(self, active: float) -> tuple[list[list[int]], int]:
        """Ticks of every copy rate by class, and of all transfers of the launch."""
        ticks = [[self.model.transfer(r, active) for r in c.rates] for c in self.rates]
        total = 0
        for members, rates, one in zip(self.classes, self.rates, ticks, strict=True):
            parts = zip(rates.uses, one, rates.rates, strict=True)
            block = sum(n * t for n, t, rate in parts if rate.machine)
            block += members.lowered.scalar_transfer
            total += block * len(members.blocks)
        return ticks, total

    @cached_property
    def briefs(self) -> list[Brief]:
        parts = zip(self.classes, self.rates, strict=True)
        return [brief(members.lowered.ops, rates.fixed) for members, rates in parts]

    def evaluate(self, active: float, in_brief: bool = True) -> Evaluation:
        ticks, transfer = self.transfers(active)
        load, runs = self.load(transfer, active), []
        for index, (rates, one) in enumerate(zip(self.rates, ticks, strict=True)):
            durations: list[Any] = durations_of(rates, self.model, one, load)
            ops = self.classes[index].lowered.ops
            if in_brief:
                short = self.briefs[index]
                ops, durations = short.ops, durations + short.bounds
            runs.append(pipe_run(ops, durations))
        paths = run_together(runs, self.meeting)
        ends = [path.end for path in paths]
        cores, starts = place_blocks(self.classes, ends, self.cores, self.hand_out)
        return Evaluation(active, paths, cores, starts, transfer, in_brief)


def _excess(evaluation: Evaluation) -> float:
    """Implied minus assumed number of copies: zero at the fixed point."""
    return evaluation.implied - evaluation.active


def _secant(older: Evaluation, newer: Evaluation) -> float:
    """Where a straight line through two evaluations has its fixed point."""
    rise = _excess(newer) - _excess(older)
    run = newer.active - older.active
    if rise >= 0.0 or run == 0.0:
        return newer.implied
    return newer.active - _excess(newer) * run / rise


def solve(launch: Launch) -> Evaluation:
    """The launch at its fixed point; the same steps on every machine."""
    found = _fixed_point(launch)
    return launch.evaluate(found.active, False) if found.is_brief else found


def _fixed_point(launch: Launch) -> Evaluation:
    older = launch.evaluate(0.0)
    if launch.unloaded(older.implied):
        return older
    newer = launch.evaluate(min(launch.most, older.implied))
    for _ in range(_STEPS):
        if -_TOLERANCE * newer.active <= _excess(newer) <= 0.0:
            return newer
        guess = _secant(older, newer) * (1.0 + _MARGIN)
        older, newer = newer, launch.evaluate(min(launch.most, guess))
    return _raise(launch, newer)


def _raise(launch: Launch, newer: Evaluation) -> Evaluation:
    """Goes up until the assumed number covers the implied one; `most` always does."""
    while _excess(newer) > 0.0:
        active = min(launch.most, newer.implied * (1.0 + _TOLERANCE))
        newer = launch.evaluate(active)
    return newer
