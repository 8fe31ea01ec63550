"""The bank rule against the published cases and against closed forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npusim.timing.banks import BankRule, blocks_of, fullest, waiting_cycles

RULE = BankRule(block=32, groups=16, window=65536, delay=17)
KIB = 1024
# Ascend C samples (bank_conflict_ub): 64-repeat fp32 Add at 1.85 GHz, cycles; a call
# takes 7.4 cycles more than from the first read to the last write
REPEATS, OVERHEAD = 64, 7.4


def dense(address):
    return address, 32, 256, 8


def total(*operands):
    """Cycles from the first read to the last write of a 64-repeat instruction."""
    target, *sources = operands
    blocks = {
        (a // 32 + i) % 16 for a, *_ in dict.fromkeys(sources, 0) for i in range(8)
    }
    distinct = {a for a, *_ in sources}
    shared = len(distinct) == 2 and len(blocks) < 16
    reads = REPEATS * (2 if shared else 1)
    return reads + 17 + waiting_cycles(operands, REPEATS, 1.0, RULE)


@pytest.mark.parametrize(
    "name, operands, cycles",
    [
        ("none", (dense(65536), dense(0), dense(16384 + 256)), 88.4),
        ("two sources of one group", (dense(65536), dense(0), dense(16384)), 154.2),
        ("source and result of one bank, aligned",
         (dense(0), dense(32768), dense(65536 + 256)), 88.4),
        ("exact overlap", (dense(0), dense(0), dense(65536 + 256)), 88.4),
    ],
)  # fmt: skip
def test_published_cases(name, operands, cycles):
    assert total(*operands) + OVERHEAD == pytest.approx(cycles, rel=0.03), name


def test_writes_elsewhere_stop_no_read():
    assert waiting_cycles((dense(65536), dense(0)), 255, 1.0, RULE) == 0


def test_a_result_half_a_row_off_stops_reads():
    """17 repeats later the write falls on the groups being read."""
    late = dense(32768 + 256)
    assert waiting_cycles((late, dense(0)), REPEATS, 1.0, RULE) > 0


def test_a_result_in_one_group_is_written_block_by_block():
    column = (65536, 512, 32, 8)  # 8 blocks, 16 apart
    assert fullest([block * 16 for block in range(8)], 16) == 8
    assert waiting_cycles((column, dense(0)), 32, 1.0, RULE) == 0  # another window
    near = (32768, 512, 32, 8)
    assert waiting_cycles((near, dense(0)), 32, 1.0, RULE) > 0


@given(
    target=st.integers(0, 4095),
    source=st.integers(0, 4095),
    repeats=st.integers(2, 255),
)
def test_waits_are_bounded_and_move_with_the_window(target, source, repeats):
    operands = dense(target * 32), dense(source * 32)
    found = waiting_cycles(operands, repeats, 1.0, RULE)
    assert 0 <= found <= repeats + 17
    moved = tuple((low + 65536, *rest) for low, *rest in operands)
    assert waiting_cycles(moved, repeats, 1.0, RULE) == found


def test_reads_that_enter_another_window_wait_no_more():
    """A result half a row off stops reads as long as both are in one 64 KiB window."""
    operands = dense(65536 - 32 * 256 + 256), dense(0)
    short, long = (waiting_cycles(operands, n, 1.0, RULE) for n in (31, 200))
    assert 0 < short == pytest.approx(long, abs=2)


def followed(operands, repeats, interval):
    """The rule word by word: every repeat, every write that was ever made."""

    def banks(blocks):
        return {(block // 2048, block % 16) for block in blocks}

    ready, lost, writes = 0, 0, []
    for number in range(repeats):
        target, *sources = [blocks_of(o, number, RULE) for o in operands]
        every = frozenset().union(*sources)
        ways = fullest(every, 16)
        steps = [every] * ways
        if ways == len(sources) == 2 and max(fullest(s, 16) for s in sources) == 1:
            steps = sources
        time = ready
        for blocks in steps:
            begin = time
            for start, end, busy in writes:
                if start < time + 1 and time < end and busy & banks(blocks):
                    time = end
            lost += time - begin
            time += 1
        start = max([time - 1 + 17, *(end for _, end, _ in writes[-1:])])
        written = fullest(target, 16)
        writes.append((start, start + written, banks(target)))
        ready = max(time, ready + interval * max(len(steps), written))
    return lost


operand = st.tuples(
    st.integers(0, 6000).map(lambda block: 32 * block),
    st.sampled_from([0, 32, 32, 64, 512]),
    st.sampled_from([0, 32, 256, 256, 288, 512, 1024]),
    st.sampled_from([1, 4, 8]),
)


@given(
    target=operand,
    sources=st.lists(operand, min_size=1, max_size=2),
    repeats=st.integers(2, 90),
    interval=st.sampled_from([1.0, 2.0, 7.0]),
)
def test_short_cuts_lose_no_cycle(target, sources, repeats, interval):
    operands = target, *sources
    exact = followed(operands, repeats, interval)
    assert waiting_cycles(operands, repeats, interval, RULE) == exact
