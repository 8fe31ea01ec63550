"""`run.ub()`: the Unified Buffer over time, with the names of its buffers.

A band for each buffer at its address, filled while the buffer holds something: from the
write that fills it to its last use. The colour is that of the pipe that filled it.
Blank bands are memory that is reserved and idle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import share_text
from npusim.profile.table import PIPE_COLOURS
from npusim.timing import TICKS_PER_CYCLE
from npusim.view.labels import LABELS
from npusim.view.lives import Place, places
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

_KIB = 1024
_HEIGHT_INCHES = 4.0


@dataclass(frozen=True, repr=False)
class Occupancy(Shown):
    """The buffers of one block, in a UB of `ub_nbytes` bytes; time in cycles."""

    kernel: str
    block: int
    ub_nbytes: int
    places: tuple[Place, ...]
    cycles: float
    language: str

    kind = "ub"

    @property
    def used_nbytes(self) -> int:
        """Bytes of all buffers that were ever filled."""
        return sum(place.end - place.start for place in self.places)

    def filled(self, place: Place) -> float:
        """Share of the time in which a buffer holds something."""
        ticks = sum(life.end - life.start for life in place.lives)
        return min(1.0, ticks / TICKS_PER_CYCLE / self.cycles) if self.cycles else 0.0

    @property
    def text(self) -> str:
        head = LABELS(
            "ub_alt", self.language, kernel=self.kernel, block=self.block,
            used=f"{self.used_nbytes / _KIB:,.4g}", ub=f"{self.ub_nbytes / _KIB:,.4g}",
        )  # fmt: skip
        rows = (
            LABELS(
                "ub_row", self.language, names=", ".join(place.names),
                start=f"{place.start:,}", end=f"{place.end:,}",
                count=len(place.lives), share=share_text(self.filled(place)),
            )
            for place in self.places
        )  # fmt: skip
        return " ".join([head, *rows])

    def draw(self, ink: Ink) -> Figure:
        """Bands by address, time to the right."""
        from matplotlib.collections import PolyCollection

        from npusim.view.drawable import drawable
        from npusim.view.ink import canvas, ground, number_axis, words

        figure, axes = canvas(_HEIGHT_INCHES, ink, (1.9, 0.45, 0.3, 0.55))
        heights = _bands(self.places)
        for place, (low, high) in zip(self.places, heights, strict=True):
            axes.axhspan(low, high, color=ink.faint, alpha=0.12, linewidth=0)
            for pipe in sorted({life.pipe for life in place.lives}):
                boxes = [_box(life.start, life.end, low, high)
                         for life in place.lives if life.pipe == pipe]  # fmt: skip
                axes.add_collection(
                    PolyCollection(
                        boxes, facecolors=PIPE_COLOURS[pipe], edgecolors=ink.faint,
                        linewidths=0.4,
                    )
                )  # fmt: skip
            size = f"{(place.end - place.start) / _KIB:,.4g} KiB"
            name = drawable(f"{', '.join(place.names[:2])}  {size}")
            words(axes, -0.01, (low + high) / 2, name, ink, ha="right",
                  transform=axes.get_yaxis_transform())  # fmt: skip
        axes.set_xlim(0, self.cycles or 1)
        axes.set_ylim(heights[-1][1] + 0.2 if heights else 1, 0)
        axes.set_yticks([])
        ground(axes, ink)
        number_axis(axes.xaxis, ink, LABELS("cycles_axis", self.language))
        return figure


def _bands(places: tuple[Place, ...]) -> list[tuple[float, float]]:
    """Vertical extent by place: as high as its share of memory, but always legible."""
    total = sum(place.end - place.start for place in places) or 1
    y, bands = 0.0, []
    for place in places:
        height = 0.5 + 4.0 * (place.end - place.start) / total
        bands.append((y, y + height))
        y += height + 0.12
    return bands


def _box(start: int, end: int, low: float, high: float) -> list[tuple[float, float]]:
    left, right = start / TICKS_PER_CYCLE, end / TICKS_PER_CYCLE
    return [(left, low), (right, low), (right, high), (left, high)]


def occupancy(run: Run, block: int = 0, language: str | None = None) -> Occupancy:
    """The buffers of `block` over time; a block that did not run is a ValueError."""
    from npusim.view.stepping import class_of

    reader = parts(language or current())[0]
    part = class_of(run, block, reader)
    cycles = max(part.end_ticks, default=0) / TICKS_PER_CYCLE
    ub_nbytes = run.execution.chip.ub_nbytes
    return Occupancy(run.kernel, block, ub_nbytes, tuple(places(part)), cycles, reader)
