"""`run.timeline()`: when each pipe of a few cores was busy, as picture and as words.

The picture shows the cores' work; the launch before it is not drawn. What a screen
reader reads and what `text` gives are the same facts: pipes, instructions, busy share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import share_text
from npusim.profile.spans import Spans
from npusim.timing import TICKS_PER_CYCLE
from npusim.view.bars import busy_share
from npusim.view.labels import LABELS
from npusim.view.lanes import CoreLanes, core_lanes, plans, representative_cores
from npusim.view.shown import Shown
from npusim.view.stalls import stall_ticks, stalls
from npusim.view.stepping import class_of
from npusim.view.tiles import tile_indices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink


@dataclass(frozen=True, repr=False)
class Timeline(Shown):
    """A window of a run in time. Shows itself; `savefig(path)` writes it."""

    kind = "timeline"

    kernel: str
    cores: tuple[CoreLanes, ...]
    start: float  # cycles since the cores started
    end: float
    cycles_per_us: float
    language: str

    def draw(self, ink: Ink) -> Figure:
        """The figure of the window."""
        from npusim.view.picture import Window, draw

        window = Window(self.start, self.end, self.cycles_per_us)
        return draw(list(self.cores), window, self.language, ink)

    @cached_property
    def text(self) -> str:
        """The picture in words."""
        lines = [LABELS(
            "alt", self.language, kernel=self.kernel,
            start=f"{self.start:,.0f}", end=f"{self.end:,.0f}",
        )]  # fmt: skip
        return " ".join([*lines, *(self._core_text(core) for core in self.cores)])

    def _core_text(self, core: CoreLanes) -> str:
        pipes = (
            self._pipe_text(pipe, spans) + self._wait_text(core, pipe)
            for pipe, spans in core.lanes.items()
        )
        joined = ("；" if self.language == "zh" else "; ").join(pipes)
        key = "alt_core_alike" if core.alike > 1 else "alt_core"
        return LABELS(
            key, self.language, core=core.core, count=core.alike, pipes=joined
        )

    def _wait_text(self, core: CoreLanes, pipe: str) -> str:
        """Shares of the window that the pipe waited, by reason; empty for none."""
        start, end = self.start * TICKS_PER_CYCLE, self.end * TICKS_PER_CYCLE
        found = stall_ticks(stalls(core, pipe), start, end)
        reasons = ", ".join(
            LABELS(
                "alt_wait", self.language, share=share_text(ticks / (end - start)),
                reason=LABELS(f"stall_{reason}", self.language),
            )
            for reason, ticks in found.items()
        )  # fmt: skip
        return LABELS("alt_waits", self.language, reasons=reasons) if reasons else ""

    def _pipe_text(self, pipe: str, spans: Spans) -> str:
        start, end = self.start * TICKS_PER_CYCLE, self.end * TICKS_PER_CYCLE
        inside = (spans.ends > start) & (spans.starts < end)
        share = busy_share(spans.starts, spans.ends, [start, end])[0]
        return LABELS(
            "alt_pipe", self.language, pipe=pipe,
            count=f"{int(inside.sum()):,}", share=share_text(share),
        )  # fmt: skip


def timeline(
    run: Run,
    core: int | None = None,
    start: float | None = None,
    end: float | None = None,
    language: str | None = None,
    tile: int | None = None,
) -> Timeline:
    """The timeline of one core, or of the slowest, first and last.

    `start` and `end`: cycles since the cores started, by default all of the work;
    `tile`: from the beginning to the end of the tile of that number (of the core's
    first block; core 0 if none is named). A core without a block, a tile that is not
    there and an empty window are a ValueError.
    """
    reader = parts(language or current())[0]
    if tile is not None:
        core = _chosen(run, core or 0, reader)[0]
        start, end = tile_window(run, core, tile, reader)
    cores = core_lanes(run, _chosen(run, core, reader))
    last = max((lanes.end_ticks for lanes in cores), default=0) / TICKS_PER_CYCLE
    start = 0.0 if start is None else float(start)
    end = max(last, start + 1.0) if end is None else float(end)
    if not start < end:
        raise ValueError(LABELS("error_window", reader, start=start, end=end))
    cycles_per_us = run.execution.chip.clock_ghz * 1e3
    return Timeline(run.kernel, tuple(cores), start, end, cycles_per_us, reader)


def _chosen(run: Run, core: int | None, language: str) -> list[int]:
    if core is None:
        return representative_cores(run)
    used = sorted(plans(run))
    if core not in used:
        cores = f"{used[0]}–{used[-1]}" if used else "–"
        raise ValueError(LABELS("error_core", language, core=core, cores=cores))
    return [core]


def tile_window(run: Run, core: int, tile: int, language: str) -> tuple[float, float]:
    """First and last cycle of the work of one tile of the core's first block."""
    part = class_of(run, core, language)
    chosen = tile_indices(list(part.stream.steps()), tile, language)
    begin = run.timing.block_start_ticks[core]
    start = min(part.start_ticks[i] for i in chosen)
    end = max(part.end_ticks[i] for i in chosen)
    return (begin + start) / TICKS_PER_CYCLE, (begin + end) / TICKS_PER_CYCLE
