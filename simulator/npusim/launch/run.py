"""`Run`: the record of one launch, and the registry through which views join it.

A Run holds what execution, timing and checks left behind. Floors above register what
they can show of it (`profile`, `timeline`, …); this module knows none of them, and the
first use of such a name loads the packages listed in `VIEW_PACKAGES`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from npusim.check.notes import performance_notes
from npusim.core import Execution
from npusim.diagnostic import Diagnostic
from npusim.launch.settings import Options
from npusim.timing import TICKS_PER_CYCLE, ClassTiming, Timing

VIEW_PACKAGES = ("npusim.profile", "npusim.view")


class Event(NamedTuple):
    """One instruction in time; cycles are counted from the start of its core's work.

    `nbytes`: what the step moves or touches in GM, else in local memory. `wait`: why it
    did not start sooner ("" where it did not wait). `where`: index into
    `Program.locations`, as two cells may both have a line 7.
    """

    core: int
    block: int
    pipe: str
    name: str
    start_cycle: float
    end_cycle: float
    line: int
    nbytes: int
    wait: str
    where: int


@dataclass(frozen=True)
class Run:
    """One launch: `cycles` (launch, waves, tail), `time_us`, and what explains it."""

    kernel: str
    options: Options
    execution: Execution
    timing: Timing
    found: tuple[Diagnostic, ...]  # of severity E and W

    _views: ClassVar[dict[str, tuple[Callable[..., Any], bool]]] = {}  # as property?

    # ------------------------------------------------------------------ plain facts
    @property
    def cycles(self) -> int:
        """Cycles of the whole launch: scheduling, all waves, tail."""
        return self.timing.cycles

    @property
    def time_us(self) -> float:
        """Microseconds: `cycles` over the chip's clock (msprof's Task Duration)."""
        return self.cycles / (self.execution.chip.clock_ghz * 1e3)

    @property
    def core_cycles(self) -> tuple[int, ...]:
        """Cycles of each core that worked, without the launch."""
        return self.timing.core_cycles

    @property
    def pipe_cycles(self) -> Mapping[str, float]:
        """Busy cycles of each pipe, mean over the cores that worked."""
        return self.timing.pipe_cycles

    @property
    def blocks(self) -> int:
        return self.execution.blocks

    @property
    def chip(self) -> str:
        """The name of the chip."""
        return self.execution.chip.name

    @property
    def cache(self) -> str:
        return self.options.cache

    @property
    def code(self) -> str:
        return self.options.code

    @property
    def mode(self) -> str:
        return self.options.mode

    @property
    def nbytes_read(self) -> int:
        """Bytes read from GM by all blocks."""
        return self.timing.nbytes_read

    @property
    def nbytes_written(self) -> int:
        """Bytes written to GM by all blocks."""
        return self.timing.nbytes_written

    @property
    def floor_us(self) -> float:
        """Least time for these bytes and vector instructions on this chip."""
        return self.timing.floor_cycles / (self.execution.chip.clock_ghz * 1e3)

    @property
    def bound(self) -> str:
        """What bounds the run: MTE2 MTE3 V M FIX S SYNC START or IMBALANCE."""
        return self.timing.bound

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found, then performance notes (P): these on the first use."""
        return (*self.found, *performance_notes(self.execution, self.timing))

    @property
    def prints(self) -> tuple[str, ...]:
        """Lines of `asc.printf`, by block and program order."""
        return tuple(line.text(self.cycle_of) for line in self.execution.lines)

    def cycle_of(self, block: int, step: int) -> int:
        """The cycle in which a step of a block ends, from the start of its core."""
        part = self._class_of[block]
        begin = self.timing.block_start_ticks[block]
        return (begin + part.end_ticks[step]) // TICKS_PER_CYCLE

    @cached_property
    def _class_of(self) -> dict[int, ClassTiming]:
        return {b: p for p in self.timing.classes for b in p.blocks.tolist()}

    # --------------------------------------------------------------------- events
    def events(self) -> list[Event]:
        """Every instruction of every block, in the order block, program."""
        return list(self._events)

    @cached_property
    def _events(self) -> tuple[Event, ...]:
        return tuple(
            sorted(
                (e for part in self.timing.classes for e in self._class_events(part)),
                key=lambda e: e.block,
            )
        )

    def _class_events(self, part: ClassTiming) -> Iterator[Event]:
        cores = self.execution.chip.vector_cores
        locations = self.execution.program.locations
        steps = list(part.stream.steps())
        starts = [t / TICKS_PER_CYCLE for t in part.start_ticks]
        ends = [t / TICKS_PER_CYCLE for t in part.end_ticks]
        for block in part.blocks.tolist():
            begin = self.timing.block_start_ticks[block] / TICKS_PER_CYCLE
            for i, step in enumerate(steps):
                yield Event(
                    block % cores, block, step.pipe, step.name,
                    begin + starts[i], begin + ends[i], locations[step.where].line,
                    step_nbytes(step), part.waits[i], step.where,
                )  # fmt: skip

    # ---------------------------------------------------------------------- views
    @classmethod
    def register(
        cls, name: str, function: Callable[..., Any], as_property: bool = False
    ) -> None:
        """Add the view `name`: `function(run, …)`, called at once if a property."""
        cls._views[name] = (function, as_property)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and name not in Run._views:
            load_views()
        if name not in Run._views:
            raise AttributeError(f"a Run has no {name!r}")
        function, as_property = Run._views[name]
        return function(self) if as_property else function.__get__(self)

    def __dir__(self) -> list[str]:
        load_views()
        return sorted({*super().__dir__(), *Run._views})

    def __repr__(self) -> str:
        return (
            f"Run({self.kernel}[{self.blocks}] on {self.chip}: {self.time_us:.2f} us, "
            f"{self.cycles} cycles, bound by {self.bound})"
        )


def load_views() -> None:
    """Import the floors that show runs; they register themselves."""
    for package in VIEW_PACKAGES:
        importlib.import_module(package)


def step_nbytes(step: Any) -> int:
    """Bytes that a step moves or touches in GM; in local memory where it has none."""
    accesses = (*step.reads, *step.writes)
    in_gm = [a.total_nbytes for a in accesses if a.space == "GM"]
    return sum(in_gm) if in_gm else sum(a.total_nbytes for a in accesses)
