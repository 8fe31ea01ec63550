"""The journal: append-only, robust, no clock; nothing is lost by what a disk does."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from npucamp import journal, predict, records
from npucamp.journal import FILE, Entry, entries, note, read, unsaved
from npucamp.lesson.check import check


def test_what_is_noted_is_read_back(home):
    assert note("predict", "z1-start", "right", "6144")
    assert read(home) == [Entry("predict", "z1-start", "right", "6144")]


def test_running_a_cell_twice_adds_nothing(home):
    for outcome in ("wrong", "wrong", "right", "right", "wrong"):
        note("quiz", "z1-a", outcome)
    assert [e.outcome for e in read(home)] == ["wrong", "right", "wrong"]


def test_no_line_holds_a_time(home):
    note("begin", "z1", "begun")
    before = (home / FILE).read_bytes()
    (home / FILE).unlink()
    note("begin", "z1", "begun")
    assert (home / FILE).read_bytes() == before


def test_broken_lines_are_passed_over_and_stay(home):
    note("quiz", "z1-a", "right")
    broken = b'{"kind":"quiz"}\n\xff\xfe\n[1]\n7\nnull\n{"kind":"x","id":"a"}\n' + (
        b"[" * 100_000 + b"\n"
    )
    with (home / FILE).open("ab") as file:
        file.write(broken)
    note("quiz", "z1-b", "right")
    assert [e.id for e in read(home)] == ["z1-a", "z1-b"]
    assert broken in (home / FILE).read_bytes()


def test_a_line_cut_short_spoils_only_itself(home):
    note("quiz", "z1-a", "right")
    with (home / FILE).open("ab") as file:
        file.write(b'{"kind":"quiz","id":"z1-b","outc')
    note("quiz", "z1-c", "right")
    assert [e.id for e in read(home)] == ["z1-a", "z1-c"]


@pytest.mark.parametrize("text", ["a\nb", "\u2028", "\x85\x0b", "\ud800", "“中文”"])
def test_any_text_is_one_line(home, text):
    note("explain", "z1-why", "short", text)
    note("quiz", "z1-a", "right")
    assert len(read(home)) == 2
    assert read(home)[0].detail.replace("?", "\ud800") == text


def test_a_folder_that_cannot_be_written_keeps_the_session(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("NPUCAMP_HOME", str(blocked))
    assert note("quiz", "z1-a", "right") is False
    assert [e.id for e in entries()] == ["z1-a"] and unsaved() == 1
    blocked.unlink()
    assert note("quiz", "z1-b", "right")
    assert [e.id for e in read(blocked)] == ["z1-a", "z1-b"] and unsaved() == 0


def test_a_full_disk_loses_nothing(home, monkeypatch):
    note("quiz", "z1-a", "right")
    real = os.write

    def full(handle, data):
        real(handle, data[:10])
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(records.os, "write", full)
    assert note("quiz", "z1-b", "right") is False
    monkeypatch.setattr(records.os, "write", lambda h, data: real(h, data[:7]))
    assert note("quiz", "z1-c", "right") is False
    monkeypatch.setattr(records.os, "write", real)
    assert [e.id for e in entries()] == ["z1-a", "z1-b", "z1-c"]
    assert note("quiz", "z1-d", "right")
    assert [e.id for e in read(home)] == ["z1-a", "z1-b", "z1-c", "z1-d"]


def _many(arguments):
    folder, name = arguments
    os.environ["NPUCAMP_HOME"] = folder
    for number in range(50):
        journal.note("explain", f"{name}-{number}", "short", "x" * 2000)


def test_two_sessions_do_not_mix_their_lines(home):
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_many, [(str(home), "a"), (str(home), "b")]))
    found = read(home)
    assert len(found) == 100 and {len(e.detail) for e in found} == {2000}


def test_grading_a_submission_keeps_nothing(home, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    predict("z1-start", 1, 2)
    assert entries() == []


# ------------------------------------------------------------------------- the helpers
def test_a_guess_is_noted_and_no_guess_is_not():
    predict("z1-start", None, 6144)
    assert entries() == []
    predict("z1-start", 7, 6144)
    assert entries() == [Entry("predict", "z1-start", "wrong", "7")]


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [(True, "done"), (False, "open"), (None, "open"), ([True, False], "open")],
)
def test_a_turn_is_done_where_its_condition_holds(condition, outcome):
    import numpy as np

    value = np.array(condition) if isinstance(condition, list) else condition
    shown = check("z1-turn-triple", value)
    assert shown.done is (outcome == "done")
    assert entries() == [Entry("turn", "z1-turn-triple", outcome)]
