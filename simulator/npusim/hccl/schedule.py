"""A collective as data: which rank sends which slices to which rank, step by step.

A buffer is cut into numbered *slices*. A `Transfer` moves some of them in one message
and either stores or reduces them at the target. A rank begins its step k when its own
step k-1 is done; ranks that have nothing to do with each other do not wait for each
other. The same schedule moves real data and is timed (`events`), and small ones agree
with the closed forms (`closed_forms`).

Left out: how a message is cut into packets, and copies within one rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest


@dataclass(frozen=True, slots=True)
class Transfer:
    """One message: `slices` of `source` go to `target`; `reduce`: combined there."""

    source: int
    target: int
    slices: tuple[int, ...]
    reduce: bool = False


Step = tuple[Transfer, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """`steps` among `ranks` ranks on a buffer of `slices` slices."""

    ranks: int
    slices: int
    steps: tuple[Step, ...]

    @property
    def messages(self) -> int:
        """How many messages all ranks send together."""
        return sum(len(step) for step in self.steps)

    def then(self, other: Schedule) -> Schedule:
        """This schedule, and after it `other`; ValueError if they do not fit."""
        if (self.ranks, self.slices) != (other.ranks, other.slices):
            raise ValueError("only schedules of the same ranks and slices join")
        return Schedule(self.ranks, self.slices, self.steps + other.steps)

    def reversed(self, reduce: bool) -> Schedule:
        """Every message back to its sender, last step first.

        Turns an all-gather into a reduce-scatter, a scatter into a gather."""
        steps = (
            tuple(Transfer(t.target, t.source, t.slices, reduce) for t in step)
            for step in reversed(self.steps)
        )
        return Schedule(self.ranks, self.slices, tuple(steps))

    def placed(
        self,
        ranks: Sequence[int],
        slices: Callable[[int], Iterable[int]],
        total_ranks: int,
        total_slices: int,
    ) -> Schedule:
        """The schedule among other ranks: local rank i is `ranks[i]`, local slice s
        stands for the slices `slices(s)` of the whole."""
        table = [tuple(slices(s)) for s in range(self.slices)]
        steps = tuple(
            tuple(
                Transfer(
                    ranks[t.source],
                    ranks[t.target],
                    tuple(one for s in t.slices for one in table[s]),
                    t.reduce,
                )
                for t in step
            )
            for step in self.steps
        )
        return Schedule(total_ranks, total_slices, steps)


def side_by_side(schedules: Sequence[Schedule]) -> Schedule:
    """Schedules of the same whole that run at the same time, step beside step."""
    first = schedules[0]
    steps = zip_longest(*(one.steps for one in schedules), fillvalue=())
    joined = tuple(tuple(t for step in row for t in step) for row in steps)
    return Schedule(first.ranks, first.slices, joined)


def from_rounds(
    ranks: int, slices: int, rounds: Iterable[Iterable[Transfer]]
) -> Schedule:
    """A schedule from any nested iterable of transfers."""
    return Schedule(ranks, slices, tuple(tuple(step) for step in rounds))
