"""The LayerNorm ladder, timed: writes docs/layernorm-ladder.md.

    python -m npusim.ops.layernorm_ladder > docs/layernorm-ladder.md

Nothing here is tuned to the ratios of the article that the course starts from; they
stand beside the simulator's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from npusim import asc
from npusim.chip import load_chip
from npusim.launch import Run
from npusim.ops import norms
from npusim.ops.operator import chip_in_force
from npusim.ops.row_frame import RowTiles
from npusim.ops.row_plan import Needs, plan_rows, round_up
from npusim.ops.tiling import NUMBERS

STEPS = ("basic", "vectorised", "tiled", "pipelined", "resident")
ARTICLE = {"basic": 1.0, "vectorised": 0.74, "tiled": 0.59, "pipelined": 0.49}
ROWS, COLUMNS = 32 * 128, 768
LARGE_ROWS = 256 * 128
CHIP, OTHER_CHIP = "910B1", "910B4-1"
WIDTHS = (512, 513, 520, 576, 640, 704, 768, 769, 776, 896, 1000, 1024)


@dataclass(frozen=True)
class Rung:
    """One step at one shape: microseconds, least microseconds, largest error."""

    step: str
    time_us: float
    floor_us: float
    error: float


def tiles_of(step: str, rows: int, columns: int) -> tuple[int, RowTiles]:
    """Blocks, and what the kernel of a step is told, on the chip in force."""
    chip = chip_in_force()
    plan = plan_rows(rows, columns, Needs(4, 1, 2), chip)
    share, pitch = plan.tiles.row_share, plan.tiles.pitch
    part = round_up(-(-columns // 8), 8)
    room = (chip.ub_nbytes - NUMBERS["reserved"]) // 4
    least = {"tiled": 2 * pitch + part + 10, "resident": 5 * pitch + 2 * part + 10}
    weights = {"tiled": 2, "resident": 4}.get(step, 0) * round_up(columns, 64)
    height = (room - weights - 256) // least[step] if step in least else 1
    if step == "resident":
        height = min(height, 255 * 64 // columns)
    height = -(-share // -(-share // min(height, share)))
    tiles = RowTiles(  # type: ignore[call-arg]
        rows, columns, share, height, pitch, height * part, height * pitch,
        round_up(columns, 64),
    )  # fmt: skip
    return plan.blocks, tiles


def data(rows: int, columns: int) -> tuple[np.ndarray, ...]:
    """x, gamma, beta in float32 (always the same) and the result in float64."""
    rng = np.random.default_rng(rows + columns)
    x = rng.standard_normal((rows, columns), np.float32)
    gamma, beta = rng.standard_normal((2, columns), np.float32)
    wide = x.astype(np.float64)
    less = wide - wide.mean(-1, keepdims=True)
    root = np.sqrt((less * less).mean(-1, keepdims=True) + 1e-5)
    return x, gamma, beta, less / root * gamma + beta


def climb(step: str, rows: int = ROWS, columns: int = COLUMNS) -> Rung:
    """Run one step on the chip in force; "scalar" takes long on the host."""
    x, gamma, beta, golden = data(rows, columns)
    result = np.zeros_like(x)
    run = _run(step, (x, gamma, beta, result), rows, columns)
    error = float(np.abs(result - golden).max())
    return Rung(step, run.time_us, run.floor_us, error)


def _run(step: str, arrays: tuple, rows: int, columns: int) -> Run:
    kernel = norms.layernorm.kernels[step]
    if step == "pipelined":
        plan = plan_rows(rows, columns, Needs(4, 1, 2), chip_in_force())
        return kernel[plan.blocks](*arrays, plan.tiles, 1e-5, plan.slots)
    blocks, tiles = tiles_of(step, rows, columns)
    return kernel[blocks](*arrays, tiles, 1e-5)


# ------------------------------------------------------------------------------ report
def ladder_rows(rungs: list[Rung], nbytes: int) -> Iterator[str]:
    """Lines of the table of steps."""
    first = rungs[0].time_us
    yield "| step | µs | ratio | ratio in the article | floor ÷ time | GB/s |"
    yield "|---|---|---|---|---|---|"
    for r in rungs:
        known = r.step in ARTICLE and "basic" in {rung.step for rung in rungs}
        article = f"{ARTICLE[r.step]:.2f}" if known else "–"
        rate = nbytes / r.time_us / 1e3
        yield (
            f"| {r.step} | {r.time_us:.2f} | {r.time_us / first:.2f} | {article} | "
            f"{r.floor_us / r.time_us:.2f} | {rate:.0f} |"
        )


def width_rows(widths: Iterable[int] = WIDTHS) -> Iterator[str]:
    """Lines of the table of row lengths, 1,024 rows."""
    yield "| columns | bytes of a row | ÷ 512 B | tiled ps | pipelined ps |"
    yield "|---|---|---|---|---|"
    for columns in widths:
        times = [climb(s, 1024, columns).time_us for s in ("tiled", "pipelined")]
        tiled, pipelined = (t * 1e3 / columns / 1024 * 1e3 for t in times)
        whole = "whole" if columns % 128 == 0 else "32 B" if columns % 8 == 0 else "no"
        yield (
            f"| {columns} | {columns * 4} | {whole} | {tiled:.2f} | {pipelined:.2f} |"
        )


def report() -> str:
    """The document; runs every step (about ten seconds on the host)."""
    nbytes = 2 * ROWS * COLUMNS * 4
    with asc.settings(chip=CHIP):
        rungs = [climb(step) for step in STEPS]
        large = [climb(step, LARGE_ROWS) for step in STEPS[3:]]
        scalar, part = climb("scalar", ROWS // 64), climb("basic", ROWS // 64)
        widths = list(width_rows())
    with asc.settings(chip=OTHER_CHIP):
        other = [climb(step) for step in STEPS]
    return TEXT.format(
        first="\n".join(ladder_rows(rungs, nbytes)),
        other="\n".join(ladder_rows(other, nbytes)),
        large="\n".join(ladder_rows(large, nbytes * LARGE_ROWS // ROWS)),
        widths="\n".join(widths),
        scalar=scalar.time_us,
        basic=part.time_us,
        times=scalar.time_us / part.time_us,
        small=rungs[-1].floor_us / rungs[-1].time_us,
        big=large[-1].floor_us / large[-1].time_us,
        apart=rungs[0].time_us / rungs[1].time_us,
        trip=load_chip(CHIP).constant("vector_to_scalar"),
    )


TEXT = """# The LayerNorm ladder

