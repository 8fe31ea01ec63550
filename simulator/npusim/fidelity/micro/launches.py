"""Micro-benchmarks of the launch itself: head, code, waves, cores that meet."""

from __future__ import annotations

import numpy as np

from npusim.fidelity.micro import kernels
from npusim.fidelity.micro.measuring import (
    CHIP,
    Where,
    all_cores,
    core_counts,
    one_call,
    zeros,
)
from npusim.fidelity.micro.table import Table
from npusim.launch import Run


def _empty(chip: Where, cores: int, code: str) -> float:
    return kernels.empty.launch(zeros(32), blocks=cores, chip=chip, code=code).time_us


def launch_head(chip: Where = CHIP) -> Table:
    """An empty kernel on 1 to 48 cores."""
    rows = [(cores, _empty(chip, cores, "warm")) for cores in core_counts(chip)]
    return Table("launch_head", tuple(rows))


def code_state(chip: Where = CHIP) -> Table:
    """An empty kernel, its code in the instruction caches or not."""
    rows = [
        (cores, *(_empty(chip, cores, code) for code in ("warm", "cold")))
        for cores in core_counts(chip)
    ]
    return Table("code_state", tuple(rows))


def waves(chip: Where = CHIP) -> Table:
    """Blocks of equal work, up to more than twice the cores."""
    x = np.zeros(8, np.float32)
    rows, cores = [], all_cores(chip)
    for blocks in (-(-cores // 2), cores, cores + 1, 2 * cores, 2 * cores + 1):
        run = kernels.vector_calls.launch(
            x, 64, 16640, 0, 1000, blocks=blocks, chip=chip
        )
        rows.append((blocks, run.time_us))
    return Table("waves", tuple(rows))


def core_synchronisation(chip: Where = CHIP) -> Table:
    """Meetings of all cores one after another, and nothing else."""
    rows = []
    for cores in core_counts(chip):

        def go(turns: int, cores: int = cores) -> Run:
            return kernels.meetings.launch(zeros(32), turns, blocks=cores, chip=chip)

        rows.append((cores, one_call(go, 4)))
    return Table("core_synchronisation", tuple(rows))
