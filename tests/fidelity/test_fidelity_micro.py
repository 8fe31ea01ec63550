"""Every switch has a micro-benchmark that shows its effect, and loses it with it."""

import subprocess
import sys
from pathlib import Path

import pytest

from npusim import asc
from npusim.chip import chip_names, mechanisms
from npusim.fidelity import micro

SAVES = ("l2_residency", "l2_write_absorption", "l2_bypass")
EXTRA = ("bandwidth", "round_trip", "rows_per_core", "serial_steps")
# the columns in which an experiment must be flat: what the mechanism does not touch
UNTOUCHED = {
    "masked_rows": 1,
    "line_alignment": 1,
    "same_address": 2,
    "code_state": 1,
    "l2_residency": 1,
    "l2_bypass": 1,
}


@pytest.fixture(scope="module")
def tables():
    return micro.run()


def test_every_switch_has_its_own_experiment():
    assert set(micro.names()) == mechanisms().keys() | set(EXTRA)


def effects(table, rates):
    """Time with the mechanism over time without it, by row and changed column."""
    for column in table.changed():
        pairs = zip(table.column(column), table.column_without(column), strict=True)
        if rates:
            pairs = ((off, on) for on, off in pairs)
        yield from (on / off if off else float("inf") for on, off in pairs)


@pytest.mark.parametrize("name", mechanisms())
def test_the_effect_is_gone_with_the_switch(tables, name):
    """It shows by more than a tenth, and never the other way round."""
    found = list(effects(tables[name], rates=name == "bandwidth_sharing"))
    if name in SAVES:
        found = [1 / effect for effect in found]
    assert max(found) > 1.1 and min(found) > 0.98


@pytest.mark.parametrize("name", UNTOUCHED)
def test_what_the_switch_does_not_touch_stays(tables, name):
    assert UNTOUCHED[name] not in tables[name].changed()


def test_the_diary_names_every_switch():
    text = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text("utf-8")
    assert all(f"| `{name}` |" in text for name in mechanisms())


def test_two_sources_in_one_bank_group_cost_twice(tables):
    by_shift = dict(tables["bank_conflicts"].rows)
    assert by_shift[0] / by_shift[256] == pytest.approx(2, rel=0.02)
    assert len(set(tables["bank_conflicts"].column_without(1))) == 1


def test_a_copy_costs_a_least_time(tables):
    table = tables["small_copies"]
    assert table.column(1)[0] == table.column(1)[3] > table.column_without(1)[0]


def test_bursts_that_break_lines_cost_more(tables):
    first = tables["line_alignment"].rows[0]
    assert first[2] > 1.3 * first[1]


def test_copies_take_longer_on_a_busy_chip(tables):
    times = tables["latency_under_load"].column(1)
    assert times == sorted(times) and times[-1] > 1.5 * times[0]


def test_writes_are_absorbed_by_l2(tables):
    table = tables["bandwidth"]
    assert table.column(2)[0] > 3 * table.column_without(2)[0]
    small, large = table.rows
    assert large[3] < small[3] and large[4] > 1.3 * large[3]


def test_dependent_calls_wait_and_independent_ones_do_not(tables):
    assert all(row[1] > row[2] for row in tables["vector_dependency"].rows)


def test_two_buffers_help(tables):
    last = tables["rows_per_core"].rows[-1]
    assert last[2] < 0.6 * last[1]


def test_code_that_fits_is_fetched_once(tables):
    table = tables["instruction_cache"]
    assert table.column(1)[:3] == table.column_without(1)[:3]


def test_one_block_more_than_cores_takes_a_wave_more(tables):
    times = dict(tables["waves"].rows)
    assert times[49] > 1.8 * times[48] and times[96] == times[49] < times[97]


def test_every_experiment_speaks_two_languages():
    for name in micro.names():
        words = micro.about(name)
        assert words["en"] and words["zh"]
        assert len(words["columns"]["en"]) == len(words["columns"]["zh"])


@pytest.mark.parametrize("chip", chip_names())
def test_experiments_run_on_every_chip(chip):
    found = micro.run("l2_write_absorption", chip)["l2_write_absorption"]
    assert all(v > 0 for row in found.rows for v in row)


def test_a_word_gives_all_experiments_that_have_it():
    assert set(micro.names("l2")) == set(SAVES)
    assert micro.names("waves") == ("waves",)
    with pytest.raises(ValueError, match="no micro-benchmark 'bank_size'; known: vec"):
        micro.run("bank_size")


def test_a_table_prints_numbers_and_what_they_show():
    before = asc.language()
    try:
        asc.language("both")
        text = repr(micro.run("queue_cost", chip="910B4-1"))
        asc.language("zh")
        chinese = str(micro.queue_cost())
    finally:
        asc.language(before)
    assert "one turn, cycles" in text and "off: one turn, cycles" in text
    assert "Each queue call" in text and "每次队列调用" in text
    assert "Unvalidated" in text and "未经验证" in text
    assert "一轮，周期" in chinese and "off" not in chinese


def test_the_command_prints_tables_and_names_the_known_ones():
    command = [sys.executable, "-m", "npusim.fidelity.micro"]
    good = subprocess.run([*command, "masked"], capture_output=True, text=True)
    assert good.returncode == 0 and "masked_rows" in good.stdout
    bad = subprocess.run([*command, "nothing"], capture_output=True, text=True)
    assert bad.returncode == 2 and "known: vector_startup" in bad.stderr
