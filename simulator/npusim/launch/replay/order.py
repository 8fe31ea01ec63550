"""Who acts when: the moments of every step of all blocks, in the order of time.

At its start an instruction reads all of its inputs, at its end all of its outputs land.
A copy moves in `PIECES` equal parts of whole data blocks, one each eighth of its time:
a part is read and lands at the end of its eighth, so a copy may be seen half done, and
its source may change under it. An atomic copy reads at its start and adds at its end.
Where ticks are equal, ends that took time come before starts (who was
released by an end sees its data); then the lower block and the earlier step goes first,
which is an order of this project's choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npusim.core.stream import Step
from npusim.launch.run import Run

PIECES = 8  # choice of this project: no public source tells how a copy proceeds
BEGIN = -1


class Moment(NamedTuple):
    """A step of a block begins, or its outputs land; sorts by time.

    `part`: BEGIN, or the number of the part that moves; `parts` of them in all.
    """

    tick: int
    late: bool  # behind the landings of this tick that took time
    block: int
    step: int
    part: int
    parts: int


def steps_by_block(run: Run) -> dict[int, list[Step]]:
    """The stream of every block (lenient runs execute each block alone)."""
    streams = run.execution.streams
    return {int(s.blocks[0]): list(s.steps()) for s in streams}


def moments(run: Run, steps: dict[int, list[Step]]) -> list[Moment]:
    """Starts and landings of all steps that touch memory."""
    return sorted(_moments(run, steps))


def _moments(run: Run, steps: dict[int, list[Step]]) -> Iterator[Moment]:
    for part in run.timing.classes:
        for block in part.blocks.tolist():
            begin = run.timing.block_start_ticks[block]
            for i, step in enumerate(steps[block]):
                if step.reads or step.writes:
                    start, end = part.start_ticks[i], part.end_ticks[i]
                    yield from _of_step(step, block, i, begin + start, begin + end)


def _of_step(
    step: Step, block: int, number: int, start: int, end: int
) -> Iterator[Moment]:
    parts = PIECES if moves_in_parts(step) else 1
    yield Moment(start, True, block, number, BEGIN, parts)
    for part in range(parts):
        tick = start + (end - start) * (part + 1) // parts
        yield Moment(tick, tick == start, block, number, part, parts)


def moves_in_parts(step: Step) -> bool:
    """Whether a step is a copy between memories that takes its time."""
    return step.cost.kind == "copy" and not any(a.atomic for a in step.writes)
