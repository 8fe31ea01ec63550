"""The check is an observer: it changes nothing, is deterministic, and is cheap."""

from __future__ import annotations

import copy

import numpy as np
from handmade_streams import Streams, ub
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim.check.cells import Cells, Touch
from npusim.check.clocks import PIPES
from npusim.check.intervals import gaps, merge


def test_streams_and_buffers_are_left_as_they_were():
    s = Streams({"x": 4096}, blocks=4)
    s.step("MTE2", [s.gm("x", np.arange(4) * 256, 256)], [ub(0, 256)])
    s.step("V", [ub(0, 256)], [ub(512, 256)])
    before = copy.deepcopy(s.segments[0].steps)
    first, second = s.check(), s.check()
    assert first == second
    assert repr(before) == repr(s.segments[0].steps)


SPANS = st.tuples(st.integers(0, 40), st.integers(0, 12))


@given(st.lists(SPANS, max_size=12))
@settings(max_examples=100, deadline=None)
def test_merge_and_gaps_agree_with_a_bitmap(spans):
    bitmap = np.zeros(64, bool)
    for start, length in spans:
        bitmap[start : start + length] = True
    begin = np.array([s for s, _ in spans], np.int64)
    end = begin + np.array([n for _, n in spans], np.int64)
    left, right = merge(begin, end)
    rebuilt = np.zeros(64, bool)
    for a, b in zip(left, right, strict=True):
        rebuilt[a:b] = True
    assert (rebuilt == bitmap).all()
    assert sum(b - a for a, b in gaps(left, right, 64)) == int((~bitmap).sum())
    assert (left[1:] > right[:-1]).all()


@given(st.lists(st.tuples(SPANS, st.booleans(), st.sampled_from([1, 4])), max_size=20))
@settings(max_examples=150, deadline=None)
def test_cells_agree_with_a_history_kept_byte_by_byte(accesses):
    """With no order known, every overlap of two pipes (or two copies) is a clash."""
    cells, clock = Cells(), (0,) * len(PIPES)
    writer = [None] * 64
    for order, ((start, length), is_write, pipe) in enumerate(accesses, 1):
        access = ub(start, length)
        kind = "write" if is_write else "read"
        touch = Touch(pipe, order, None, access, kind, order)
        if length == 0:
            continue
        look = cells.write if is_write else cells.read
        troubles = list(look(start, start + length, touch, clock))
        if not is_write:
            fresh = {
                byte
                for t in troubles
                if hasattr(t, "contents")
                for byte in range(t.begin, t.end)
            }
            expected = {b for b in range(start, start + length) if writer[b] is None}
            assert fresh == expected
            clashes = {
                byte
                for t in troubles
                if hasattr(t, "first")
                for byte in range(t.begin, t.end)
            }
            assert clashes == {
                b
                for b in range(start, start + length)
                if writer[b] is not None and (writer[b] != pipe or pipe == 4)
            }
        else:
            for byte in range(start, start + length):
                writer[byte] = pipe
