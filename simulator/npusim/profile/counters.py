"""Counters of a run, as plain numbers: what msprof would report for the kernel.

Times and ratios of pipes are means over the cores that worked; a ratio is busy cycles
over the core's cycles, so the ratios of pipes that overlap add up to more than 1.
Bandwidth is decimal (1 GB/s = 10⁹ B/s) and counts the bytes that the kernel asked for.
Not counted yet: bank conflicts, L2 hits, instruction cache.

Names: msprof's columns, public documentation "msprof op, performance data files"
(hiascend.com, MindStudio operator tools).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.spans import PIPES
from npusim.profile.table import profile_html, profile_text
from npusim.profile.tables import PIPE_NAMES

_MOVING = frozenset({"copy", "scalar"})  # kinds of cost that may touch GM


@dataclass(frozen=True)
class PipeCounter:
    """One pipe. `cycles`, `time_us`, `ratio`: mean of a core; else whole launch."""

    pipe: str
    cycles: float
    time_us: float
    ratio: float
    instructions: int
    nbytes: int  # moved through GM by this pipe

    @property
    def copy_nbytes(self) -> float:
        """Mean bytes of one instruction that moves data, 0 where there is none."""
        return self.nbytes / self.instructions if self.instructions else 0.0


@dataclass(frozen=True)
class Profile:
    """The counters of one run; shows itself as text and as HTML."""

    kernel: str
    chip: str
    cache: str
    code: str
    mode: str
    blocks: int
    cores_used: int
    cores_available: int
    clock_ghz: float
    cycles: int
    time_us: float
    floor_us: float
    core_cycles_mean: float
    core_cycles_slowest: int
    launch_cycles: int
    nbytes_read: int
    nbytes_written: int
    bound: str
    pipes: tuple[PipeCounter, ...]
    scalar_accesses: int
    warnings: int
    stopped: bool

    @property
    def nbytes(self) -> int:
        """GM bytes read and written."""
        return self.nbytes_read + self.nbytes_written

    @property
    def bandwidth_gb_s(self) -> float:
        """GM bytes over the whole task duration."""
        return self.nbytes / self.time_us / 1e3 if self.time_us else 0.0

    @property
    def roofline_share(self) -> float:
        """Least possible time over the time taken: 1 is perfect."""
        return self.floor_us / self.time_us if self.time_us else 0.0

    def pipe(self, name: str) -> PipeCounter:
        """The counter of one pipe; all zero where the kernel did not use it."""
        for counter in self.pipes:
            if counter.pipe == name:
                return counter
        return PipeCounter(name, 0.0, 0.0, 0.0, 0, 0)

    def as_dict(self) -> dict[str, Any]:
        """msprof's names where they exist, else names of ours with their unit."""
        core_us = self.core_cycles_mean / (self.clock_ghz * 1e3)
        row: dict[str, Any] = {
            "Op Name": self.kernel,
            "Op Type": "vector",
            "Task Duration(us)": self.time_us,
            "Block Dim": self.blocks,
            "aiv_time(us)": core_us,
            "aiv_total_cycles": round(self.core_cycles_mean * self.cores_used),
        }
        for pipe, name in PIPE_NAMES.items():
            row[f"aiv_{name}_time(us)"] = self.pipe(pipe).time_us
            row[f"aiv_{name}_ratio"] = self.pipe(pipe).ratio
        return row | {
            "gm_read(B)": self.nbytes_read,
            "gm_write(B)": self.nbytes_written,
            "gm_bw(GB/s)": self.bandwidth_gb_s,
            "floor(us)": self.floor_us,
            "roofline_ratio": self.roofline_share,
            "bound": self.bound,
        }

    def text(self, language: str | None = None) -> str:
        """The table as a few lines of text; by default in the session's language."""
        return "\n".join(
            profile_text(self, part) for part in parts(language or current())
        )

    def html(self, language: str | None = None) -> str:
        """The table as compact HTML; by default in the session's language."""
        return "".join(
            profile_html(self, part) for part in parts(language or current())
        )

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


def profile(run: Run) -> Profile:
    """The counters of `run`."""
    used = [cycles for cycles in run.core_cycles if cycles]
    mean = float(Fraction(sum(used), len(used))) if used else 0.0
    chip, tally = run.execution.chip, _tally(run)
    return Profile(
        kernel=run.kernel,
        chip=run.chip,
        cache=run.cache,
        code=run.code,
        mode=run.mode,
        blocks=run.blocks,
        cores_used=len(used),
        cores_available=chip.vector_cores,
        clock_ghz=chip.clock_ghz,
        cycles=run.cycles,
        time_us=run.time_us,
        floor_us=run.floor_us,
        core_cycles_mean=mean,
        core_cycles_slowest=max(used, default=0),
        launch_cycles=run.timing.launch_cycles,
        nbytes_read=run.nbytes_read,
        nbytes_written=run.nbytes_written,
        bound=run.bound,
        pipes=_pipe_counters(run, mean, tally),
        scalar_accesses=tally.scalar_accesses,
        warnings=sum(d.severity == "W" for d in run.found),
        stopped=bool(run.execution.faults),
    )


def _pipe_counters(run: Run, mean: float, tally: _Tally) -> tuple[PipeCounter, ...]:
    busy, cycles_per_us = run.pipe_cycles, run.execution.chip.clock_ghz * 1e3
    return tuple(
        PipeCounter(
            pipe, busy[pipe], busy[pipe] / cycles_per_us,
            busy[pipe] / mean if mean else 0.0,
            tally.instructions[pipe], tally.nbytes[pipe],
        )
        for pipe in PIPES if busy.get(pipe)
    )  # fmt: skip


@dataclass
class _Tally:
    """Whole launch, by pipe: instructions, GM bytes; scalar reads and writes."""

    instructions: Counter[str] = field(default_factory=Counter)
    nbytes: Counter[str] = field(default_factory=Counter)
    scalar_accesses: int = 0


def _tally(run: Run) -> _Tally:
    tally = _Tally()
    for part in run.timing.classes:
        blocks = len(part.blocks)
        kinds: Counter[str] = Counter()
        for step in part.stream.steps():
            tally.instructions[step.pipe] += blocks
            kinds[step.cost.kind] += blocks
            if step.cost.kind in _MOVING:
                tally.nbytes[step.pipe] += blocks * gm_nbytes(step)
        tally.scalar_accesses += kinds["scalar"]
    return tally


def gm_nbytes(step: Any) -> int:
    """Bytes that one step of one block reads from or writes to GM."""
    accesses = (*step.reads, *step.writes)
    return sum(a.total_nbytes for a in accesses if a.space == "GM")
