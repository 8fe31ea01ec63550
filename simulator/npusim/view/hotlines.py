"""`run.hot_lines()`: where the time goes, beside the source.

A table with one row a source line that executed something: its text, and for each pipe
the cycles in which its instructions kept the pipe busy, mean of a block. Pipes overlap,
so lines add up to more than the run. A table, not a figure: source may hold any
character, and a reader copies from it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from html import escape

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import count_text, share_text
from npusim.profile.blockfacts import block_ids
from npusim.profile.table import PIPE_COLOURS
from npusim.timing import TICKS_PER_CYCLE
from npusim.view.labels import LABELS

_BAR_PX = 160


@dataclass(frozen=True)
class HotLine:
    """One source line; `cycles` by pipe, mean of a block."""

    label: str  # the cell or file
    line: int
    text: str
    cycles: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.cycles.values())


@dataclass(frozen=True)
class HotLines:
    """The lines of a run in the order of the source; shows itself as a table."""

    kernel: str
    lines: tuple[HotLine, ...]
    language: str

    @property
    def hottest(self) -> tuple[HotLine, ...]:
        """The lines by falling time."""
        return tuple(sorted(self.lines, key=lambda line: (-line.total, line.line)))

    @property
    def text(self) -> str:
        """The table in words, the hottest line first."""
        whole = sum(line.total for line in self.lines)
        rows = [
            LABELS(
                "hot_row", self.language, line=line.line, source=line.text.strip(),
                cycles=count_text(line.total),
                share=share_text(line.total / whole if whole else 0.0),
            )
            for line in self.hottest
        ]  # fmt: skip
        return "\n".join([LABELS("hot_alt", self.language, kernel=self.kernel), *rows])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        most = max((line.total for line in self.lines), default=1.0) or 1.0
        body = "".join(self._row(line, most) for line in self.lines)
        caption = escape(LABELS("hot_alt", self.language, kernel=self.kernel))
        return (
            f"<table class='npusim-hotlines' lang='{self.language}' "
            "style='border-collapse:collapse;text-align:left'>"
            f"<caption style='text-align:left;color:inherit'>{caption}</caption>"
            f"{body}</table>"
        )

    def _row(self, line: HotLine, most: float) -> str:
        bars = "".join(
            f"<span title='{pipe} {cycles:,.0f}' style='display:inline-block;"
            f"height:10px;width:{_BAR_PX * cycles / most:.1f}px;"
            f"background:{PIPE_COLOURS[pipe]}'></span>"
            for pipe, cycles in line.cycles.items()
        )
        names = ", ".join(f"{p} {count_text(c)}" for p, c in line.cycles.items())
        cell = "text-align:left;padding:0 10px 0 0"
        return (
            f"<tr style='background:none'><td style='{cell};opacity:.7'>{line.line}"
            f"</td><td style='{cell};white-space:pre;font-family:monospace'>"
            f"{escape(line.text.rstrip())}</td>"
            f"<td style='{cell};white-space:nowrap;width:{_BAR_PX}px'>{bars}</td>"
            f"<td style='{cell};white-space:nowrap'>{escape(names)}</td></tr>"
        )


def hot_lines(run: Run, language: str | None = None) -> HotLines:
    """Busy cycles by source line and pipe, mean of a block."""
    spent: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for part in run.timing.classes:
        count = len(block_ids(part))
        times = zip(part.start_ticks, part.end_ticks, strict=True)
        for step, (start, end) in zip(part.stream.steps(), times, strict=True):
            spent[step.where][step.pipe] += count * (end - start)
    unit = TICKS_PER_CYCLE * max(1, run.blocks)
    return HotLines(
        run.kernel, _merged(run, spent, unit), parts(language or current())[0]
    )


def _merged(
    run: Run, spent: dict[int, dict[str, int]], unit: int
) -> tuple[HotLine, ...]:
    """One entry a line: several instructions of a line have places of their own."""
    found: dict[tuple[str, int, str], dict[str, float]] = {}
    for where, pipes in spent.items():
        place = run.execution.program.locations[where]
        cycles = found.setdefault((place.label, place.line, place.text), {})
        for pipe, ticks in pipes.items():
            if ticks:
                cycles[pipe] = cycles.get(pipe, 0.0) + ticks / unit
    lines = (HotLine(*key, dict(sorted(c.items()))) for key, c in found.items() if c)
    return tuple(sorted(lines, key=lambda line: (line.label, line.line)))
