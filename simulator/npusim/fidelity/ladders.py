"""Predictions for the two published ladders: Add 8192 x 8192, copies of a matrix.

Every step is a launch of a kernel with the published tile, buffers and core count. Step
0 of the Add ladder runs 2^16 elements; the time of its core is scaled to 2^26.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from npusim.fidelity import kernels
from npusim.fidelity.rows import KernelRow, kernels_of
from npusim.fidelity.score import Result
from npusim.launch import Run
from npusim.launch.settings import LENIENT

CHIP = "910B1"
SIDE, FEW = 8192, 1 << 16
WINDOW = 65536  # bytes of UB that one bank row of all groups spans
BUDGET = 1 << 30
STRICT = "strict"


class AddStep(NamedTuple):
    """Cores, elements of a tile, buffers a tensor, hint, addresses of y and z."""

    cores: int
    tile: int
    slots: int
    bypass: int
    second: int
    result: int


class CopyStep(NamedTuple):
    """Tile in rows and columns, how often a slice is read, slices, places in UB."""

    high: int
    wide: int
    times: int
    slices: int
    slots: int


SMALL, LARGE = 4096, 16384
ADD_STEPS = {
    "case1": AddStep(1, SMALL, 1, 0, 2 * SMALL, 4 * SMALL),
    "case2": AddStep(48, SMALL, 1, 0, 2 * SMALL, 4 * SMALL),
    "case3": AddStep(48, LARGE, 1, 0, WINDOW, 2 * WINDOW),
    "case4": AddStep(48, LARGE, 2, 0, WINDOW, 2 * WINDOW),
    "case5": AddStep(48, LARGE, 2, 1, WINDOW, 2 * WINDOW),
    "case6": AddStep(48, LARGE - 128, 2, 1, WINDOW + 256, 2 * WINDOW),
}
COPY_STEPS = {
    "s1": CopyStep(1, 64, 1, 1, 192),
    "s2": CopyStep(64, 64, 1, 1, 24),
    "s3": CopyStep(64, 1024, 1, 1, 1),
    "s4": CopyStep(64, 1024, 1, 1, 1),
    "s5": CopyStep(64, 1024, 4, 1, 1),
    "s6": CopyStep(64, 1024, 4, 4, 1),
}
SHARED_STEPS = {"s7": 0, "s8": 1}  # whether each core starts at its own tile


@cache
def _zeros(size: int, count: int) -> tuple[np.ndarray, ...]:
    return tuple(np.zeros(size, np.float16) for _ in range(count))


def add_run(case: str) -> Run:
    """The launch of one of the steps 1 to 6."""
    step = ADD_STEPS[case]
    x, y, z = _zeros(SIDE * SIDE, 3)
    return kernels.add_tiles.launch(
        x, y, z, x.size, step.tile, step.slots, step.bypass, step.second, step.result,
        blocks=step.cores, chip=CHIP,
    )  # fmt: skip


def scalar_us() -> float:
    """Step 0: microseconds of the core, scaled from 2^16 to 2^26 elements."""
    x, y, z = _zeros(FEW, 3)
    run = kernels.add_scalar.launch(x, y, z, FEW // SMALL, SMALL, blocks=1, chip=CHIP)
    core_us = run.core_cycles[0] * run.time_us / run.cycles
    return core_us * (SIDE * SIDE // FEW) + run.time_us - core_us


def vector_us(run: Run) -> float:
    """Microseconds in which the vector pipe worked, mean over the cores."""
    return run.pipe_cycles["V"] * run.time_us / run.cycles


def _add_results(row: KernelRow) -> list[Result]:
    case = row.case.split()[0]
    if case == "case0":
        remark = "from 2^16 elements, scaled"
        return [_result(row, scalar_us(), remark, "step 0, Task Duration")]
    run = add_run(case)
    name = f"step {case[-1]}"
    found = [_result(row, run.time_us, "", f"{name}, Task Duration")]
    if row.vector_us is not None:
        remark = "vector pipe, within 3 %"
        words = f"{name}, vector pipe active"
        active, measured = vector_us(run), row.vector_us
        name = f"{row.id}-v"
        found.append(Result(name, words, active, measured, "us", False, remark))
    return found


def _result(
    row: KernelRow, time_us: float, remark: str, words: str, counted: bool = True
) -> Result:
    return Result(row.id, words, time_us, row.measured_us, "us", counted, remark)


def copy_run(row: KernelRow) -> Run:
    """The launch of one step of the copy ladder."""
    name = row.case.split()[1]
    rows, columns = row.shapes[0]
    (x,) = _zeros(rows * columns, 1)
    if name in SHARED_STEPS:
        return kernels.copy_shared.launch(
            x, rows, columns, 128, 64, SHARED_STEPS[name], 12,
            blocks=48, chip=CHIP, budget=BUDGET,
        )  # fmt: skip
    step = COPY_STEPS[name]
    mode = LENIENT if step.slots == 1 else STRICT
    return kernels.copy_matrix.launch(
        x, rows, columns, step.high, step.wide, step.times, step.slices, step.slots,
        blocks=48, chip=CHIP, budget=BUDGET, mode=mode,
    )  # fmt: skip


def _copy_result(row: KernelRow) -> Result:
    shared = row.case.split()[1] in SHARED_STEPS
    remark = "one matrix for all cores: order only" if shared else ""
    return _result(row, copy_run(row).time_us, remark, row.condition, not shared)


def predict_add() -> list[Result]:
    """Results of the Add ladder, step 0 first: times of task and vector pipe."""
    rows = sorted(kernels_of("add_ladder"), key=lambda row: row.case)
    return [result for row in rows for result in _add_results(row)]


def predict_copy() -> list[Result]:
    """Results of the copy ladder."""
    rows = sorted(kernels_of("copy_ladder"), key=lambda row: row.case)
    return [_copy_result(row) for row in rows]


def tasks(results: list[Result]) -> list[Result]:
    """The results that are times of whole launches."""
    return [result for result in results if not result.row.endswith("-v")]


def order_kept(results: list[Result]) -> bool:
    """Whether every step is faster than the one before, as published."""
    times = [result.predicted for result in tasks(results)]
    return all(
        later < earlier for earlier, later in zip(times, times[1:], strict=False)
    )
