"""Where bytes are at launch: miss, hit, write-back, and lines of unaligned rows."""

import numpy as np
import pytest
from timing_streams import StreamBuilder, execution, gm

from npusim.chip import load_chip
from npusim.core.stream import Access
from npusim.timing import time_execution
from npusim.timing.traffic import absorbed_share, gm_bytes, gm_traffic

CHIP = load_chip("910B1")
MIB = 1 << 20
L2 = CHIP.l2_nbytes


def copier(cores=48, tiles=8, nbytes=32768, buffers=(1, 2)) -> StreamBuilder:
    build = StreamBuilder(cores)
    base = np.arange(cores) * tiles * nbytes
    for tile in range(tiles):
        build.load(0, gm(buffers[0], base + tile * nbytes), nbytes)
        build.store(gm(buffers[1], base + tile * nbytes), 65536, nbytes)
    return build


def cycles(build, sizes=None, **states) -> int:
    return time_execution(execution(build.stream(), sizes=sizes), **states).cycles


def test_order_of_cache_states():
    build = copier()
    sizes = {1: 16 * MIB, 2: 16 * MIB}
    near = cycles(build, sizes, cache="l2")
    cold = cycles(build, sizes, cache="cold")
    dirty = cycles(build, sizes, cache="dirty")
    assert near < cold < dirty


def test_keep_depends_on_what_is_resident():
    build = copier()
    sizes = {1: 16 * MIB, 2: 16 * MIB}
    first = cycles(build, sizes, cache="keep")
    assert first == cycles(build, sizes, cache="cold")
    inputs = cycles(build, sizes, cache="keep", resident=frozenset({1}))
    both = cycles(build, sizes, cache="keep", resident=frozenset({1, 2}))
    assert both == inputs < first  # writes of this size stay in L2 either way
    assert both == cycles(build, sizes, cache="l2")


def test_l2_takes_arguments_only_as_far_as_they_fit():
    build = copier()
    both = cycles(build, {1: 100 * MIB, 2: 90 * MIB}, cache="l2")
    second = cycles(build, {1: 300 * MIB, 2: 90 * MIB}, cache="l2")
    assert both < second


def test_resident_is_ignored_where_caches_are_cold():
    build = copier()
    assert cycles(build, resident=frozenset({1, 2})) == cycles(build)


def test_later_reads_of_a_buffer_hit():
    again, fresh = StreamBuilder(48), StreamBuilder(48)
    for tile in range(16):
        again.load(0, gm(1, 0), 32768)
        fresh.load(0, gm(1, np.arange(48) * 524288 + tile * 32768), 32768)
    sizes = {1: 32 * MIB}
    assert cycles(again, {1: 32768}) < 0.5 * cycles(fresh, sizes)
    timing = time_execution(execution(again.stream(), sizes={1: 32768}))
    assert timing.nbytes_read == 48 * 16 * 32768
    assert timing.compulsory_nbytes == (32768, 0)


@pytest.mark.parametrize(
    "cache, footprint, share",
    [
        ("cold", L2 // 2, 1.0),
        ("cold", 2 * L2, 0.5),
        ("cold", 0, 1.0),
        ("dirty", 1, 0.0),
        ("keep", 4 * L2, 0.25),
    ],
)
def test_share_of_writes_that_stay(cache, footprint, share):
    assert absorbed_share(cache, footprint, L2) == share


def lined(bases, nbytes, count=1, pitch=0) -> int:
    access = Access("GM", gm(1, np.array(bases)), nbytes, count, pitch, "x")
    _, with_lines = gm_traffic(access, None, len(bases), 512)
    return with_lines[1]


def brute(bases, nbytes, count, pitch) -> int:
    """Bytes plus 512 for each line touched beyond the fewest possible, row by row."""
    total = 0
    for base in bases:
        for row in range(count):
            start = base + row * pitch
            touched = len({b // 512 for b in range(start, start + nbytes)})
            total += nbytes + 512 * (touched - -(-nbytes // 512))
    return total


@pytest.mark.parametrize(
    "bases, nbytes, count, pitch",
    [
        ([0, 512], 2048, 4, 24576),
        ([0, 32], 2048, 4, 24574),
        ([96], 128, 9, 160),
        ([480, 992], 64, 3, 512),
        ([2, 4, 6], 700, 1, 0),
    ],
)
def test_lines_of_unaligned_rows(bases, nbytes, count, pitch):
    assert lined(bases, nbytes, count, pitch) == brute(bases, nbytes, count, pitch)


def test_rows_without_gaps_are_one_run():
    assert lined([32], 100, 50, 100) == brute([32], 5000, 1, 0)


def test_an_odd_row_length_costs_a_fifth():
    """12287 columns of fp16 against 12288: published 275.3 against 215.8 us."""
    aligned, odd = StreamBuilder(48), StreamBuilder(48)
    for build, row in ((aligned, 24576), (odd, 24574)):
        for tile in range(8):
            base = np.arange(48) * 64 * row + tile * 2048
            build.load(0, gm(1, base), 2048, 64, row)
    ratio = cycles(odd) / cycles(aligned)
    assert ratio == pytest.approx(275.3 / 215.8, rel=0.08)


def test_blocks_may_address_different_buffers():
    bases = np.array([gm(1, 0), gm(2, 512), gm(1, 1024)])
    access = Access("GM", bases, 512, 1, 0, "x")
    plain, with_lines = gm_traffic(access, None, 3, 512)
    assert plain == with_lines == {1: 1024, 2: 512}


def test_rows_select_the_blocks_of_a_part():
    access = Access("GM", gm(1, np.array([0, 32, 64])), 512, 1, 0, "x")
    plain, with_lines = gm_traffic(access, np.array([1, 2]), 2, 512)
    assert (plain, with_lines) == ({1: 1024}, {1: 2048})


def test_an_empty_copy_moves_nothing():
    assert gm_traffic(Access("GM", gm(1, 0), 0, 1, 0, "x"), None, 4, 512) == ({}, {})


@pytest.mark.parametrize("rows", [None, np.array([0, 2])])
@pytest.mark.parametrize(
    "base",
    [
        (1 << 40) + 5,
        np.arange(4) * 8 + (1 << 40),
        np.array([1 << 40, 2 << 40, (1 << 40) + 3, (2 << 40) + 7]),
    ],
)
def test_plain_bytes_are_those_of_the_traffic(base, rows):
    access = Access("GM", base, 4, 1, 4, "x")
    blocks = 4 if rows is None else 2
    assert gm_bytes(access, rows, blocks) == gm_traffic(access, rows, blocks, 512)[0]


def test_a_resident_input_gains_nothing_from_a_bypass():
    """What lies in L2 is read from L2, hint or not, beside the writes."""

    def timed(hints):
        run = execution(copier().stream(), sizes={1: 16 * MIB, 2: 16 * MIB})
        run.cache_hints = dict.fromkeys(hints, "CACHE_MODE_DISABLE")
        return time_execution(run, cache="l2")

    assert timed([1]).cycles == timed([]).cycles
    assert timed([1]).cycles >= timed([1]).floor_cycles
