"""Micro-benchmarks of the launch itself: head, code, waves, cores that meet."""

from __future__ import annotations

import numpy as np

from npusim.fidelity.micro import kernels
from npusim.fidelity.micro.measuring import CHIP, CORES, Where, one_call, zeros
from npusim.fidelity.micro.table import Table
from npusim.launch import Run

BLOCKS = (24, 48, 49, 96, 97)


def _empty(chip: Where, cores: int, code: str) -> float:
    return kernels.empty.launch(zeros(32), blocks=cores, chip=chip, code=code).time_us


def launch_head(chip: Where = CHIP) -> Table:
    """An empty kernel on 1 to 48 cores."""
    rows = [(cores, _empty(chip, cores, "warm")) for cores in CORES]
    return Table("launch_head", tuple(rows))


def code_state(chip: Where = CHIP) -> Table:
    """An empty kernel, its code in the instruction caches or not."""
    rows = [
        (cores, *(_empty(chip, cores, code) for code in ("warm", "cold")))
        for cores in CORES
    ]
    return Table("code_state", tuple(rows))


def waves(chip: Where = CHIP) -> Table:
    """Blocks of equal work, up to more than twice the cores."""
    x = np.zeros(8, np.float32)
    rows = []
    for blocks in BLOCKS:
        run = kernels.vector_calls.launch(
            x, 64, 16640, 0, 1000, blocks=blocks, chip=chip
        )
        rows.append((blocks, run.time_us))
    return Table("waves", tuple(rows))


def core_synchronisation(chip: Where = CHIP) -> Table:
    """Meetings of all cores one after another, and nothing else."""
    rows = []
    for cores in CORES:

        def go(turns: int, cores: int = cores) -> Run:
            return kernels.meetings.launch(zeros(32), turns, blocks=cores, chip=chip)

        rows.append((cores, one_call(go, 4)))
    return Table("core_synchronisation", tuple(rows))
