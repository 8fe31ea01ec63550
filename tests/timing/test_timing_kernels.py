"""Real kernels through compile and execution: the same times as by hand."""

import numpy as np
import pytest
from bench_kernels import add_flags, add_scalar, rows_chain
from timing_streams import add_ladder

from npusim import asc
from npusim.chip import load_chip
from npusim.core import Buffer, execute
from npusim.lang.types import dtype_of
from npusim.timing import time_execution

CHIP = load_chip("910B1")


def executed(kernel, blocks, lockstep=True, **values):
    """An execution without the launcher."""
    program = kernel.compile(values)
    bound = dict(values)
    for number, (name, value) in enumerate(values.items(), 1):
        if isinstance(value, np.ndarray):
            dtype = dtype_of(value.dtype)
            data = value.reshape(-1).copy()
            bound[name] = Buffer(number, name, dtype, data, None, False)
    arguments = {p.name: bound[p.name] for p in program.params}
    return execute(program, arguments, blocks, CHIP, lockstep=lockstep)


def add_values(size, tile, slots):
    x = np.ones(size, np.float16)
    counts = {"tiles": size // tile, "tile": tile, "slots": slots}
    return {"x": x, "y": x.copy(), "z": x.copy(), **counts}


@pytest.mark.parametrize("cores, tile, slots", [(48, 4096, 1), (8, 16384, 2)])
def test_a_kernel_takes_the_cycles_of_its_stream(cores, tile, slots):
    size = 1 << 22
    run = executed(add_flags, cores, **add_values(size, tile, slots))
    kernel = time_execution(run)
    by_hand = time_execution(add_ladder(cores, tile, slots, size))
    assert kernel.cycles == pytest.approx(by_hand.cycles, rel=0.003)
    assert kernel.nbytes_read == by_hand.nbytes_read
    assert kernel.floor_cycles == by_hand.floor_cycles


@pytest.mark.parametrize("blocks", [5, 48])
def test_lockstep_and_block_by_block_take_the_same_cycles(blocks):
    x = np.ones((100, 256), np.float32)
    values = {"x": x, "y": x.copy(), "rows": 100, "columns": 256}
    together = time_execution(executed(rows_chain, blocks, **values))
    apart = time_execution(executed(rows_chain, blocks, lockstep=False, **values))
    assert together.cycles == apart.cycles
    assert together.core_cycles == apart.core_cycles
    assert together.pipe_cycles == apart.pipe_cycles
    assert len(together.classes) == len(apart.classes)
    for one, other in zip(together.classes, apart.classes, strict=True):
        assert one.blocks.tolist() == other.blocks.tolist()
        assert one.end_ticks == other.end_ticks


def test_a_scalar_loop_costs_34_cycles_an_element():
    """Step 0 of the published ladder: 1 239 689 us for 67.1 million elements."""
    tile = 1024
    x = np.ones(tile, np.float16)
    values = {"x": x, "y": x.copy(), "z": x.copy(), "tiles": 1, "tile": tile}
    timing = time_execution(executed(add_scalar, 1, **values))
    copies = 403 + 2 * 18 + 259 + 21
    assert (timing.core_cycles[0] - copies) / tile == pytest.approx(34, rel=0.06)
    assert timing.bound == "S"


def test_a_launch_gives_these_times():
    x = np.ones(1 << 20, np.float16)
    run = add_flags[48](x, x.copy(), np.zeros_like(x), 256, 4096, 2)
    direct = time_execution(executed(add_flags, 48, **add_values(1 << 20, 4096, 2)))
    assert run.cycles == direct.cycles
    assert run.cycles >= direct.floor_cycles


def test_states_of_a_launch_reach_the_timing():
    x, y, z = (asc.device.tensor(np.ones(1 << 20, np.float16)) for _ in range(3))

    def cycles(**states):
        return add_flags.launch(x, y, z, 256, 4096, 2, blocks=48, **states).cycles

    cold = cycles(cache="cold")
    assert cycles(cache="l2") < cold < cycles(cache="dirty")
    assert cycles(cache="keep") < cold  # the previous launch left x, y and z in L2
    assert cycles(code="cold") > cold
