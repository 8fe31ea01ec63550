"""Cycles of ten small kernels: a guard against silent change.

A change here is a change of the timing model: say in the commit which mechanism or
constant moved, and why. `python tests/timing/test_timing_golden.py` prints the table.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent))
import mechanism_kernels as kernels

GOLDEN = Path(__file__).with_name("golden.toml")
SMALL = np.zeros(8, np.float32)


def _copies(blocks, share, **options):
    x = np.zeros(blocks * share, np.float16)
    return kernels.copies.launch(
        x, np.zeros_like(x), share, 4096, 0, 0, blocks=blocks, **options
    )


def _rows(columns):
    x = np.zeros(48 * columns, np.float32)
    return kernels.row_sum.launch(x, np.zeros(384, np.float32), columns, blocks=48)


LAUNCHES = {
    "vector": lambda: kernels.vectors.launch(SMALL, 4096, 16640, blocks=1),
    "bank_conflict": lambda: kernels.vectors.launch(SMALL, 4096, 16384, blocks=1),
    "copies_one_core": lambda: _copies(1, 16384),
    "copies_all_cores": lambda: _copies(48, 16384),
    "copies_in_waves": lambda: _copies(100, 8192),
    "copies_cold_code_910b4_1": lambda: _copies(40, 8192, chip="910B4-1", code="cold"),
    "reduction": lambda: _rows(768),
    "scalar": lambda: kernels.scalars.launch(SMALL, 200, blocks=1),
    "queues": lambda: kernels.queues.launch(SMALL, 20, blocks=1),
    "sync_all": lambda: kernels.meeting.launch(SMALL, blocks=48),
    "atomics": lambda: kernels.atomic_sum.launch(
        np.ones(48 * 64, np.float32), np.zeros(64, np.float32), 64, blocks=48
    ),
}


def cycles() -> dict[str, int]:
    return {name: launch().cycles for name, launch in LAUNCHES.items()}


def test_cycles_are_those_that_were_explained():
    assert cycles() == tomllib.loads(GOLDEN.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for name, value in cycles().items():
        print(f"{name} = {value}")
