"""Which cores a timeline shows, and what they did: alike cores share one lane group.

Two cores are alike if they run blocks of the same timing classes in the same order, so
their pictures are equal. Of many different cores three are representative: the slowest,
the first and the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from npusim.launch import Run
from npusim.profile.spans import PIPES, Spans, class_spans
from npusim.timing import ClassTiming


@dataclass(frozen=True)
class Notes:
    """For each span of a lane: its source line, and what held its start back ("")."""

    lines: np.ndarray
    waits: np.ndarray


class Held(NamedTuple):
    """The scalar unit waits from `start` to `end` (ticks) and issues nothing."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class CoreLanes:
    """One core's lanes by pipe, `alike` counting the cores that look the same.

    `label` stands in place of the core's number where it is not empty.
    """

    core: int
    alike: int
    lanes: dict[str, Spans]
    label: str = ""
    notes: dict[str, Notes] = field(default_factory=dict)
    held: tuple[Held, ...] = ()  # when the scalar unit itself stood still

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
    classes = run.timing.classes
    spans = [class_spans(part) for part in classes]
    notes = [_notes(run, *pair) for pair in zip(classes, spans, strict=True)]
    held = [_held(part) for part in classes]
    width = run.execution.chip.vector_cores
    return [
        CoreLanes(
            core,
            sum(other == plan[core] for other in plan.values()),
            _joined([
                {p: s.shifted(starts[core + i * width]) for p, s in spans[c].items()}
                for i, c in enumerate(plan[core])
            ]),
            notes=_noted([notes[c] for c in plan[core]]),
            held=tuple(
                Held(h.start + begin, h.end + begin, h.reason)
                for i, c in enumerate(plan[core])
                for begin in (starts[core + i * width],)
                for h in held[c]
            ),
        )
        for core in cores
    ]  # fmt: skip


def _notes(run: Run, part: ClassTiming, spans: dict[str, Spans]) -> dict[str, Notes]:
    """Lines and waits of a class; the gaps of S are its own issuing, no waits."""
    places = run.execution.program.locations
    lines = np.array([places[s.where].line for s in part.stream.steps()], np.int64)
    waits = np.array(part.waits, dtype=np.str_)
    return {pipe: Notes(lines[s.steps], waits[s.steps]) for pipe, s in spans.items()}


def _held(part: ClassTiming) -> list[Held]:
    """The steps of S in which it waits."""
    times = zip(part.start_ticks, part.end_ticks, part.waits, strict=True)
    return [
        Held(start, end, wait)
        for step, (start, end, wait) in zip(part.stream.steps(), times, strict=True)
        if step.pipe == "S" and wait and end > start
    ]


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


def _noted(parts: list[dict[str, Notes]]) -> dict[str, Notes]:
    used = (pipe for pipe in PIPES if any(pipe in part for part in parts))
    return {
        pipe: Notes(
            np.concatenate([p[pipe].lines for p in parts if pipe in p]),
            np.concatenate([p[pipe].waits for p in parts if pipe in p]),
        )
        for pipe in used
    }
