"""A timed run as the notes look at it: every step of every class with its times.

All times are cycles. Numbers of a class count once for each of its blocks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import Any

from npusim.core import Execution
from npusim.core.stream import Step
from npusim.diagnostic import Diagnostic
from npusim.timing import TICKS_PER_CYCLE, ClassTiming, Timing


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    text = resources.files(__package__).joinpath("thresholds.toml").read_text("utf-8")
    return tomllib.loads(text)


def threshold(name: str) -> float:
    """The value of a threshold, in its own unit."""
    return _table()[name]["value"]


@dataclass(frozen=True)
class ClassWork:
    """The steps of one class of blocks; `starts[i]`, `ends[i]` of `steps[i]`."""

    part: ClassTiming
    steps: list[Step]
    starts: list[float]
    ends: list[float]

    @property
    def blocks(self) -> int:
        return len(self.part.blocks)

    def spans(self, pipe: str) -> list[tuple[float, float]]:
        """(start, end) of the work of `pipe`, in order."""
        return [
            (self.starts[i], self.ends[i])
            for i, step in enumerate(self.steps)
            if step.pipe == pipe and step.cost.kind in ("vector", "copy")
        ]


@dataclass(frozen=True)
class Work:
    """One timed run. `core`: mean cycles of a core that worked."""

    execution: Execution
    timing: Timing
    notes: list[tuple[float, Diagnostic]] = field(default_factory=list)

    @cached_property
    def classes(self) -> list[ClassWork]:
        return [_class_work(part) for part in self.timing.classes]

    @cached_property
    def used(self) -> int:
        """Cores that worked."""
        return len([c for c in self.timing.core_cycles if c])

    @cached_property
    def total(self) -> float:
        """Cycles of all cores together, without the launch."""
        return float(sum(self.timing.core_cycles))

    @property
    def longest(self) -> int:
        """Cycles of the core that worked longest."""
        return max(self.timing.core_cycles, default=0)

    @property
    def core(self) -> float:
        return self.total / self.used if self.used else 0.0

    def ratio(self, pipe: str) -> float:
        """Busy share of a core's time."""
        return self.timing.pipe_cycles.get(pipe, 0.0) / self.core if self.core else 0.0

    def share(self, cycles_of_all_cores: float) -> float:
        """What part of the launch so many cycles are, spread over the cores."""
        cycles = self.timing.cycles
        return cycles_of_all_cores / self.used / cycles if self.used and cycles else 0.0

    @property
    def near_floor(self) -> bool:
        """Whether hardly anything is left to gain."""
        least, cycles = self.timing.floor_cycles, self.timing.cycles
        return least >= threshold("near_floor") * cycles

    def add(self, code: str, gain: float, where: int | None, **facts: Any) -> None:
        """A note that is worth `gain` of the launch; next to nothing is not told."""
        chip, reason = self.execution.chip, facts.get("reason")
        once = "_once" if reason in ("start", "one_tile") else ""
        least = threshold("least_saved" + once)
        if gain * self.timing.cycles < chip.cycles_of_ns(least):
            return
        program = self.execution.program
        place = None if where is None else program.location(where)
        self.notes.append((gain, Diagnostic(code, "P", place, facts)))


def _class_work(part: ClassTiming) -> ClassWork:
    return ClassWork(
        part,
        list(part.stream.localized()),
        [t / TICKS_PER_CYCLE for t in part.start_ticks],
        [t / TICKS_PER_CYCLE for t in part.end_ticks],
    )


def percent(share: float) -> str:
    """A share as a reader sees it."""
    return f"{share:.0%}"
