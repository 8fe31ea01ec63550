"""Who acts when: a start and an end a step, for all blocks, in the order of time.

At its start a step reads all of its inputs, at its end all of its outputs land; a long
copy lands whole. Where ticks are equal, ends that took time come before starts (who was
released by an end sees its data); then the lower block and the earlier step goes first,
which is an order of this project's choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npusim.core.stream import Step
from npusim.launch.run import Run


class Moment(NamedTuple):
    """A step of a block begins or ends; sorts by time."""

    tick: int
    late: bool  # behind the ends of this tick that took time
    block: int
    step: int
    ends: bool


def steps_by_block(run: Run) -> dict[int, list[Step]]:
    """The stream of every block (lenient runs execute each block alone)."""
    streams = run.execution.streams
    return {int(s.blocks[0]): list(s.steps()) for s in streams}


def moments(run: Run, steps: dict[int, list[Step]]) -> list[Moment]:
    """Starts and ends of all steps that touch memory."""
    return sorted(_moments(run, steps))


def _moments(run: Run, steps: dict[int, list[Step]]) -> Iterator[Moment]:
    for part in run.timing.classes:
        for block in part.blocks.tolist():
            begin = run.timing.block_start_ticks[block]
            for i, step in enumerate(steps[block]):
                if step.reads or step.writes:
                    start, end = part.start_ticks[i], part.end_ticks[i]
                    yield Moment(begin + start, True, block, i, False)
                    yield Moment(begin + end, end == start, block, i, True)
