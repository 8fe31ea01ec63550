"""Predictions for single instructions: small kernels, one core, time of one pipe.

The cycles of the vector pipe are those in which it works; the hardware counter of the
two-source rows adds `counter_overhead` (`rules.toml`). Bank cases are the mean over
1000 calls, as published.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from npusim import asc
from npusim.fidelity import kernels, single
from npusim.fidelity.rows import InstructionRow, instructions_of, rules
from npusim.fidelity.score import Result
from npusim.launch import Run

CHIP = "910B1"
CALLS = 1000
REPEAT_NBYTES = 256
SECOND_HALF = 0x10100
# first source, second source, result: bytes from the start of UB
BANK_CASES = {
    "S1": (0, SECOND_HALF, 0x20000),
    "S2": (0, 0x4000, 0x10000),
    "S4": (0, SECOND_HALF, 0x4000),
    "S6": (0, SECOND_HALF, SECOND_HALF),
}
DTYPES = {
    "float": (asc.float32, np.float32),
    "half": (asc.half, np.float16),
    "int16": (asc.int16, np.int16),
    "int32": (asc.int32, np.int32),
}


def shape_of(row: InstructionRow) -> tuple[int, int]:
    """Rows and columns of a tile."""
    rows, columns = map(int, row.shape.split("x"))
    return rows, columns


def vector_cycles(run: Run) -> float:
    """Cycles in which the vector pipe worked, mean over the cores."""
    return run.pipe_cycles["V"]


def two_source(row: InstructionRow) -> float:
    """Cycles of one add by the hardware counter."""
    rows, columns = shape_of(row)
    dtype, numpy_dtype = DTYPES[row.dtype]
    lanes = REPEAT_NBYTES // dtype.itemsize
    pitch = columns * dtype.itemsize // 32
    mask = columns if columns < lanes else 0
    x = np.zeros(rows * columns, numpy_dtype)
    run = kernels.one_add.launch(
        x, dtype, mask, rows, pitch, x.size, blocks=1, chip=CHIP
    )
    return vector_cycles(run) + rules()["counter_overhead"]


def bank(row: InstructionRow) -> float:
    """Cycles of one call of 1000, at the published addresses."""
    case = re.match(r"S\d", row.condition)
    assert case is not None, row.condition
    x = np.zeros(4096, np.float32)
    few, many = (
        kernels.bank_case.launch(x, *BANK_CASES[case[0]], calls, blocks=1, chip=CHIP)
        for calls in (1, CALLS + 1)
    )
    return (many.cycles - few.cycles) / CALLS


def golden(row: InstructionRow) -> float:
    """Cycles of one other instruction."""
    return single.cycles(row)


PREDICTORS: dict[str, Callable[[InstructionRow], float]] = {
    "two_source": two_source,
    "bank": bank,
    "golden": golden,
}


def predict(group: str) -> list[Result]:
    """Results of all rows of an instruction group, in cycles."""
    predictor = PREDICTORS[group]
    return [
        Result(
            row=row.id,
            condition=f"{row.operation} {row.dtype} {row.shape}; {row.condition}",
            predicted=predictor(row),
            measured=row.cycles,
            unit="cycles",
            counted=group != "golden",
        )
        for row in instructions_of(group)
    ]
