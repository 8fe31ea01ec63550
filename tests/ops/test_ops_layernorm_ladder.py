"""The LayerNorm ladder: right on any shape, in order, as documented."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import CHIPS

from npusim import asc, ops
from npusim.ops import layernorm_ladder
from npusim.ops.layernorm_ladder import ROWS, STEPS, climb


@settings(max_examples=8)
@given(st.integers(1, 100), st.integers(1, 300), st.sampled_from(CHIPS))
@pytest.mark.parametrize("step", STEPS[:4])
def test_any_shape(step, rows, columns, chip):
    with asc.settings(chip=chip):
        assert climb(step, rows, columns).error < 1e-4


@settings(max_examples=8)
@given(st.integers(1, 200), st.integers(1, 30), st.sampled_from(CHIPS))
def test_resident_takes_whole_repeats(rows, repeats, chip):
    with asc.settings(chip=chip):
        assert climb("resident", rows, 64 * repeats).error < 1e-4


@pytest.mark.parametrize("chip", CHIPS)
def test_each_step_is_faster_than_the_one_before(chip):
    with asc.settings(chip=chip):
        rungs = [climb(step, ROWS // 4) for step in STEPS]
    times = [r.time_us for r in rungs]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == len(times)
    assert all(r.floor_us <= r.time_us for r in rungs)
    assert all(r.error < 1e-5 for r in rungs)


def test_a_scalar_loop_is_far_from_the_first_vector_step():
    """0.74 of the article cannot be scalar to vector."""
    scalar, basic = climb("scalar", 48, 256), climb("basic", 48, 256)
    assert scalar.error < 1e-5
    assert basic.time_us < 0.74 * scalar.time_us / 2


def test_the_variants_are_the_ladder():
    assert set(STEPS) < set(ops.layernorm.kernels)


def test_the_document_is_generated(root):
    """The first table and a row of the last; the whole takes long on the host."""
    text = (root / "docs" / "layernorm-ladder.md").read_text(encoding="utf-8")
    with asc.settings(chip=layernorm_ladder.CHIP):
        rungs = [climb(step) for step in STEPS]
        lines = list(layernorm_ladder.width_rows((513, 1024)))
    lines += layernorm_ladder.ladder_rows(
        rungs, 2 * ROWS * layernorm_ladder.COLUMNS * 4
    )
    assert set(lines) <= set(text.splitlines())


def test_data_are_the_same_each_time():
    np.testing.assert_array_equal(
        layernorm_ladder.data(3, 5)[0], layernorm_ladder.data(3, 5)[0]
    )


def test_the_last_step_reaches_80_percent_of_the_roofline():
    """32 x 128 x 768 float32 on 910B1, caches cold, as the page shows it."""
    with asc.settings(chip=layernorm_ladder.CHIP):
        rung = climb("resident")
    assert rung.floor_us / rung.time_us >= 0.8
