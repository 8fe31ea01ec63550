"""Chip files: complete, used, and read by name."""

from pathlib import Path

import pytest

import npusim
from npusim.chip import chip_names, load_chip
from npusim.chip.files import CONFIDENCES, _constant, _vector_row

SOURCE_ROOT = Path(npusim.__path__[0])


@pytest.fixture(scope="module")
def source() -> str:
    return "\n".join(p.read_text("utf-8") for p in SOURCE_ROOT.rglob("*.py"))


@pytest.mark.parametrize("name", chip_names())
def test_every_constant_is_complete(name):
    for constant in load_chip(name).constants.values():
        assert constant.value > 0
        assert constant.unit and len(constant.source) > 15
        assert constant.confidence in CONFIDENCES


@pytest.mark.parametrize("name", chip_names())
def test_every_vector_row_is_complete(name):
    for row in load_chip(name).vector.values():
        assert 0 < row.free <= row.conflict
        assert len(row.source) > 15 and row.confidence in CONFIDENCES


def test_every_constant_is_used(source):
    unused = [n for n in load_chip("910B1").constants if f'"{n}"' not in source]
    assert unused == []


def test_an_incomplete_constant_is_refused():
    with pytest.raises(ValueError, match="'clock'"):
        _constant("clock", {"value": 1.0, "unit": "GHz", "confidence": "high"})
    with pytest.raises(ValueError, match="'clock'"):
        _constant(
            "clock", {"value": 1, "unit": "GHz", "source": "x", "confidence": "?"}
        )


@pytest.mark.parametrize("change", [{"cost": 1}, {"confidence": "?"}, {"free": None}])
def test_an_incomplete_vector_row_is_refused(change):
    row = {"free": 1, "source": "x", "confidence": "high"} | change
    row = {key: value for key, value in row.items() if value is not None}
    with pytest.raises(ValueError, match="'add'"):
        _vector_row("add", row)


def test_910b1():
    chip = load_chip("910B1")
    assert (chip.vector_cores, chip.cube_cores, chip.clock_ghz) == (48, 24, 1.85)
    assert (chip.ub_nbytes, chip.l2_nbytes) == (192 << 10, 192 << 20)
    assert chip.cycles_of_ns(1000) == pytest.approx(1850)


@pytest.mark.parametrize("name", chip_names())
def test_l2_rates_scale_with_cores_and_clock(name):
    reference, chip = load_chip("910B1"), load_chip(name)
    scale = chip.vector_cores * chip.clock_ghz / (48 * 1.85)
    for constant in ("l2_read", "l2_write"):
        expected = reference.constant(constant) * scale
        assert chip.constant(constant) == pytest.approx(expected, rel=1e-3)


def test_unknown_chip_lists_the_known():
    with pytest.raises(ValueError, match="910B9.*910B1, 910B2"):
        load_chip("910B9")


def test_vector_rows_by_dtype():
    chip = load_chip("910B1")
    assert chip.vector_cost("exp", "float32").free == 2
    assert chip.vector_cost("exp", "half").free == 4
    assert chip.vector_cost("add", "half").conflict == 2
    assert chip.vector_cost("relu", "half").conflict == 1
    with pytest.raises(KeyError, match="no vector cost for 'sin'"):
        chip.vector_cost("sin", "half")


def test_a_chip_is_loaded_once():
    assert load_chip("910B1") is load_chip("910B1")
