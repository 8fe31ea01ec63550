"""`make bench`: the published add ladder, and ratios measured within one run.

Prints tables; nothing here is a test. Times are the best of a few runs and are only
compared with each other. `--quick` leaves out step 1 of the ladder, `--budgets` all
but the budgets, `--class [N]` all but the grading of a class of N.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from bench_kernels import add_flags, add_scalar, rows_chain
from budgets import budgets
from class_grading import grading
from collectives import collectives

from npusim.chip import load_chip
from npusim.core import Buffer, execute
from npusim.lang.types import dtype_of
from npusim.timing import time_execution

CHIP = load_chip("910B1")
SIDE = 8192
# Ascend C samples, add_high_performance, Task Duration in us: step, cores, tile, slots
LADDER = (
    (1, 1, 4096, 1, 6909.6),
    (2, 48, 4096, 1, 306.58),
    (3, 48, 16384, 1, 268.5),
    (4, 48, 16384, 2, 264.02),
)
SCALAR_US = 1_239_689  # step 0 of the same ladder


def best(function: Callable[[], Any], runs: int = 5) -> float:
    """Seconds of the fastest of `runs` calls."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def bound(kernel: Any, **values: Any) -> tuple[Any, dict[str, Any]]:
    """A compiled program and its buffers, without the launcher's checks."""
    buffers = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            data, number = value.reshape(-1), len(buffers) + 1
            value = Buffer(number, name, dtype_of(value.dtype), data, None, False)
        buffers[name] = value
    program = kernel.compile(values)
    return program, {p.name: buffers[p.name] for p in program.params}


def halves(count: int) -> np.ndarray:
    return np.random.default_rng(7).integers(-9, 9, count).astype(np.float16)


def ladder(steps: tuple) -> None:
    print("Add 8192 x 8192 fp16 on 910B1, Task Duration in us")
    print(
        f"{'step':>4} {'cores':>5} {'tile':>6} {'slots':>5} {'simulated':>10} ", end=""
    )
    print(f"{'published':>10} {'error':>7} {'floor':>8} bound")
    scalar_step()
    x, y = halves(SIDE * SIDE), halves(SIDE * SIDE)
    z = np.zeros_like(x)
    for step, cores, tile, slots, published_us in steps:
        tiles = x.size // tile
        program, values = bound(
            add_flags, x=x, y=y, z=z, tiles=tiles, tile=tile, slots=slots
        )
        timing = time_execution(execute(program, values, cores, CHIP))
        time_us = timing.cycles / CHIP.clock_ghz / 1000
        floor_us = timing.floor_cycles / CHIP.clock_ghz / 1000
        print(
            f"{step:>4} {cores:>5} {tile:>6} {slots:>5} {time_us:>10.2f} "
            f"{published_us:>10.2f} {time_us / published_us - 1:>+7.1%} "
            f"{floor_us:>8.2f} {timing.bound}"
        )


def scalar_step() -> None:
    """Step 0 from a few tiles: all tiles cost the same."""
    tile, few = 4096, 2
    x, y = halves(few * tile), halves(few * tile)
    program, values = bound(
        add_scalar, x=x, y=y, z=np.zeros_like(x), tiles=few, tile=tile
    )
    timing = time_execution(execute(program, values, 1, CHIP))
    cycles = timing.core_cycles[0] / few * (SIDE * SIDE / tile)
    time_us = cycles / CHIP.clock_ghz / 1000
    error = time_us / SCALAR_US - 1
    print(
        f"   0 {1:>5} {tile:>6} {1:>5} {time_us:>10.0f} {SCALAR_US:>10} {error:>+7.1%}"
    )


def numpy_chain(x: np.ndarray) -> np.ndarray:
    """What `rows_chain` computes, as eight numpy calls."""
    c = x * np.float32(0.5)
    np.multiply(c, x, out=c)
    np.add(c, np.float32(1), out=c)
    np.subtract(c, x, out=c)
    np.maximum(c, np.float32(0), out=c)
    np.negative(c, out=c)
    np.exp(c, out=c)
    return np.add(c, x, out=c)


def ratios() -> None:
    rows, columns = 4096, 768
    x = np.random.default_rng(1).standard_normal((rows, columns)).astype(np.float32)
    y = np.zeros_like(x)
    program, values = bound(rows_chain, x=x, y=y, rows=rows, columns=columns)
    done = execute(program, values, 48, CHIP)
    steps = sum(1 for s in done.streams for _ in s.steps())
    times = SimpleNamespace(
        numpy=best(lambda: numpy_chain(x)),
        lockstep=best(lambda: execute(program, values, 48, CHIP)),
        apart=best(lambda: execute(program, values, 48, CHIP, lockstep=False), 2),
        timing=best(lambda: time_execution(done)),
        launch=best(lambda: rows_chain[48](x, y, rows, columns)),
    )
    print(f"\n{rows} x {columns} fp32, eight vector instructions a row, 48 blocks")
    print(f"{steps} recorded steps; seconds below are of this run only")
    for name, seconds in vars(times).items():
        ratio = seconds / times.numpy
        print(f"{name:>10} {seconds * 1e3:9.2f} ms {ratio:7.2f} x numpy")
    print(
        f"lockstep against block by block: {times.apart / times.lockstep:.1f} x faster"
    )


def main() -> None:
    if "--class" in sys.argv:
        numbers = [int(word) for word in sys.argv if word.isdigit()]
        grading(*numbers)
        return
    if "--budgets" not in sys.argv:
        ladder(LADDER[1:] if "--quick" in sys.argv else LADDER)
        ratios()
    budgets(bound)
    collectives()
    if "--budgets" not in sys.argv:
        grading()


if __name__ == "__main__":
    main()
