"""The host tiling: every element once, within UB, cores evenly loaded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from npusim.chip import load_chip
from npusim.ops.tiling import GRAIN, NUMBERS, SLOTS, Layout, split

CHIP = load_chip("910B1")
sizes = st.integers(1, 5000) | st.integers(1, 1 << 31)
itemsizes = st.lists(st.sampled_from([1, 2, 4, 8]), min_size=2, max_size=4)


@given(sizes, itemsizes, st.integers(0, 20), st.sampled_from(["910B1", "910B4-1"]))
def test_every_element_belongs_to_one_block(n, queued, work, name):
    chip = load_chip(name)
    plan = split(n, Layout(tuple(queued), work), chip)
    share, blocks = plan.tiles.share, plan.blocks
    assert 1 <= blocks <= chip.vector_cores
    assert (blocks - 1) * share < n <= blocks * share


@given(sizes, itemsizes, st.integers(0, 20), st.integers(0, 4096))
def test_the_buffers_fit_the_unified_buffer(n, queued, work, fixed):
    layout = Layout(tuple(queued), work, fixed=fixed)
    tile = split(n, layout, CHIP).tiles.tile
    assert tile > 0
    assert tile % GRAIN == 0
    buffers = SLOTS * sum(tile * size for size in queued)
    assert buffers + tile * work + fixed <= CHIP.ub_nbytes - NUMBERS["reserved"]


@given(sizes, itemsizes)
def test_no_core_has_a_line_more_than_its_part(n, queued):
    """One line of 512 B, where the array is large enough for all cores."""
    plan = split(n, Layout(tuple(queued)), CHIP)
    line = NUMBERS["line"] // max(queued)
    least = NUMBERS["core_share"] // max(queued)
    assert plan.tiles.share <= max(least, n / CHIP.vector_cores + line)
    assert plan.tiles.share % line == 0


@given(sizes, itemsizes)
def test_tiles_of_a_share_are_as_equal_as_their_grain(n, queued):
    tiles = split(n, Layout(tuple(queued)), CHIP).tiles
    number = -(-tiles.share // tiles.tile)
    assert tiles.tile * number - tiles.share < GRAIN * number


def test_small_arrays_use_the_cores_that_published_profiles_show():
    """Add of bfloat16 in float32 on 40 cores: elements → cores."""
    layout, chip = Layout((2, 2, 2), 8, widest=4), load_chip("910B4-1")
    published = {512: 1, 2048: 2, 4096: 4, 16384: 16, 32768: 32, 57344: 38}
    found = {n: split(n, layout, chip).blocks for n in published}
    assert found == published
