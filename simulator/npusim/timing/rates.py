"""How long a copy takes: a core's own rate, and the chip's bandwidth among all copies.

Rule 6: `t = latency * (1 + latency_load * load) + combine(own, x * machine)`. `own` is
the time at the core's rate (miss, hit or write), at least `copy_minimum` cycles and
`burst` cycles a burst; `machine` is what HBM and L2 alone would need for the bytes; `x`
is the mean number of copies active on the chip and `load` the share of time in which
other cores move bytes (both from `contention`). All times here are in core cycles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from npusim.chip import Chip
from npusim.timing.classes import BlockClass
from npusim.timing.lower import CopyWork
from npusim.timing.pipes import Duration
from npusim.timing.share import soft_maximum
from npusim.timing.ticks import ticks_of_cycles
from npusim.timing.traffic import CacheShares, Traffic
from npusim.timing.vector_price import VectorWork


class CopyRate(NamedTuple):
    """One kind of copy, in cycles: latency, own transfer time, machine time."""

    latency: float
    own: float
    machine: float


@dataclass(frozen=True)
class ClassRates:
    """The works of one class: fixed durations and indices into its copy rates.

    `fixed[i]` is None where work i is a copy; then `kind[i]` is its rate's index.
    `uses[k]`: how many steps of one block have rate k.
    """

    fixed: list[Duration | None]
    kind: list[int]
    rates: list[CopyRate]
    uses: list[int]


class CopyModel:
    """Turns the bytes of a copy into times, given where the bytes are."""

    def __init__(self, chip: Chip, shares: CacheShares):
        self.chip, self.shares = chip, shares
        self.combine = soft_maximum(chip.constant("share_power"))
        self.latency_load = chip.constant("latency_load")

    def cycles(self, nbytes: float, bytes_per_ns: str) -> float:
        return self.chip.cycles_of_ns(nbytes / self.chip.constant(bytes_per_ns))

    def mean_latency(self, miss: float, hit: float) -> float:
        constant = self.chip.constant
        share = miss / (miss + hit) if miss + hit else 1.0
        far, near = constant("read_latency"), constant("l2_latency")
        return self.chip.cycles_of_ns(near + (far - near) * share)

    def least(self, bursts: int) -> float:
        constant = self.chip.constant
        return max(constant("copy_minimum"), bursts * constant("burst"))

    def read(self, work: CopyWork, traffic: Traffic, blocks: int) -> CopyRate:
        total = sum(traffic.values()) / blocks
        miss = _weighted(traffic, self.shares.miss) / blocks
        hit = total - miss
        constant = self.chip.constant
        own = miss / constant("read_cap") + hit / constant("l2_cap")
        machine = self.cycles(miss, "hbm_read") + self.cycles(hit, "l2_read")
        latency = self.mean_latency(miss, hit)
        return CopyRate(latency, max(own, self.least(work.bursts)), machine)

    def write(self, work: CopyWork, traffic: Traffic, blocks: int) -> CopyRate:
        total = sum(traffic.values()) / blocks
        back = _weighted(traffic, self.shares.write_back) / blocks
        own = total / self.chip.constant("write_cap")
        machine = self.cycles(back, "hbm_write_back")
        if not self.shares.apart:
            machine += self.cycles(total - back, "l2_write")
        latency = self.chip.cycles_of_ns(self.chip.constant("write_latency"))
        return CopyRate(latency, max(own, self.least(work.bursts)), machine)

    def rate(
        self, work: CopyWork, traffic: Traffic, blocks: int, readers: int
    ) -> CopyRate:
        """`readers`: cores that read one address at once; their requests take turns."""
        if work.direction != "read":
            return self.write(work, traffic, blocks)
        found = self.read(work, traffic, blocks)
        return found._replace(machine=found.machine * self.turns(readers))

    def turns(self, readers: int) -> float:
        """How much longer the chip needs for bytes that `readers` cores want at once:
        in proportion to the others."""
        constant = self.chip.constant
        share = (readers - 1) / (constant("same_address_cores") - 1)
        return 1.0 + (constant("same_address") - 1.0) * share

    def transfer(self, rate: CopyRate, active: float) -> int:
        """Ticks of one transfer where `active` copies share the chip."""
        return ticks_of_cycles(self.combine(rate.own, active * rate.machine))

    def latency(self, rate: CopyRate, load: float) -> int:
        return ticks_of_cycles(rate.latency * (1.0 + self.latency_load * load))


def _weighted(traffic: Traffic, share: Mapping[int, float]) -> float:
    """Bytes times share over the buffers, in a fixed order."""
    total = 0.0
    for buffer in sorted(traffic):
        total += traffic[buffer] * share.get(buffer, 1.0)
    return total


def class_rates(members: BlockClass, model: CopyModel) -> ClassRates:
    """Rates of a class; copies with equal traffic share one."""
    known: dict[tuple[object, ...], int] = {}
    result = ClassRates([], [], [], [])
    rows = zip(members.lowered.works, members.traffic, members.places, strict=True)
    together = min(len(members.blocks), model.chip.vector_cores)
    for work, traffic, place in rows:
        if isinstance(work, VectorWork):
            result.fixed.append(Duration(work.start, work.gap, work.repeats))
            result.kind.append(-1)
            continue
        result.fixed.append(None)
        readers = together if place is not None else 1
        key = (work.direction, work.bursts, readers, *sorted((traffic or {}).items()))
        if key not in known:
            known[key] = len(result.rates)
            rate = model.rate(work, traffic or {}, len(members.blocks), readers)
            result.rates.append(rate)
            result.uses.append(0)
        result.kind.append(known[key])
        result.uses[known[key]] += 1
    return result


def durations_of(
    rates: ClassRates, model: CopyModel, transfers: list[int], load: float
) -> list[Duration]:
    """Durations of all works; `transfers` in ticks by copy rate."""
    pairs = zip(rates.rates, transfers, strict=True)
    copies = [Duration(model.latency(rate, load), 0, ticks) for rate, ticks in pairs]
    works = zip(rates.fixed, rates.kind, strict=True)
    return [copies[kind] if fixed is None else fixed for fixed, kind in works]


def machine_cycles(classes: Iterable[BlockClass], rates: Iterable[ClassRates]) -> float:
    """Cycles that HBM and L2 need for all bytes of the launch, with nothing else."""
    total = 0.0
    for members, one in zip(classes, rates, strict=True):
        for rate, uses in zip(one.rates, one.uses, strict=True):
            total += rate.machine * uses * len(members.blocks)
    return total
