"""Hazards between the pipes of one core, on streams made by hand."""

from __future__ import annotations

import pytest
from handmade_streams import Streams, codes, ub

X, Y, Z = 0, 8192, 16384  # three tensors of 8 KiB in UB
N = 8192
EVENTS = ("MTE2_V", "V_MTE3", "MTE3_V", "V_MTE2")


def tile_loop(leave_out: str = "", tiles: int = 3, buffers: int = 1) -> Streams:
    """z = x + y by tiles with flags; every tile uses the same lines."""
    s = Streams({"x": N * 8, "y": N * 8, "z": N * 8})
    for tile in range(tiles):
        base = (tile % buffers) * 3 * N
        number = tile % buffers
        again = tile >= buffers
        flag(s, "wait", "V_MTE2", number, again, leave_out)
        for line, (name, at) in enumerate((("x", X), ("y", Y)), 1):
            reads, writes = [s.gm(name, tile * N, N)], [ub(base + at, N)]
            s.step("MTE2", reads, writes, line=line, name="data_copy")
        flag(s, "set", "MTE2_V", number, True, leave_out)
        flag(s, "wait", "MTE2_V", number, True, leave_out)
        flag(s, "wait", "MTE3_V", number, again, leave_out)
        s.step("V", [ub(base + X, N), ub(base + Y, N)], [ub(base + Z, N)], line=3)
        flag(s, "set", "V_MTE2", number, True, leave_out)
        flag(s, "set", "V_MTE3", number, True, leave_out)
        flag(s, "wait", "V_MTE3", number, True, leave_out)
        s.step("MTE3", [ub(base + Z, N)], [s.gm("z", tile * N, N)], line=4)
        flag(s, "set", "MTE3_V", number, True, leave_out)
    s.lines = 4
    s.buffers[3].data = s.buffers[3].data[: tiles * N // 4]
    return s


def flag(s: Streams, kind: str, event: str, number: int, on: bool, leave_out: str):
    if not on or event == leave_out:
        return
    lines = s.lines
    getattr(s, kind)(event, number)
    s.lines = lines
    s.segments[-1].steps[-1] = s.segments[-1].steps[-1]._replace(where=0)


@pytest.mark.parametrize("buffers", [1, 2])
def test_complete_flags_are_silent(buffers):
    assert codes(tile_loop(buffers=buffers, tiles=6)) == []


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize(
    ("event", "code", "lines"),
    [
        ("MTE2_V", "ASC-RACE-15", {(1, 3), (2, 3)}),
        ("V_MTE3", "ASC-RACE-16", {(3, 4)}),
        ("V_MTE2", "ASC-RACE-17", {(3, 1)}),
        ("MTE3_V", "ASC-RACE-17", {(4, 3)}),
    ],
)
def test_each_missing_flag_is_one_kind_of_message(event, code, lines, buffers):
    found = tile_loop(event, tiles=6, buffers=buffers).check()
    assert {d.code for d in found} == {code}
    assert {(d.related[0].line, d.where.line) for d in found} == lines
    assert {d.facts["event"] for d in found} == {event}
    assert all(d.severity == "E" and d.core == 0 for d in found)


def test_facts_name_pipes_kinds_and_exact_bytes():
    s = Streams({"x": N})
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(64, 256)], name="data_copy")
    s.step("V", [ub(128, 512)], [ub(4096, 512)], name="relu")
    raw = next(d for d in s.check() if d.code == "ASC-RACE-15")
    facts = raw.facts
    assert (facts["first_byte"], facts["last_byte"]) == (128, 319)
    assert (facts["hazard"], facts["memory"], facts["buffer"]) == ("RAW", "UB", "t")
    assert facts["first_operation"] == "data_copy"
    assert facts["second_operation"] == "relu"


@pytest.mark.parametrize("pipe", ["MTE2", "ALL"])
def test_overlapping_copies_of_one_pipe_need_a_barrier(pipe):
    def two_copies(barrier: bool) -> Streams:
        s = Streams({"x": N})
        s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
        if barrier:
            s.barrier(pipe)
        s.step("MTE2", [s.gm("x", 256, 256)], [ub(128, 256)])
        return s

    assert codes(two_copies(barrier=True)) == []
    (found,) = two_copies(barrier=False).check()
    assert (found.code, found.facts["hazard"]) == ("ASC-RACE-17", "WAW")
    assert found.facts["event"] == "pipe_barrier(PIPE_MTE2)"
    assert "pipe_barrier(asc.PipeID.PIPE_MTE2)" in found.render("zh")


def test_barrier_of_another_pipe_orders_nothing():
    s = Streams({"x": N})
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
    s.barrier("V")
    s.step("V", [ub(0, 256)], [ub(512, 256)])
    assert codes(s) == ["ASC-RACE-15"]


