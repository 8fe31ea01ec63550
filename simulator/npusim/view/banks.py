"""`run.banks()`: which bank groups of UB the vector instructions read twice at once.

UB has 16 bank groups of 32-byte blocks. A repeat takes 8 blocks of each operand; two
reads of one group in one repeat cost a cycle more, and so do two writes. The map has
a row for each source line with vector instructions and a column for each group; a cell
is the number of blocks a repeat finds there beyond the first, mean of its repeats.
Rules: Ascend C guide, UB bank conflicts (the chip file names them).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from npusim.chip import Chip
from npusim.core.stream import Access, Step
from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import figures
from npusim.profile.blockfacts import block_ids
from npusim.view.labels import LABELS
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

_ROW_INCHES = 0.3
_MOST_ROWS = 24
Operand = tuple[int, int, int, int]  # address, block pitch, repeat pitch, blocks


@dataclass(frozen=True, repr=False)
class Banks(Shown):
    """Extra blocks a repeat by (source line, bank group); rows by line number."""

    kernel: str
    lines: tuple[int, ...]
    extra: np.ndarray  # float, len(lines) x groups
    language: str

    kind = "banks"

    @property
    def text(self) -> str:
        hot = [
            LABELS(
                "banks_row", self.language, line=line, extra=figures(float(row.sum()))
            )
            for line, row in zip(self.lines, self.extra, strict=True)
            if row.any()
        ]
        head = LABELS("banks_alt", self.language, kernel=self.kernel)
        return " ".join([head, *(hot or [LABELS("banks_none", self.language)])])

    def draw(self, ink: Ink) -> Figure:
        """A map in one hue, the number written where it is not zero."""
        from npusim.view.ink import canvas, ink_axis, words

        rows = max(1, len(self.lines))
        figure, axes = canvas(rows * _ROW_INCHES + 1.0, ink, (1.3, 0.45, 0.3, 0.6))
        groups = self.extra.shape[1]
        for y, line in enumerate(self.lines):
            for x in range(groups):
                value = float(self.extra[y, x])
                _cell(axes, x, y, value, ink)
                if value:
                    words(axes, x + 0.5, y + 0.5, f"{value:.2g}", ink, ha="center")
            name = LABELS("line", self.language, line=line)
            words(axes, -0.15, y + 0.5, name, ink, ha="right")
        axes.set_xlim(0, groups)
        axes.set_ylim(rows, 0)
        axes.set_yticks([])
        axes.set_xticks(
            [x + 0.5 for x in range(groups)], [str(x) for x in range(groups)]
        )
        ink_axis(axes.xaxis, ink, LABELS("banks_axis", self.language))
        return figure


def _cell(axes: object, x: int, y: int, value: float, ink: Ink) -> None:
    from matplotlib.patches import Rectangle

    share = min(1.0, value / 2.0)
    face = ("#d55e00", 0.15 + 0.6 * share) if value else ("#808080", 0.08)
    axes.add_patch(  # type: ignore[attr-defined]
        Rectangle((x + 0.04, y + 0.08), 0.92, 0.84, facecolor=face, linewidth=0)
    )


# ---------------------------------------------------------------------------- counting
def _plain(access: Access, repeat: int, block: int) -> Operand:
    """An operand without strides: blocks one after another."""
    return int(access.base), block, repeat, max(1, min(repeat, access.nbytes) // block)


def _operands(step: Step, chip: Chip) -> tuple[list[Operand], list[Operand]]:
    """(written, read) operands of a vector step."""
    if step.cost.banks:
        return [step.cost.banks[0]], list(step.cost.banks[1:])
    repeat, block = int(chip.constant("repeat")), int(chip.constant("bank_block"))
    local = [[_plain(a, repeat, block) for a in ways if a.space == "UB"]
             for ways in (step.writes, step.reads)]  # fmt: skip
    return local[0][:1], local[1]


def _groups(operands: Iterable[Operand], number: int, chip: Chip) -> Iterator[int]:
    """Bank groups of the distinct blocks that repeat `number` touches."""
    block, groups = int(chip.constant("bank_block")), int(chip.constant("bank_groups"))
    blocks = {
        (base + number * pitch + i * gap) // block
        for base, gap, pitch, count in operands
        for i in range(count)
    }
    return (b % groups for b in blocks)


def extra_blocks(step: Step, chip: Chip) -> np.ndarray:
    """Blocks beyond the first by bank group, summed over the repeats of a step."""
    groups = int(chip.constant("bank_groups"))
    total = np.zeros(groups)
    written, read = _operands(step, chip)
    for number in range(min(step.cost.repeats, groups)):
        times = len(range(number, step.cost.repeats, groups))
        for operands in (written, read):
            for group, count in Counter(_groups(operands, number, chip)).items():
                total[group] += times * (count - 1)
    return total


def banks(run: Run, language: str | None = None) -> Banks:
    """The bank map of a run, the `_MOST_ROWS` lines with most conflicts."""
    chip = run.execution.chip
    groups = int(chip.constant("bank_groups"))
    extra: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(groups))
    repeats: Counter[int] = Counter()
    known: dict[int, np.ndarray] = {}
    for part in run.timing.classes:
        count = len(block_ids(part))
        for step in part.stream.steps():
            if step.cost.kind != "vector" or not step.cost.repeats:
                continue
            if id(step) not in known:
                known[id(step)] = extra_blocks(step, chip)
            line = run.execution.program.locations[step.where].line
            extra[line] += count * known[id(step)]
            repeats[line] += count * step.cost.repeats
    mean = {line: extra[line] / repeats[line] for line in repeats}
    chosen = sorted(mean, key=lambda line: (-mean[line].sum(), line))[:_MOST_ROWS]
    lines = tuple(sorted(chosen))
    table = np.array([mean[line] for line in lines]).reshape(len(lines), groups)
    return Banks(run.kernel, lines, table, parts(language or current())[0])
