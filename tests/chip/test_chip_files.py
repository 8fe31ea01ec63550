"""A chip of one's own: read from a file, or refused with the place and both texts."""

import re

import numpy as np
import pytest

from npusim import asc
from npusim.chip import Chip, ChipFileError, load_chip

GOOD = """\
name = "class-chip"
base = "910B2"
hbm_read = 750

[clock]
value = 1.5
source = "our class"
confidence = "low"

[mechanisms]
bank_conflicts = false

[vector.add]
free = 3

[vector."exp:half"]
free = 2
conflict = 5
"""


@pytest.fixture
def write(tmp_path):
    def make(text):
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return make


def test_an_own_chip_differs_where_its_file_says(write):
    chip, base = Chip.from_file(write(GOOD)), load_chip("910B2")
    assert (chip.name, chip.clock_ghz, chip.constant("hbm_read")) == (
        "class-chip", 1.5, 750,
    )  # fmt: skip
    assert chip.vector_cost("add").free == 3
    assert chip.vector_cost("exp", "half").conflict == 5
    assert not chip.has("bank_conflicts") and chip.has("waves")
    assert chip.constant("l2_read") == base.constant("l2_read")
    assert chip.constants["clock"].source == "our class"
    assert base.clock_ghz == 1.8  # the shipped chip is untouched


@asc.jit
def nothing(x: asc.GlobalAddress):
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def test_a_launch_takes_a_chip_or_its_name(write):
    x = np.zeros(8, np.float32)
    chip = asc.Chip.from_file(write(GOOD))
    run = nothing.launch(x, blocks=1, chip=chip)
    assert run.chip == "class-chip"
    with asc.settings(chip=chip):
        assert nothing[1](x).cycles == run.cycles
    slower = load_chip("910B2")
    assert run.time_us > nothing.launch(x, blocks=1, chip=slower).time_us
    assert "class-chip" in repr(run) and "class-chip" in run.profile.text("en")


@pytest.mark.parametrize(
    ("old", "new", "line", "en", "zh"),
    [
        ('base = "910B2"', 'base = "910B9"', 2, "910B9", "不是已知芯片"),
        ("[clock]", "[clocks]", 5, "clocks is not known; did you mean: clock", "未知"),
        ("value = 1.5", "value = -1", 6, "value must be a number above 0", "大于 0"),
        ("value = 1.5", "value = true", 6, "number above 0, not True", "大于 0"),
        ("value = 1.5", "", 5, "clock needs value", "缺少 value"),
        ('source = "our class"', 'unit = "MHz"', 7, "in 'GHz'", "单位是 'GHz'"),
        ('confidence = "low"', 'confidence = "sure"', 8, "one of high", "之中"),
        ('confidence = "low"', 'colour = "red"', 8, "colour is not known", "未知"),
        ("bank_conflicts = false", "bank_conflict = false", 11, "bank_conf", "未知"),
        ("bank_conflicts = false", "bank_conflicts = 0", 11, "true or false", "true"),
        ("[vector.add]", "[vector.addd]", 13, "vector.addd is not known", "未知"),
        ("conflict = 5", "conflict = 1", 18, "less than free", "小于"),
        ("hbm_read = 750", "hbm_read = ", 3, "not valid TOML", "不是合法的 TOML"),
        ('name = "class-chip"', "name = 3", 1, "name must be a text", "文本"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(write, old, new, line, en, zh):
    path = write(GOOD.replace(old, new))
    with pytest.raises(ChipFileError, match=re.escape(en)) as caught:
        Chip.from_file(path)
    error = caught.value
    assert error.line == line and f"{path}:{line}: " in str(error)
    assert zh in error.text["zh"] and en in error.text["en"]


def test_whole_numbers_stay_whole(write):
    with pytest.raises(ChipFileError, match="vector_cores.value must be a whole"):
        Chip.from_file(write('base = "910B1"\n[vector_cores]\nvalue = 4.5\n'))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ChipFileError, match="cannot be read"):
        Chip.from_file(tmp_path / "none.toml")


def test_switched_off_chips_say_so():
    chip = load_chip("910B1").without("waves", "bank_conflicts")
    assert chip.name == "910B1 without bank_conflicts, waves"
    assert not chip.has("waves") and load_chip("910B1").has("waves")
    with pytest.raises(KeyError):
        chip.has("bank")
