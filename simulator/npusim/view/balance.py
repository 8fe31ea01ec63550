"""`run.balance()`: how evenly the cores are loaded.

One bar a core, as high as its cycles; a line at the mean. Below the bars stands how far
the slowest core is above the mean: that share of the time most cores wait.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import count_text, share_text
from npusim.profile.table import PIPE_COLOURS
from npusim.view.labels import LABELS
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

_HEIGHT_INCHES = 2.4


@dataclass(frozen=True, repr=False)
class Balance(Shown):
    """Cycles of every core of the chip, 0 for one without a block."""

    kernel: str
    cycles: tuple[int, ...]
    language: str

    kind = "balance"

    @property
    def used(self) -> tuple[int, ...]:
        """Cycles of the cores that worked."""
        return tuple(c for c in self.cycles if c)

    @property
    def mean(self) -> float:
        return math.fsum(self.used) / len(self.used) if self.used else 0.0

    @property
    def waiting(self) -> float:
        """Share of the slowest core's time in which the mean core has no work."""
        slowest = max(self.used, default=0)
        return 1.0 - self.mean / slowest if slowest else 0.0

    @property
    def text(self) -> str:
        slowest = max(range(len(self.cycles)), key=lambda i: self.cycles[i], default=0)
        return LABELS(
            "balance_alt", self.language, kernel=self.kernel, used=len(self.used),
            cores=len(self.cycles), mean=count_text(self.mean), core=slowest,
            slowest=count_text(max(self.cycles, default=0)),
            share=share_text(self.waiting),
        )  # fmt: skip

    def draw(self, ink: Ink) -> Figure:
        """Bars by core, the mean as a line."""
        from npusim.view.ink import canvas, ground, number_axis, words

        figure, axes = canvas(_HEIGHT_INCHES, ink)
        colours = [PIPE_COLOURS["V" if c > self.mean else "MTE2"] for c in self.cycles]
        axes.bar(range(len(self.cycles)), self.cycles, color=colours, width=0.8)
        axes.axhline(self.mean, color=ink.text, linewidth=1, linestyle="--")
        axes.set_xlim(-0.7, len(self.cycles) - 0.3)
        axes.set_ylim(0, 1.18 * max(self.cycles, default=1) or 1)
        ground(axes, ink, "y")
        number_axis(axes.xaxis, ink, LABELS("balance_axis", self.language), most=12)
        number_axis(axes.yaxis, ink, LABELS("cycles", self.language), most=4)
        note = LABELS("balance_mean", self.language, mean=count_text(self.mean))
        place = axes.get_yaxis_transform()
        top = max(self.cycles, default=1)
        words(axes, 0.995, 1.1 * top, note, ink, transform=place, ha="right")
        return figure


def balance(run: Run, language: str | None = None) -> Balance:
    """The cycles of each core of the chip in this run."""
    reader = parts(language or current())[0]
    cores = run.execution.chip.vector_cores
    cycles = (*run.core_cycles, *[0] * (cores - len(run.core_cycles)))
    return Balance(run.kernel, cycles, reader)
