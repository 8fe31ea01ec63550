"""Prices of vector instructions with strides: bank groups, repeats, mask state."""

import pytest

from npusim.chip import load_chip
from npusim.core.stream import Access, Cost, Step
from npusim.timing.ticks import ticks_of_cycles
from npusim.timing.vector_price import VectorPrices

CHIP = load_chip("910B1")
ROW = 256  # bytes of a repeat


def cycles(key, banks, repeats=32, dtype="float32"):
    """Cycles of the repeats alone; `banks` in data blocks."""
    nbytes = [(base * 32, gap * 32, pitch * 32, n) for base, gap, pitch, n in banks]
    run = Access("UB", 0, ROW * repeats, 1, ROW * repeats, "t")
    cost = Cost("vector", key, repeats, dtype, tuple(nbytes))
    step = Step(0, 0, key, "V", (run,), (run,), cost, None, 0)
    return VectorPrices(CHIP).price(step).independent.repeats / ticks_of_cycles(1)


DENSE = (1, 8, 8)  # block pitch, repeat pitch, blocks


@pytest.mark.parametrize(
    "first, second, ways",
    [(0, 0, 1), (0, 8, 1), (0, 16, 2), (0, 24, 1), (0, 3, 2), (0, 2048, 2)],
)
def test_two_dense_sources_cost_what_the_count_form_costs(first, second, ways):
    banks = [(4096, *DENSE), (first, *DENSE), (second, *DENSE)]
    assert cycles("add", banks) == 32 * ways


@pytest.mark.parametrize("gap, ways", [(1, 1), (2, 1), (4, 2), (8, 4), (16, 8)])
def test_blocks_of_one_bank_group_are_read_one_by_one(gap, ways):
    assert cycles("muls", [(4096, *DENSE), (0, gap, 8, 8)]) == 32 * ways
    assert cycles("muls", [(4096, gap, 8, 8), (0, *DENSE)]) == 32 * ways


def test_a_broadcast_block_is_read_once():
    banks = [(4096, *DENSE), (0, *DENSE), (8, 0, 0, 8)]
    assert cycles("add", banks, repeats=16) == pytest.approx(16 + 8)  # every other row


def test_strided_cost_of_slower_instructions():
    banks = [(4096, *DENSE), (0, *DENSE), (3, *DENSE)]
    assert cycles("div", banks) == 32 * CHIP.vector_cost("div", "float32").conflict
    assert cycles("div", banks, dtype="half") == 32 * 8


def test_every_guess_is_marked():
    """A row without a public number has no confidence, and says that it is a guess."""
    for key, row in CHIP.vector.items():
        assert ("guess" in row.source) == (row.confidence == "none"), key
