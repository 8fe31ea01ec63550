"""The budgets of the simulator, as figures of one run: LayerNorm against plain numpy,
many small kernels, and the memory of a large launch."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench_kernels import layernorm_rows
from bench_layernorm import layernorm_tiles

from npusim import asc
from npusim.check import check_execution
from npusim.chip import load_chip
from npusim.core import Execution, execute
from npusim.core.reuse import forget
from npusim.lang import BufferArgument, compile_source
from npusim.lang.types import float32, int64
from npusim.launch.chain import run_program
from npusim.launch.settings import Options
from npusim.profile.tables import tables
from npusim.timing import time_execution

HERE = Path(__file__).parent
ROWS, COLUMNS, BLOCKS, ROUNDS = 4096, 768, 48, 12
SMALL = 1_000  # random kernels
BUDGETS = {"function": 3.0, "launch": 4.0}


def interleaved(functions: dict[str, Callable[[], Any]], rounds: int) -> dict:
    """Least processor seconds of each; in turn, so that all see the same machine."""
    least = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.process_time()
            function()
            least[name] = min(least[name], time.process_time() - start)
    return least


def plain_layernorm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """As a user of numpy writes it."""
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + np.float32(1e-5)) * gamma + beta


def layernorm(bound: Callable[..., Any], kernel: Any, extra: dict[str, int]) -> None:
    rng, chip = np.random.default_rng(1), load_chip("910B1")
    x = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    gamma, beta = rng.standard_normal((2, COLUMNS)).astype(np.float32)
    y, sizes = np.zeros_like(x), {"rows": ROWS, "columns": COLUMNS, **extra}
    program, values = bound(kernel, x=x, gamma=gamma, beta=beta, y=y, **sizes)

    def function(lockstep: bool = True) -> Execution:
        done = execute(program, values, BLOCKS, chip, lockstep=lockstep)
        assert not done.faults and not check_execution(done)
        return done

    def afresh() -> None:
        forget()
        function()

    done = function()
    run = kernel[BLOCKS](x, gamma, beta, y, *sizes.values())
    expected = plain_layernorm(x, gamma, beta)
    assert np.allclose(y, expected, atol=1e-4)
    times = interleaved(
        {
            "numpy": lambda: plain_layernorm(x, gamma, beta),
            "execute": lambda: execute(program, values, BLOCKS, chip),
            "check": lambda: check_execution(done),
            "function": function,
            "timing": lambda: time_execution(done),
            "launch": lambda: kernel[BLOCKS](x, gamma, beta, y, *sizes.values()),
            "profile": lambda: (run.profile, run.counters, tables(run)),
        },
        ROUNDS,
    )
    times |= interleaved({"first": afresh, "apart": lambda: function(False)}, 2)
    show(program.name, times)


def show(name: str, times: dict[str, float]) -> None:
    print(f"\n{name}: {ROWS} x {COLUMNS} fp32, {BLOCKS} blocks; x plain numpy")
    for part, seconds in times.items():
        budget = f"   budget {BUDGETS[part]:.1f}" if part in BUDGETS else ""
        ratio = seconds / times["numpy"]
        print(f"{part:>10} {seconds * 1e3:9.2f} ms {ratio:7.2f}{budget}")
    print(f"a full profile costs {times['profile'] / times['launch']:.2f} of the run")
    faster = times["apart"] / times["function"]
    print(f"lockstep {faster:.1f} x faster than block by block   budget 6.0")


def small_kernels() -> None:
    """Random kernels of tests/core/program_family, compiled and launched."""
    sys.path.insert(0, str(HERE.parent / "core"))
    from program_family import ATOMIC, SHARE, program_text

    buffer = BufferArgument(float32)
    types = {"x": buffer, "z": buffer, "w": buffer, "s": BufferArgument(int64)}
    types |= {"n": "int", "a": "float"}
    blocks, ended = 4, 0
    start = time.process_time()
    for seed in range(SMALL):
        text = program_text(seed)
        program = compile_source(text, "small.py", "kernel", {"asc": asc}, types)
        values = {
            "x": np.ones(SHARE * blocks, np.float32),
            "z": np.zeros(SHARE * blocks, np.float32),
            "w": np.zeros(ATOMIC, np.float32),
            "s": np.zeros(8 * blocks, np.int64),
            "n": seed % 7,
            "a": 0.5,
        }
        try:
            run_program(program, values, blocks, Options())
            ended += 1
        except asc.KernelError:
            pass
    seconds = time.process_time() - start
    print(f"\n{SMALL} random kernels compiled and launched ({ended} without a fault):")
    print(f"{seconds:.1f} s   budget 20 s")


def memory() -> None:
    print("\nAdd of 8192 x 8192, a whole launch: peak memory   budget 2048 MiB")
    for name in ("half", "float"):
        command = [sys.executable, str(HERE / "peak_memory.py"), name]
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        print(f"{name:>10} {int(found.stdout):6} MiB")


def budgets(bound: Callable[..., Any]) -> None:
    """Print all figures; `bound` compiles a kernel and makes its buffers."""
    layernorm(bound, layernorm_tiles, {"tile": 8})
    layernorm(bound, layernorm_rows, {})
    small_kernels()
    memory()