def test_barrier_all_orders_everything():
    s = Streams({"x": N, "z": 256})
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
    s.barrier("ALL")
    s.step("V", [ub(0, 256)], [ub(512, 256)])
    s.barrier("ALL")
    s.step("S", [ub(512, 4)], [ub(516, 4)])
    s.barrier("ALL")
    s.step("MTE3", [ub(512, 256)], [s.gm("z", 0, 256)])
    assert codes(s) == []


def test_vector_instructions_order_themselves():
    s = Streams()
    s.step("V", [], [ub(0, 256)])
    for _ in range(3):
        s.step("V", [ub(0, 256)], [ub(0, 256)])
    s.step("V", [ub(0, 256)], [ub(128, 256)])
    assert codes(s) == []


@pytest.mark.parametrize("event", ["V_S", None])
def test_scalar_reads_a_vector_result(event):
    s = Streams()
    s.step("V", [], [ub(0, 256)])
    if event:
        s.order(event)
    s.step("S", [ub(0, 4)], [])
    assert codes(s) == ([] if event else ["ASC-RACE-18"])


@pytest.mark.parametrize("event", ["S_V", None])
def test_vector_reads_what_scalar_wrote(event):
    s = Streams()
    s.step("S", [], [ub(0, 4)])
    if event:
        s.order(event)
    s.step("V", [ub(0, 4)], [ub(32, 4)])
    assert codes(s) == ([] if event else ["ASC-RACE-18"])


def test_what_scalar_waited_for_holds_for_all_later_instructions():
    s = Streams({"z": 256})
    s.step("V", [], [ub(0, 256)])
    s.order("V_S")
    s.step("S", [ub(0, 4)], [])
    s.step("MTE3", [ub(0, 256)], [s.gm("z", 0, 256)])
    assert codes(s) == []


def test_scalar_read_is_complete_when_scalar_goes_on():
    s = Streams()
    s.step("V", [], [ub(0, 256)])
    s.order("V_S")
    s.step("S", [ub(0, 4)], [])
    s.step("V", [], [ub(0, 256)])
    assert codes(s) == []


def test_order_is_transitive():
    s = Streams({"x": N})
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
    s.order("MTE2_S")
    s.order("S_MTE3")
    s.order("MTE3_V")
    s.step("V", [ub(0, 256)], [ub(512, 256)])
    assert codes(s) == []


def test_a_flag_covers_only_what_stood_before_the_set():
    s = Streams({"x": N})
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
    s.set("MTE2_V")
    s.step("MTE2", [s.gm("x", 256, 256)], [ub(256, 256)])
    s.wait("MTE2_V")
    s.step("V", [ub(0, 256)], [ub(1024, 256)])
    s.step("V", [ub(256, 256)], [ub(1280, 256)])
    (found,) = s.check()
    assert (found.code, found.related[0].line, found.where.line) == (
        "ASC-RACE-15", 3, 6,
    )  # fmt: skip


def test_flags_with_different_ids_are_different():
    s = Streams({"x": N})
    s.set("MTE2_V", 1)
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
    s.set("MTE2_V", 0)
    s.wait("MTE2_V", 1)
    s.step("V", [ub(0, 256)], [ub(1024, 256)])
    assert codes(s) == ["ASC-RACE-15"]


def test_strided_accesses_that_interleave_are_silent():
    s = Streams({"x": N})
    s.step("MTE2", [s.gm("x", 0, 32, 8, 64)], [ub(0, 32, 8, 64)])
    s.step("V", [], [ub(32, 32, 8, 64)])
    s.step("V", [ub(32, 32, 8, 64)], [ub(4096, 256)])
    assert codes(s) == []
    s.step("V", [ub(32, 33, 7, 64)], [ub(4096, 231)])
    assert codes(s) == ["ASC-RACE-15"]


def test_a_loop_of_hazards_is_one_message_and_the_first_of_them():
    s = Streams({"x": N})
    for _ in range(50):
        s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)], line=1)
        s.step("V", [ub(0, 256)], [ub(512, 256)], line=2)
    s.lines = 2
    found = s.check()
    assert [d.code for d in found].count("ASC-RACE-15") == 1
    assert len(found) <= 2


def test_at_most_twenty_messages_in_program_order():
    s = Streams()
    for row in range(40):
        s.step("V", [ub(row * 64, 32)], [])
    found = s.check()
    assert [d.where.line for d in found] == list(range(1, 21))


def test_parts_of_a_split_group_keep_their_common_past():
    s = Streams({"x": N}, blocks=4)
    s.step("MTE2", [s.gm("x", 0, 256)], [ub(0, 256)])
    root = s.segments[0]
    s.group([0, 1], root)
    s.order("MTE2_V")
    s.step("V", [ub(0, 256)], [ub(512, 256)])
    s.group([2, 3], root)
    s.step("V", [ub(0, 256)], [ub(512, 256)])
    (found,) = s.check()
    assert (found.code, found.core, found.related[0].line) == ("ASC-RACE-15", 2, 1)
