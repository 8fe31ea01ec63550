"""Without a fault, lenient mode is strict mode: bits, lines, cycles, events.

Atomic adds of floats are made a maximum here: strict mode adds in the order of blocks,
a replay in the order of time, so their last bits may differ without a fault.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.lang import BufferArgument, compile_source, types
from npusim.launch.chain import run_program
from npusim.launch.replay import survivable
from npusim.launch.settings import Options

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "core"), str(TESTS / "kernels")]
from program_family import ATOMIC, SHARE, program_text  # noqa: E402
from test_triples import IDS, TRIPLES, launch  # noqa: E402

PROGRAMS = 120
BATCH = 30
FAULTED: dict[int, bool] = {}
ARGUMENTS = {
    **{name: BufferArgument(types.float32) for name in "xzw"},
    "s": BufferArgument(types.int64), "n": "int", "a": "float",
}  # fmt: skip


def outcome(program, seed: int, mode: str):
    """Everything that can be seen of one launch, and whether it failed."""
    blocks = (2, 5, 8)[seed % 3]
    values = {
        "x": np.random.default_rng(seed).normal(size=SHARE * blocks).astype("f4"),
        "z": np.zeros(SHARE * blocks, np.float32),
        "w": np.zeros(ATOMIC, np.float32),
        "s": np.zeros(8 * blocks, np.int64),
        "n": seed % 7,
        "a": 0.5,
    }
    failed = False
    try:
        run = run_program(program, values, blocks, Options(mode=mode))
    except KernelError as error:
        run, failed = error.run, True
    arrays = {n: v.tobytes() for n, v in values.items() if hasattr(v, "tobytes")}
    seen = arrays, run.prints, run.cycles, run.events(), run.found, failed
    return seen, failed


@pytest.mark.parametrize("start", range(0, PROGRAMS, BATCH))
def test_random_programs_without_races(start):
    for seed in range(start, start + BATCH):
        text = program_text(seed).replace("set_atomic_add", "set_atomic_max")
        program = compile_source(text, f"{seed}.py", "kernel", {"asc": asc}, ARGUMENTS)
        strict, FAULTED[seed] = outcome(program, seed, "strict")
        lenient, _ = outcome(program, seed, "lenient")
        names = ["arrays", "prints", "cycles", "events", "diagnostics", "failed"]
        for name, one, other in zip(names, strict, lenient, strict=True):
            assert one == other, (seed, name)


def test_most_of_these_programs_run_to_their_end():
    for start in range(0, PROGRAMS, BATCH):
        if start not in FAULTED:
            test_random_programs_without_races(start)
    assert sum(not failed for failed in FAULTED.values()) >= 60


@pytest.mark.parametrize("form", ["fixed", "silent"])
@pytest.mark.parametrize("triple", TRIPLES, ids=IDS)
def test_right_kernels_of_the_catalogue(triple, form):
    with asc.settings(mode="lenient"):
        run, result, expected = launch(triple, form)
    strict, same, _ = launch(triple, form)
    assert run.mode == "lenient" and run.found == ()
    assert run.cycles == strict.cycles and run.prints == strict.prints
    assert result.tobytes() == same.tobytes() and (result == expected).all()


DAMAGED = {"ASC-MTE-01", "ASC-GM-06b", "ASC-INIT-11", "ASC-RACE-15", "ASC-RACE-16"}
FAILING = [
    triple
    for triple in TRIPLES  # the others do not end a strict run, or do not compile
    if triple.get("severity", "E") == "E" and triple["code"] != "ASC-CAST-35"
]


@pytest.mark.parametrize("triple", FAILING, ids=lambda triple: triple["code"])
def test_failing_kernels_go_on_or_stop_as_the_table_says(triple):
    try:
        with asc.settings(mode="lenient"):
            run, result, expected = launch(triple, "failing")
    except KernelError as error:
        assert error.diagnostics[-1].code not in survivable()
        assert error.run is None or error.run.execution.faults
        return
    codes = {d.code for d in run.found if d.severity == "E"}
    assert triple["code"] in codes and run.mode == "lenient"
    assert (result != expected).any() or triple["code"] not in DAMAGED
