"""Run fuzzed kernels: a diagnostic or a result comes out, never anything else."""

from __future__ import annotations

import contextlib
import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from npusim import asc
from npusim.diagnostic import KernelError, render, render_html
from npusim.launch import Kernel
from tests.fuzz.grammar import Grammar

BUDGET = 30_000
SECONDS = 30  # for one program; a hang, on any machine


class Hang(Exception):
    """A program took longer than SECONDS."""


@asc.tiling
class Tiling:
    tile: int
    scale: float = 1.0


def outcome(seed: int) -> str:
    """How the program of a seed ends.

    `refused` by the compiler, `fault` while it ran, `end`; `found`: it ran to its end
    and was reported for a race or the like. Any other exception passes through.
    """
    grammar = Grammar(seed)
    text, rng = grammar.kernel(), np.random.default_rng(seed)
    kernel = Kernel.from_text(text, "fuzz.py", "kernel", {"asc": asc})
    x = rng.normal(size=4096).astype(np.float32)
    blocks = int(rng.choice((1, 3, 8)))
    z, c = np.zeros(512 * blocks, np.float32), np.zeros(1024, np.float32)
    values = (x, z, c, int(rng.integers(-2, 9)), float(rng.normal()), bool(seed % 2))
    values = (*values, Tiling(int(rng.choice((0, 8, 64)))), 8)
    with time_limit(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in damaged strings
        return _outcome(kernel, values, blocks)


def _outcome(kernel: Kernel, values: tuple, blocks: int) -> str:
    try:
        program = kernel.program(*values)
    except KernelError as error:
        _show(error.diagnostics)
        return "refused"
    for reader in ("en", "zh"):
        assert asc.explain(program).text(reader)
    try:
        run = kernel.launch(*values, blocks=blocks, budget=BUDGET)
    except KernelError as error:
        _show(error.diagnostics)
        run = error.run
    assert run.cycles >= 0 and run.prints is not None and run.events() is not None
    _show(run.diagnostics)
    if run.execution.faults:
        return "fault"
    return "found" if any(d.severity == "E" for d in run.diagnostics) else "end"


def _show(diagnostics: tuple[Any, ...]) -> None:
    assert 0 <= len(diagnostics) <= 20
    for found in diagnostics:
        for reader in ("en", "zh"):
            assert found.code in render(found, reader)
            assert render_html(found, reader)


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Hang after SECONDS, where the platform has an alarm."""

    def ring(*_: Any) -> None:
        raise Hang

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def shares(counts: Counter[str]) -> tuple[float, float]:
    """(share that compiles, share that runs to its end)."""
    total = sum(counts.values())
    ends = counts["end"] + counts["found"]
    return (ends + counts["fault"]) / total, ends / total
