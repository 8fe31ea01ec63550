"""`run.beside(other)`: two runs on one clock, the slowest core of each.

Both timelines share the time axis, so a shorter picture is a faster run. The words give
the numbers of the comparison (`npusim.profile.compare`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.compare import Comparison, compare
from npusim.timing import TICKS_PER_CYCLE
from npusim.view.labels import LABELS
from npusim.view.lanes import CoreLanes, core_lanes
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink


@dataclass(frozen=True, repr=False)
class BeforeAfter(Shown):
    """The slowest core of each of two runs, and what changed in numbers."""

    cores: tuple[CoreLanes, ...]
    cycles_per_us: float
    numbers: Comparison
    language: str

    kind = "beforeafter"

    @property
    def text(self) -> str:
        return self.numbers.text(self.language)

    def draw(self, ink: Ink) -> Figure:
        """Two groups of lanes on one time axis."""
        from npusim.view.picture import Window, draw

        last = max(core.end_ticks for core in self.cores) / TICKS_PER_CYCLE
        window = Window(0.0, max(1.0, last), self.cycles_per_us)
        return draw(list(self.cores), window, self.language, ink)


def _slowest(run: Run, label: str) -> CoreLanes:
    cycles = run.core_cycles
    core = max(range(len(cycles)), key=lambda i: cycles[i])
    return replace(core_lanes(run, [core])[0], label=label)


def beside(run: Run, other: Run, language: str | None = None) -> BeforeAfter:
    """This run as "before", `other` as "after"."""
    reader = parts(language or current())[0]
    cores = tuple(
        _slowest(one, LABELS(key, reader))
        for one, key in ((run, "before"), (other, "after"))
    )
    cycles_per_us = run.execution.chip.clock_ghz * 1e3
    return BeforeAfter(cores, cycles_per_us, compare(run, other), reader)
