"""Global memory: between cores, inside a core, never written, left out."""

from __future__ import annotations

import numpy as np
import pytest
from handmade_streams import FAULT, Streams, codes, ub

from npusim.check import mark_written

BLOCKS = np.arange(8)


def copy_out(s: Streams, name: str, offset, nbytes: int, **more) -> None:
    s.step("V", [], [ub(0, 8192)], line=1)
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, nbytes)], [s.gm(name, offset, nbytes, **more)])
    s.order("MTE3_V")


# ---------------------------------------------------------------------- between cores
@pytest.mark.parametrize("pitch", [256, 512])
def test_disjoint_shares_are_silent(pitch):
    s = Streams({"z": 8 * pitch}, blocks=8)
    for part in range(0, pitch, 128):
        copy_out(s, "z", BLOCKS * pitch + part, 128)
    assert codes(s) == []


def test_shares_dealt_in_turn_are_silent():
    s = Streams({"z": 8 * 128 * 4}, blocks=8)
    for turn in range(4):
        copy_out(s, "z", (turn * 8 + BLOCKS) * 128, 128)
    assert codes(s) == []


def test_interleaved_strided_shares_are_silent():
    s = Streams({"z": 8 * 32 * 16}, blocks=8)
    copy_out(s, "z", BLOCKS * 32, 32, count=16, pitch=256)
    assert codes(s) == []


def test_a_tail_rounded_up_hits_the_neighbour():
    s = Streams({"z": 8 * 1000 + 24}, blocks=8)
    copy_out(s, "z", BLOCKS * 1000, 1024)
    (found,) = s.check()
    facts = found.facts
    assert found.code == "ASC-GM-06"
    assert (facts["first_core"], facts["second_core"], found.core) == (0, 1, 1)
    assert (facts["first_byte"], facts["last_byte"]) == (1000, 1023)
    assert facts["buffer"] == "z"


def test_all_blocks_write_the_same_place():
    s = Streams({"z": 256}, blocks=8)
    copy_out(s, "z", 0, 256)
    assert codes(s) == ["ASC-GM-06"]


def test_groups_with_different_streams_are_compared():
    s = Streams({"z": 512})
    copy_out(s, "z", 0, 256)
    s.group([1])
    copy_out(s, "z", 224, 288)
    (found,) = s.check()
    assert (found.code, found.facts["first_byte"]) == ("ASC-GM-06", 224)
    assert found.related[0].line < found.where.line


def test_unevenly_spaced_blocks_are_exact():
    s = Streams({"z": 4096}, blocks=4)
    copy_out(s, "z", np.array([0, 1024, 256, 3072]), 256)
    copy_out(s, "z", np.array([512, 1280, 768, 3328]), 256)
    assert [d for d in codes(s) if d != "ASC-TILE-26"] == []
    copy_out(s, "z", np.array([2048, 2300, 2560, 2816]), 256)
    assert codes(s)[0] == "ASC-GM-06"


def test_reading_what_another_block_writes():
    s = Streams({"z": 8 * 256}, blocks=8)
    halo = np.maximum(BLOCKS * 256 - 32, 0)
    s.step("MTE2", [s.gm("z", halo, 256)], [ub(0, 256)])
    s.order("MTE2_V")
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, 256)], [s.gm("z", BLOCKS * 256, 256)])
    found = s.check()
    assert {d.code for d in found} == {"ASC-GM-06b"}
    facts = found[0].facts
    assert (facts["first_core"], facts["second_core"]) == (0, 1)
    assert (facts["first_byte"], facts["last_byte"]) == (224, 255)


def test_in_place_update_is_silent():
    s = Streams({"z": 8 * 256}, blocks=8)
    s.step("MTE2", [s.gm("z", BLOCKS * 256, 256)], [ub(0, 256)])
    s.order("MTE2_V")
    s.step("V", [ub(0, 256)], [ub(0, 256)])
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, 256)], [s.gm("z", BLOCKS * 256, 256)])
    assert codes(s) == []


# ---------------------------------------------------------------------- inside a core
def round_trip(ordered: bool, blocks: int = 1) -> Streams:
    share = np.arange(blocks) * 256 if blocks > 1 else 0
    s = Streams({"w": blocks * 256}, blocks=blocks)
    s.step("V", [], [ub(0, 256)])
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, 256)], [s.gm("w", share, 256)])
    if ordered:
        s.order("MTE3_MTE2")
    s.step("MTE2", [s.gm("w", share, 256)], [ub(512, 256)])
    return s


@pytest.mark.parametrize("blocks", [1, 8])
def test_write_then_read_of_the_same_bytes_needs_order(blocks):
    assert codes(round_trip(True, blocks)) == []
    (found,) = round_trip(False, blocks).check()
    assert (found.code, found.facts["hazard"]) == ("ASC-RACE-17", "RAW")
    assert found.facts["memory"] == "GM"
    assert found.facts["event"] == "MTE3_MTE2"
    assert found.core == 0


