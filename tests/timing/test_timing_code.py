"""The instruction cache: what fits is free, what does not is fetched again."""

import mechanism_kernels as kernels
import numpy as np

from npusim.chip import load_chip
from npusim.timing.code import CodeCache, code_nbytes

CHIP = load_chip("910B1")


def program(length):
    return kernels.long_code.compile(
        {"x": np.zeros(8, np.float32), "turns": 2, "length": length}
    )


def test_size_grows_with_the_code():
    short, long = (code_nbytes(program(n), CHIP) for n in (10, 20))
    assert long - short == 10 * CHIP.constant("code_instruction")


def test_a_small_program_fetches_nothing():
    assert CodeCache(CHIP, program(10)).fetches() is None
    assert CodeCache(CHIP).fetches() is None
    assert CodeCache(CHIP.without("instruction_cache"), program(900)).fetches() is None


def test_a_loop_longer_than_the_cache_misses_every_unit_every_time():
    """Least recently used: a ring longer than the cache hits nothing."""
    code = program(600)
    assert code_nbytes(code, CHIP) > CHIP.constant("icache")
    fetch = CodeCache(CHIP, code).fetches()
    turns = [sum(fetch(pc) > 0 for pc in range(len(code.code))) for _ in range(3)]
    units = -(-code_nbytes(code, CHIP) // int(CHIP.constant("icache_line")))
    assert turns[0] >= units - 1 and turns[1] == turns[2] == turns[0]
