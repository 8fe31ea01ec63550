"""Lockstep equals block by block on random programs: bits, cycles, reports.

A third of the programs diverge and a tenth part into single blocks: counted here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from program_family import ATOMIC, SHARE, program_text

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.lang import BufferArgument, compile_source, types
from npusim.launch.chain import run_program
from npusim.launch.run import Run
from npusim.launch.settings import Options

PROGRAMS = 240
BATCH = 40
BLOCKS = (2, 5, 8)
SHAPES: dict[int, tuple[bool, bool]] = {}  # seed → diverged, all blocks alone
ARGUMENTS = {
    **{name: BufferArgument(types.float32) for name in "xzw"},
    "s": BufferArgument(types.int64), "n": "int", "a": "float",
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """Everything that a launch leaves behind, in a form that can be compared."""

    buffers: dict[int, bytes]
    arrays: dict[str, bytes]
    diagnostics: tuple
    prints: tuple[str, ...]
    cycles: int
    events: list
    executed: int


def launched(program, seed: int, blocks: int, lockstep: bool) -> tuple[Run, Outcome]:
    rng = np.random.default_rng(seed)
    values = {
        "x": rng.normal(size=SHARE * blocks).astype(np.float32),
        "z": np.zeros(SHARE * blocks, np.float32),
        "w": np.zeros(ATOMIC, np.float32),
        "s": np.zeros(8 * blocks, np.int64),
        "n": seed % 7,
        "a": 0.5,
    }
    try:
        run = run_program(program, values, blocks, Options(), lockstep=lockstep)
    except KernelError as error:
        run = error.run
    outcome = Outcome(
        buffers={i: b.data.tobytes() for i, b in run.execution.buffers.items()},
        arrays={n: v.tobytes() for n, v in values.items() if hasattr(v, "tobytes")},
        diagnostics=run.diagnostics,
        prints=run.prints,
        cycles=run.cycles,
        events=run.events(),
        executed=run.execution.executed,
    )
    return run, outcome


def compare(seed: int) -> None:
    text, blocks = program_text(seed), BLOCKS[seed % len(BLOCKS)]
    program = compile_source(text, f"{seed}.py", "kernel", {"asc": asc}, ARGUMENTS)
    run, fast = launched(program, seed, blocks, lockstep=True)
    _, slow = launched(program, seed, blocks, lockstep=False)
    _, again = launched(program, seed, blocks, lockstep=True)
    for name in Outcome.__dataclass_fields__:
        assert getattr(fast, name) == getattr(slow, name), (seed, name)
        assert getattr(fast, name) == getattr(again, name), (seed, name, "again")
    faults = {d.code for d in run.diagnostics if d.severity == "E"}
    assert faults <= {"ASC-RUN-02"}, (seed, faults)
    groups = len(run.execution.streams)
    SHAPES[seed] = groups > 1, groups == blocks


@pytest.mark.parametrize("batch", range(0, PROGRAMS, BATCH))
def test_both_executions_leave_the_same(batch):
    for seed in range(batch, batch + BATCH):
        compare(seed)


def test_the_family_diverges_and_needs_every_block_alone():
    for seed in range(PROGRAMS):
        if seed not in SHAPES:  # the test runs on its own
            compare(seed)
    diverged, alone = (sum(column) for column in zip(*SHAPES.values(), strict=True))
    assert diverged >= PROGRAMS / 3, diverged
    assert alone >= PROGRAMS / 10, alone


def test_the_family_uses_what_it_is_about():
    texts = "\n".join(map(program_text, range(PROGRAMS)))
    for word in (
        "for ", "while ", "break", "continue", "return", "queue.alloc", "set_flag",
        "set_atomic_add", "sync_all", "cross_core_wait_flag", "printf", "dump_tensor",
        "get_system_cycle", "else:",
    ):  # fmt: skip
        assert texts.count(word) >= 5, word


def test_a_program_is_the_same_every_time():
    assert program_text(7) == program_text(7) != program_text(8)
