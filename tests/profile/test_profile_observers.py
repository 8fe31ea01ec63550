"""Observers change nothing: bits and cycles are those of a run that nobody observed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from npusim import asc
from npusim.core import Buffer, execute
from npusim.lang.types import dtype_of
from npusim.launch import Kernel
from npusim.timing import time_execution

SOURCE = Path(__file__).with_name("shown_kernels.py")
BLOCKS, TILE = 6, 1024


def kernel():
    return Kernel.from_text(SOURCE.read_text(), "kernels.py", "queue_add", {"asc": asc})


def arrays():
    generator = np.random.default_rng(5)
    x, y = (generator.standard_normal(BLOCKS * 2 * TILE) for _ in range(2))
    return x.astype(np.float16), y.astype(np.float16), np.zeros(x.size, np.float16)


def bare():
    """Execution and timing alone: no checks, no views, no launch."""
    x, y, z = arrays()
    values = {"x": x, "y": y, "z": z, "n": x.size, "tile": TILE, "depth": 2}
    program = kernel().compile(values)
    bound = {
        name: Buffer(number, name, dtype_of(value.dtype), value, None, False)
        if isinstance(value, np.ndarray)
        else value
        for number, (name, value) in enumerate(values.items(), 1)
    }
    wanted = {p.name: bound[p.name] for p in program.params}
    done = execute(program, wanted, BLOCKS, asc.chip("910B1"))
    return z, time_execution(done)


def test_bits_and_cycles_are_those_of_a_bare_run(tmp_path):
    z, timing = bare()
    x, y, seen = arrays()
    run = kernel()[BLOCKS](x, y, seen, x.size, TILE, 2)
    before = run.cycles, run.core_cycles, seen.tobytes()
    for look in (
        lambda: run.profile.html(), lambda: run.save(tmp_path), lambda: run.counters,
        run.events, run.timeline, run.step, lambda: run.compare(run), run._repr_html_,
    ):  # fmt: skip
        look()
    assert (run.cycles, run.core_cycles, seen.tobytes()) == before
    assert (timing.cycles, timing.core_cycles) == before[:2]
    assert z.tobytes() == seen.tobytes()


@pytest.mark.parametrize("module", ["npusim.profile", "npusim.view"])
def test_a_launch_does_not_load_the_views(module):
    code = (
        "import sys; sys.path.insert(0, 'tests/profile')\n"
        "from conftest import queue_add\n"
        "run = queue_add(blocks=2, tiles=1, tile=1024)\n"
        f"assert {module!r} not in sys.modules and run.cycles > 0\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
