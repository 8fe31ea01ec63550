"""Every micro-benchmark shows its effect, and is flat when its switches are off."""

import pytest

from npusim import asc
from npusim.chip import load_chip, mechanisms
from npusim.fidelity import micro

CHIP = load_chip("910B1")


def spread(values):
    return max(values) / min(values)


def both(name):
    off = CHIP.without(*micro.about(name)["mechanisms"])
    return micro.EXPERIMENTS[name](chip=CHIP), micro.EXPERIMENTS[name](chip=off)


def shrinks(on, off, column):
    """The column is smaller in every row without the mechanism."""
    pairs = zip(on.column(column), off.column(column), strict=True)
    return all(without < full for full, without in pairs)


@pytest.mark.parametrize(
    "name, column",
    [
        ("startup", 1),
        ("masked_rows", 2),
        ("copy_size", 1),
        ("launch", 2),
        ("round_trip", 1),
        ("queue_calls", 1),
        ("rows_per_core", 1),
        ("serial_steps", 1),
    ],
)
def test_the_effect_is_gone_with_the_switch(name, column):
    on, off = both(name)
    assert shrinks(on, off, column)


def test_two_sources_in_one_bank_group_cost_twice():
    on, off = both("bank_conflicts")
    by_shift = dict(on.rows)
    assert by_shift[0] / by_shift[256] == pytest.approx(2, rel=0.02)
    assert spread(off.column(1)) == 1


def test_a_copy_costs_a_least_time():
    on, off = both("small_copies")
    assert on.column(1)[0] == on.column(1)[3] > off.column(1)[0]


def test_bursts_that_break_lines_cost_more():
    on, off = both("bursts")
    assert on.rows[-1][2] > 1.3 * on.rows[-1][1]
    assert off.rows[-1][2] == off.rows[-1][1]


def test_copies_take_longer_on_a_busy_chip():
    on, off = both("load_on_latency")
    assert on.column(1) == sorted(on.column(1)) and spread(on.column(1)) > 1.5
    assert spread(off.column(1)) < 1.01


def test_writes_are_absorbed_by_l2():
    on, off = both("bandwidth")
    assert on.rows[0][2] > 3 * off.rows[0][2]
    small, large = on.rows
    assert large[3] < small[3] and large[4] > 1.3 * large[3]


def test_dependent_calls_wait_and_independent_ones_do_not():
    table = micro.startup()
    assert all(row[2] > row[3] for row in table.rows)


def test_two_buffers_help():
    table = micro.rows_per_core()
    assert table.rows[-1][2] < 0.6 * table.rows[-1][1]


def test_every_experiment_names_switches_and_speaks_two_languages():
    assert len(micro.names()) == 13
    for name in micro.names():
        words = micro.about(name)
        assert set(words["mechanisms"]) <= mechanisms().keys()
        assert words["en"] and words["zh"]


def test_a_table_prints_numbers_and_what_they_show():
    before = asc.language()
    try:
        asc.language("both")
        text = repr(micro.queue_calls(chip="910B4-1"))
    finally:
        asc.language(before)
    assert "one turn, cycles" in text
    assert "Each queue call" in text and "每次队列调用" in text
