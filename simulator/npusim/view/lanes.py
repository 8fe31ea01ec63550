"""Which cores a timeline shows, and what they did: alike cores share one lane group.

Two cores are alike if they run blocks of the same timing classes in the same order, so
their pictures are equal. Of many different cores three are representative: the slowest,
the first and the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from npusim.launch import Run
from npusim.profile.spans import PIPES, Spans, class_spans


@dataclass(frozen=True)
class CoreLanes:
    """One core's lanes by pipe, `alike` counting the cores that look the same."""

    core: int
    alike: int
    lanes: dict[str, Spans]

    @property
    def end_ticks(self) -> int:
        return max((int(lane.ends.max()) for lane in self.lanes.values()), default=0)


def plans(run: Run) -> dict[int, tuple[int, ...]]:
    """Core → the timing classes of its blocks, in the order in which it runs them."""
    cores = run.execution.chip.vector_cores
    blocks = sorted(
        (int(block), index)
        for index, part in enumerate(run.timing.classes)
        for block in part.blocks
    )
    found: dict[int, tuple[int, ...]] = {}
    for block, index in blocks:
        core = block % cores
        found[core] = (*found.get(core, ()), index)
    return found


def representative_cores(run: Run) -> list[int]:
    """First, slowest and last core, each as the lowest of those alike, in order."""
    plan = plans(run)
    if not plan:
        return []
    lowest = {plan[core]: core for core in sorted(plan, reverse=True)}
    slowest = max(sorted(plan), key=lambda core: run.core_cycles[core])
    return sorted({lowest[plan[core]] for core in (min(plan), slowest, max(plan))})


def core_lanes(run: Run, cores: Iterable[int]) -> list[CoreLanes]:
    """The lanes of `cores`, each with the number of cores like it."""
    plan, starts = plans(run), run.timing.block_start_ticks
    spans = [class_spans(part) for part in run.timing.classes]
    width = run.execution.chip.vector_cores
    return [
        CoreLanes(
            core,
            sum(other == plan[core] for other in plan.values()),
            _joined([
                {p: s.shifted(starts[core + i * width]) for p, s in spans[c].items()}
                for i, c in enumerate(plan[core])
            ]),
        )
        for core in cores
    ]  # fmt: skip


def _joined(parts: list[dict[str, Spans]]) -> dict[str, Spans]:
    """Spans of the blocks that one core ran one after another."""
    used = (pipe for pipe in PIPES if any(pipe in part for part in parts))
    return {pipe: _concatenated([p[pipe] for p in parts if pipe in p]) for pipe in used}


def _concatenated(spans: list[Spans]) -> Spans:
    return Spans(
        spans[0].pipe,
        np.concatenate([s.starts for s in spans]),
        np.concatenate([s.ends for s in spans]),
        np.concatenate([s.steps for s in spans]),
    )
