"""What one block did, in the quantities that the profiler's tables are made of.

Blocks of a timing class are alike, so facts are gathered once a class: busy cycles,
waits, instructions and bytes by pipe, vector cycles by dtype, floating-point work.
A wait of a pipe is a gap before a step that a flag, a queue or a barrier held back.
Floating-point work counts one operation an element, two where an instruction
multiplies and adds, none where it only moves, converts or fills (`flops.toml`).
"""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from npusim.chip import Chip
from npusim.core.stream import Access, Step
from npusim.lang.types import DTYPES
from npusim.profile.spans import class_spans
from npusim.timing import TICKS_PER_CYCLE, ClassTiming
from npusim.timing.traffic import L2Traffic

_FLOPS: dict[str, int] = {
    name: row["value"]
    for name, row in tomllib.loads(
        files("npusim.profile").joinpath("flops.toml").read_text(encoding="utf-8")
    ).items()
}
_HELD = frozenset({"flag", "queue", "barrier"})
Path = tuple[str, str, str]  # pipe, memory, "read" or "write"


@dataclass(frozen=True)
class StepFacts:
    """What a step moves and computes, wherever and whenever it runs."""

    moved: tuple[tuple[Path, int], ...]
    flops: int


def _moved(step: Step) -> tuple[tuple[Path, int], ...]:
    total: Counter[Path] = Counter()
    for way, accesses in (("read", step.reads), ("write", step.writes)):
        for access in accesses:
            total[step.pipe, access.space, way] += access.total_nbytes
    return tuple(total.items())


def _elements(step: Step) -> int:
    """Elements of the largest operand, in the dtype that the instruction computes."""
    size = DTYPES[step.cost.dtype].itemsize if step.cost.dtype in DTYPES else 0
    most = max((a.total_nbytes for a in (*step.reads, *step.writes)), default=0)
    return most // size if size else 0


def _flops(step: Step) -> int:
    if step.cost.kind != "vector" or step.cost.dtype not in _FLOATING:
        return 0
    return _FLOPS.get(step.name, 1) * _elements(step)


_FLOATING = frozenset({"half", "bfloat16", "float32"})


@dataclass
class BlockFacts:
    """One block of a class; cycles, bytes and counts of that block alone."""

    part: ClassTiming
    chip: Chip
    l2: L2Traffic = L2Traffic(0.0, 0.0, 0.0, 0.0)
    instructions: Counter[str] = field(default_factory=Counter)
    moved: Counter[Path] = field(default_factory=Counter)
    waited_ticks: Counter[str] = field(default_factory=Counter)
    vector_ticks: Counter[str] = field(default_factory=Counter)  # by dtype
    flops: int = 0

    def __post_init__(self) -> None:
        known: dict[int, StepFacts] = {}
        ended: dict[str, int] = defaultdict(int)
        rows = zip(self.steps, self.part.start_ticks, self.part.end_ticks,
                   self.part.waits, strict=True)  # fmt: skip
        for step, start, end, wait in rows:
            facts = known.get(id(step))
            if facts is None:
                facts = known[id(step)] = StepFacts(_moved(step), _flops(step))
            self.count(step, facts)
            if wait in _HELD and step.pipe != "S":
                self.waited_ticks[step.pipe] += max(0, start - ended[step.pipe])
            ended[step.pipe] = end
            if step.pipe == "V":
                self.vector_ticks[step.cost.dtype] += end - start

    def count(self, step: Step, facts: StepFacts) -> None:
        self.instructions[step.pipe] += 1
        self.flops += facts.flops
        for path, nbytes in facts.moved:
            self.moved[path] += nbytes

    @cached_property
    def steps(self) -> list[Step]:
        return list(self.part.stream.steps())

    @cached_property
    def cycles(self) -> float:
        """From the start of the block to its last instruction's end."""
        return max(self.part.end_ticks, default=0) / TICKS_PER_CYCLE

    @cached_property
    def busy(self) -> dict[str, float]:
        """Cycles in which a pipe works, by pipe."""
        return {p: s.busy_cycles for p, s in class_spans(self.part).items()}

    def time_us(self, cycles: float) -> float:
        return cycles / (self.chip.clock_ghz * 1e3)

    def nbytes(self, pipe: str, space: str, way: str) -> int:
        return self.moved[pipe, space, way]

    def rate(self, nbytes: int) -> float:
        """GB/s over the whole time of the block (1 GB = 10⁹ B)."""
        time_us = self.time_us(self.cycles)
        return nbytes / time_us / 1e3 if time_us else 0.0

    def hit_share(self, way: str) -> float:
        """Share of the launch's "read" or "write" bytes that L2 served or kept."""
        hit, miss = (
            (self.l2.read_hit, self.l2.read_miss)
            if way == "read"
            else (self.l2.write_hit, self.l2.write_miss)
        )
        return hit / (hit + miss) if hit + miss else 0.0

    def ratio(self, cycles: float) -> float:
        return cycles / self.cycles if self.cycles else 0.0


def gm_accesses(step: Step) -> list[Access]:
    """The accesses of a step that reach global memory."""
    return [a for a in (*step.reads, *step.writes) if a.space == "GM"]


def block_ids(part: ClassTiming) -> list[int]:
    return np.asarray(part.blocks).tolist()


def facts_of(run: Any) -> list[BlockFacts]:
    """Facts of every class of a run, in the order of classes."""
    timing, chip = run.timing, run.execution.chip
    return [BlockFacts(part, chip, timing.l2) for part in timing.classes]