Generated by `python -m npusim.ops.layernorm_ladder`; a test compares parts.
LayerNorm of 32 × 128 × 768 float32: 4,096 rows, 25.2 MB to read and write in one call.
All numbers are the simulator's, caches cold. Nothing is tuned to the article's ratios.

* **basic**: one row at a time, vector instructions, statistics through `get_value`, a
  barrier of all pipes after each step, one buffer.
* **vectorised**: statistics stay in UB; flags instead of barriers.
* **tiled**: several rows a copy, one buffer.
* **pipelined**: two buffers in queues, copies beside arithmetic.
* **resident**: gamma and beta twice in UB, reductions of a whole tile at once, two
  loads under way, inputs past L2.

## 910B1, 4,096 rows

{first}

## 910B4-1, 4,096 rows

{other}

## 910B1, 32,768 rows, the last two

{large}

`floor ÷ time`: the least time of these bytes and instructions, launch included, over
the time. At 4,096 rows a core has 86 rows: the first load, the last tile's arithmetic
and its store stand outside the overlap, beside 2 µs of launch: {small:.0%} of the
simulator's roofline are reached. At 32,768 rows it is {big:.0%}; there the copies in
are busy all the time, and what is missing is the share of the memory that 48 cores get
while the chip also writes.

Basic to vectorised gains a factor of {apart:.2f}. A barrier of all pipes makes the
scalar unit wait for the vector unit, as a flag before `get_value` does: {trip:.0f}
cycles there and back, eight times a row. The number is a fit to AddRmsNorm kernels,
which use flags; no time of a barrier of all pipes is published. The rest of a row is
the way from GM and back: only more rows a copy shorten it.

## What the article's numbers cannot mean

* 0.74 cannot be the step from scalar to vector arithmetic. A true scalar loop, run on
  1/64 of the rows (64 rows, 910B1), takes {scalar:.0f} µs; the basic vector kernel
  takes {basic:.2f} µs there: a factor of {times:.0f}, not of 1.35.
* The article gives 1.82 ms with 285 GB/s and 0.89 ms with 478 GB/s. One call in float32
  moves 25.2 MB: 14 GB/s and 28 GB/s at those times. 285 GB/s × 1.82 ms is 519 MB, and
  478 GB/s × 0.89 ms is 425 MB: 21 and 17 calls. The times can be those of about 25
  LayerNorms of a BERT-base together (our inference), not of one.

## Row length, 1,024 rows on 910B1

Picoseconds an element. "whole": rows of whole 512 B, multiples of 128 float32.

{widths}
"""


if __name__ == "__main__":
    print(report(), end="")
