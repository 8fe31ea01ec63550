"""Named counters: each documented, each right on a kernel whose counts are known."""

from pathlib import Path

import numpy as np
import pytest

from npusim import asc
from npusim.profile import named
from npusim.profile.page import page

COUNTERS = named.COUNTER_NAMES
HALF = 2  # bytes


def test_every_counter_is_documented_and_computed():
    assert list(COUNTERS) == list(named._FILL)
    for row in COUNTERS.values():
        assert row.unit and row.en.endswith(".") and row.zh.endswith("。")


def test_counts_of_a_queue_add_are_closed_forms(launch):
    blocks, tiles, tile = 6, 3, 1024
    found = launch("queue_add", blocks=blocks, tiles=tiles, tile=tile).counters
    runs = blocks * tiles
    assert found["cores_used"] == found["blocks"] == blocks
    assert found["vector_instructions"] == runs
    assert found["copy_instructions"] == 3 * runs
    assert found["instructions"] == 4 * runs
    assert found["vector_repeats"] == runs * tile * HALF // 256
    assert found["mean_copy_nbytes"] == tile * HALF
    assert found["gm_read_nbytes"] == 2 * runs * tile * HALF
    assert found["gm_write_nbytes"] == runs * tile * HALF
    assert found["max_core_read_nbytes"] == 2 * tiles * tile * HALF
    assert found["max_core_write_nbytes"] == tiles * tile * HALF
    assert found["writes_per_output_byte"] == found["reads_per_input_byte"] == 1
    assert found["queue_calls"] == 4 * 3 * runs
    assert found["flags_set"] == found["barriers"] == found["scalar_accesses"] == 0


def test_flags_barriers_and_scalars_are_counted(launch):
    assert launch("flag_exp", blocks=4).counters["flags_set"] == 3 * 4
    turns = launch("in_turns", blocks=2, tiles=4).counters
    assert turns["barriers"] == turns["barriers_all"] == 3 * 4 * 2
    scalar = launch("scalar_add", blocks=4, count=64).counters
    assert scalar["scalar_accesses"] == 2 * 4 * 64
    assert scalar["scalar_write_nbytes"] == 4 * 64 * 4


def test_more_blocks_than_cores_share_a_core(launch):
    found = launch("queue_add", blocks=50, tiles=1, tile=1024).counters
    assert (found["blocks"], found["cores_used"]) == (50, 48)
    assert found["max_core_read_nbytes"] == 2 * 2 * 1024 * HALF


@asc.jit
def paired(x: asc.GlobalAddress, gap: asc.constexpr):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1024)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8192 + gap, 1024)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 32768, 1024)
    asc.duplicate(a, 1.0, 1024)
    asc.duplicate(b, 1.0, 1024)
    asc.add(c, a, b, 1024)


@pytest.mark.parametrize("gap, cycles", [(0, 16), (256, 0)])
def test_bank_conflicts_are_the_cycles_lost(gap, cycles):
    """Ascend C bank rule: sources in one bank group cost one cycle more a repeat."""
    run = paired.launch(np.zeros(8, np.float32), gap, blocks=1)
    assert run.counters["bank_conflict_cycles"] == cycles


def _apart(run):
    """The share by a direct count: every MTE2 interval with every V interval."""
    spans = {"MTE2": [], "V": []}
    for event in run.events():
        if event.pipe in spans:
            spans[event.pipe].append((event.block, event.start_cycle, event.end_cycle))
    both = sum(
        max(0.0, min(end, stop) - max(begin, start))
        for block, begin, end in spans["MTE2"]
        for other, start, stop in spans["V"]
        if block == other
    )
    less = min(sum(end - begin for _, begin, end in one) for one in spans.values())
    return 100 * (less - both) / less


@pytest.mark.parametrize("depth", [1, 2])
def test_the_share_that_does_not_overlap_is_that_of_the_events(launch, depth):
    run = launch("queue_add", blocks=5, tiles=6, tile=2048, depth=depth)
    found = run.counters["not_overlapped_percent"]
    assert found == pytest.approx(_apart(run), abs=1e-6)
    assert found == 100 if depth == 1 else found < 30


def test_pipes_that_take_turns_do_not_overlap(launch):
    assert (
        launch("in_turns", blocks=2, tiles=4).counters["not_overlapped_percent"] == 100
    )
    assert launch("flag_exp").counters["not_overlapped_percent"] == 100


def test_the_page_is_the_table():
    path = Path(__file__).resolve().parents[2] / "docs" / "counters.md"
    assert path.read_text(encoding="utf-8") == page()
