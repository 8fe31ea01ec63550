"""What timing hands upwards: times per step and class, and what bounds a launch."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np

from npusim.core.stream import Stream
from npusim.timing.traffic import L2Traffic

_LIMITS: dict[str, float] = {
    name: row["value"]
    for name, row in tomllib.loads(
        files("npusim.timing").joinpath("bound.toml").read_text(encoding="utf-8")
    ).items()
}


@dataclass(frozen=True)
class ClassTiming:
    """Blocks timed together. Lists have one entry a step of `stream.steps()`.

    Ticks count from the start of the block on its core. Steps of S and flags carry the
    time on S; others the time on their pipe. `waits[i]`: why step i did not start
    earlier: "", "issue", "pipe", "flag", "queue", "barrier" or "bandwidth".
    `conflict_ticks`: what the block's vector instructions lose to bank conflicts.
    """

    stream: Stream
    blocks: np.ndarray
    start_ticks: list[int]
    end_ticks: list[int]
    waits: list[str]
    conflict_ticks: int = 0


@dataclass(frozen=True)
class Timing:
    """Times of a launch, in cycles of the chip's clock; bytes are those of GM.

    `pipe_cycles`: mean busy cycles of a used core by pipe; `core_cycles`: one entry a
    used core, without launch; `block_start_ticks`: when each block starts, from the
    start of its core; `compulsory_nbytes`: (read, written) distinct bytes;
    `active_copies`: mean number of copies that shared the chip; `l2`: bytes by what L2
    did with them; `conflict_cycles`: lost to UB bank conflicts, all blocks together;
    `moved_nbytes`: distinct bytes (read, written) by buffer id.
    """

    cycles: int
    core_cycles: tuple[int, ...]
    launch_cycles: int
    classes: tuple[ClassTiming, ...]
    block_start_ticks: tuple[int, ...]
    pipe_cycles: Mapping[str, float]
    nbytes_read: int
    nbytes_written: int
    compulsory_nbytes: tuple[int, int]
    floor_cycles: int
    bound: str
    active_copies: float = 0.0
    l2: L2Traffic = L2Traffic(0.0, 0.0, 0.0, 0.0)
    conflict_cycles: int = 0
    moved_nbytes: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def bound_of(
    cycles: int,
    launch_cycles: int,
    core_cycles: tuple[int, ...],
    pipe_cycles: Mapping[str, float],
) -> str:
    """What bounds a launch; the limits are in `bound.toml`.

    START: launch and hand-out take half the time or more. IMBALANCE: the mean core is
    busy for less than three quarters of the longest one. Else the pipe with the most
    busy cycles if that is 60 % of the mean core's time, else SYNC: pipes wait for each
    other.
    """
    longest = max(core_cycles, default=0)
    if longest == 0 or launch_cycles >= _LIMITS["launch_share"] * cycles:
        return "START"
    mean = sum(core_cycles) / len(core_cycles)
    if mean < _LIMITS["even_share"] * longest:
        return "IMBALANCE"
    pipe = max(pipe_cycles, key=lambda name: pipe_cycles[name])
    return pipe if pipe_cycles[pipe] >= _LIMITS["busy_share"] * mean else "SYNC"
