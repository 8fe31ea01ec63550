"""The named counters of a run: what a graded task may set a limit on.

Their names, units and meaning stand in `counters.toml`; a counter without a function
here, or a function without a row there, fails the tests. Values are whole-launch totals
over all blocks unless the row says otherwise. Nothing depends on time but the two rows
in cycles and the share that does not overlap.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from npusim.chip import Chip
from npusim.core.stream import Step
from npusim.launch import Run
from npusim.profile.blockfacts import block_ids
from npusim.profile.overlap import not_overlapped_percent

_COPY_PIPES = ("MTE2", "MTE3")


@dataclass(frozen=True)
class CounterName:
    """A row of the table: `unit` of the value, its meaning in both languages."""

    unit: str
    en: str
    zh: str


COUNTER_NAMES: Mapping[str, CounterName] = {
    name: CounterName(**row)
    for name, row in tomllib.loads(
        files("npusim.profile").joinpath("counters.toml").read_text(encoding="utf-8")
    ).items()
}


@dataclass
class Totals:
    """Sums over all blocks: by pipe, by instruction, by core."""

    instructions: Counter[str] = field(default_factory=Counter)  # by pipe
    names: Counter[str] = field(default_factory=Counter)
    repeats: int = 0
    copied: int = 0
    barriers_all: int = 0
    scalar_written: int = 0
    core_read: Counter[int] = field(default_factory=Counter)
    core_written: Counter[int] = field(default_factory=Counter)

    def add(self, step: Step, times: int) -> None:
        """Count one step of a class of `times` blocks."""
        self.names[step.name] += times
        self.instructions[step.pipe] += times
        if step.cost.kind == "vector":
            self.repeats += times * step.cost.repeats
        elif step.pipe in _COPY_PIPES:
            self.copied += times * (gm_nbytes(step, "read") + gm_nbytes(step, "write"))
        elif step.name == "pipe_barrier" and step.sync and step.sync.source == "ALL":
            self.barriers_all += times
        elif step.name == "set_value":
            self.scalar_written += times * gm_nbytes(step, "write")


def gm_nbytes(step: Step, way: str) -> int:
    """Bytes that one step of one block reads from or writes to GM."""
    accesses = step.reads if way == "read" else step.writes
    return sum(a.total_nbytes for a in accesses if a.space == "GM")


def _totals(run: Run) -> Totals:
    chip: Chip = run.execution.chip
    totals = Totals()
    for part in run.timing.classes:
        blocks, steps = block_ids(part), list(part.stream.steps())
        for step in steps:
            totals.add(step, len(blocks))
        read = sum(gm_nbytes(step, "read") for step in steps)
        written = sum(gm_nbytes(step, "write") for step in steps)
        for block in blocks:
            totals.core_read[block % chip.vector_cores] += read
            totals.core_written[block % chip.vector_cores] += written
    return totals


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _copies(totals: Totals) -> int:
    return sum(totals.instructions[pipe] for pipe in _COPY_PIPES)


_QUEUE_CALLS = ("alloc_tensor", "enque", "deque", "free_tensor")
_FILL: dict[str, Callable[[Run, Totals], float]] = {
    "cores_used": lambda run, t: sum(1 for c in run.core_cycles if c),
    "blocks": lambda run, t: run.blocks,
    "instructions": lambda run, t: t.instructions["V"] + _copies(t),
    "vector_instructions": lambda run, t: t.instructions["V"],
    "vector_repeats": lambda run, t: t.repeats,
    "copy_instructions": lambda run, t: _copies(t),
    "mean_copy_nbytes": lambda run, t: _ratio(t.copied, _copies(t)),
    "gm_read_nbytes": lambda run, t: run.nbytes_read,
    "gm_write_nbytes": lambda run, t: run.nbytes_written,
    "max_core_read_nbytes": lambda run, t: max(t.core_read.values(), default=0),
    "max_core_write_nbytes": lambda run, t: max(t.core_written.values(), default=0),
    "writes_per_output_byte": lambda run, t: _ratio(
        run.nbytes_written, run.timing.compulsory_nbytes[1]
    ),
    "reads_per_input_byte": lambda run, t: _ratio(
        run.nbytes_read, run.timing.compulsory_nbytes[0]
    ),
    "bank_conflict_cycles": lambda run, t: run.timing.conflict_cycles,
    "l2_read_hit_nbytes": lambda run, t: run.timing.l2.read_hit,
    "flags_set": lambda run, t: t.names["set_flag"],
    "barriers": lambda run, t: t.names["pipe_barrier"],
    "barriers_all": lambda run, t: t.barriers_all,
    "queue_calls": lambda run, t: sum(t.names[name] for name in _QUEUE_CALLS),
    "scalar_accesses": lambda run, t: t.names["get_value"] + t.names["set_value"],
    "scalar_write_nbytes": lambda run, t: t.scalar_written,
    "not_overlapped_percent": lambda run, t: not_overlapped_percent(run),
    "launch_cycles": lambda run, t: run.timing.launch_cycles,
    "cycles": lambda run, t: run.cycles,
}


def named_counters(run: Run) -> dict[str, float]:
    """Every named counter of a run, in the order of `counters.toml`."""
    totals = _totals(run)
    return {name: _FILL[name](run, totals) for name in COUNTER_NAMES}