def test_copies_out_that_overlap_inside_a_block_need_order():
    s = Streams({"z": 480})
    copy_out(s, "z", 0, 256)
    copy_out(s, "z", 224, 256)
    assert codes(s) == []  # the chain MTE3_V, V_MTE3 orders them
    s = Streams({"z": 480})
    s.step("V", [], [ub(0, 512)])
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, 256)], [s.gm("z", 0, 256)])
    s.step("MTE3", [ub(224, 256)], [s.gm("z", 224, 256)])
    (found,) = s.check()
    assert (found.code, found.facts["hazard"]) == ("ASC-RACE-17", "WAW")


# ---------------------------------------------------------------------- never written
def test_reading_local_memory_that_nothing_wrote():
    s = Streams({"x": 256})
    s.step("MTE2", [s.gm("x", 0, 96)], [ub(0, 96)])
    s.order("MTE2_V")
    s.step("V", [ub(0, 128)], [ub(512, 128)])
    (found,) = s.check()
    facts = found.facts
    assert (found.code, facts["nbytes"], facts["byte"]) == ("ASC-INIT-11", 32, 96)


def test_reading_padding_and_overwriting_it():
    def padded(fill: bool) -> Streams:
        s = Streams({"x": 256})
        writes = [ub(0, 26, 4, 32), ub(26, 6, 4, 32, undefined=True)]
        s.step("MTE2", [s.gm("x", 0, 26, 4, 26)], writes, name="data_copy_pad")
        s.order("MTE2_V")
        if fill:
            s.step("V", [], [ub(26, 6, 4, 32)])
        s.step("V", [ub(0, 128)], [ub(512, 128)])
        return s

    assert codes(padded(fill=True)) == []
    (found,) = padded(fill=False).check()
    assert (found.code, found.facts["nbytes"]) == ("ASC-PAD-04", 24)
    assert found.facts["writer"] == "data_copy_pad"
    assert found.related[0].line == 1


def empty(blocks: int = 4) -> Streams:
    s = Streams({"w": blocks * 256}, blocks=blocks)
    s.buffer("w").written = np.zeros(blocks * 256, bool)
    return s


def test_reading_device_memory_that_nothing_wrote():
    s = empty()
    s.step("MTE2", [s.gm("w", np.arange(4) * 256, 256)], [ub(0, 256)])
    (found,) = s.check()
    assert (found.code, found.core) == ("ASC-INIT-11b", 0)
    s.buffer("w").written[: 3 * 256] = True
    (found,) = s.check()
    assert (found.core, found.facts["nbytes"], found.facts["byte"]) == (3, 256, 768)
    s.buffer("w").written[:] = True
    assert codes(s) == []


def test_reading_device_memory_that_the_block_wrote_before():
    s = empty()
    share = np.arange(4) * 256
    s.step("V", [], [ub(0, 256)])
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, 256)], [s.gm("w", share, 256)])
    s.order("MTE3_MTE2")
    s.step("MTE2", [s.gm("w", share, 256)], [ub(512, 256)])
    assert codes(s) == []


def test_reading_device_memory_before_the_block_writes_it():
    s = empty()
    share = np.arange(4) * 256
    s.step("MTE2", [s.gm("w", share, 256)], [ub(0, 256)])
    s.order("MTE2_V")
    s.order("V_MTE3")
    s.step("MTE3", [ub(0, 256)], [s.gm("w", share, 256)])
    assert codes(s) == ["ASC-INIT-11b"]


def test_mark_written_notes_exactly_the_written_bytes():
    s = empty()
    copy_out(s, "w", np.arange(4) * 256, 32, count=2, pitch=64)
    mark_written(s.execution())
    expected = np.zeros(1024, bool)
    for start in range(0, 1024, 256):
        expected[start : start + 32] = expected[start + 64 : start + 96] = True
    assert (s.buffer("w").written == expected).all()


# --------------------------------------------------------------------------- left out
@pytest.mark.parametrize(("output", "severity"), [(True, "E"), (False, "W")])
def test_a_dropped_remainder_is_counted(output, severity):
    s = Streams({"z": 1003 * 4})
    s.buffer("z").output = output
    copy_out(s, "z", 0, 986 * 4)
    (found,) = s.check()
    assert (found.code, found.severity) == ("ASC-TILE-26", severity)
    facts = found.facts
    assert (facts["count"], facts["total"]) == (17, 1003)
    assert (facts["first"], facts["last"]) == (986, 1002)


def test_an_output_that_nothing_writes():
    s = Streams({"z": 64})
    s.buffer("z").output = True
    (found,) = s.check()
    assert (found.code, found.facts["count"], found.where) == ("ASC-TILE-26", 16, None)


def test_outputs_are_complete_over_several_launches():
    s = Streams({"z": 64})
    buffer = s.buffer("z")
    buffer.output, buffer.written = True, np.zeros(64, bool)
    buffer.written[:32] = True
    copy_out(s, "z", 32, 32)
    assert codes(s) == []


def test_outputs_are_not_judged_after_a_fault():
    s = Streams({"z": 64})
    s.buffer("z").output = True
    assert s.check(faults=(FAULT,)) == ()
