"""The learner's history: kept, robust against broken lines, shown as a ladder."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from npucamp import history
from npucamp.cli import app
from npucamp.history import FILE, KEPT, Attempt, CaseTime, ladder, read, record
from npucamp.lesson.check import check
from npugrade.verdict import Item, Verdict
from npusim.diagnostic import language

FACTS = {
    "v1": {"stage": "right", "cycles": 4000, "base": 8000, "floor": 2000, "hap": 0.75},
    "v2": {"stage": "right"},
}


def attempt(cycles: int, task: str = "z1-add", score: float = 80.0) -> Attempt:
    return Attempt(task, score, (CaseTime("v1", cycles, 8000, 2000),))


def shown(*arguments: str):
    return CliRunner().invoke(app, ["history", *arguments])


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("NPUCAMP_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_an_attempt_keeps_the_cases_that_were_timed():
    made = Attempt.of("z1-add", 80.0, FACTS)
    assert made.cases == (CaseTime("v1", 4000, 8000, 2000),)
    assert made.share == 0.5


def test_what_is_recorded_is_read_back(home):
    wanted = [attempt(c) for c in (9000, 5000)]
    assert all(record(home, one) for one in wanted)
    assert read(home) == wanted


def test_broken_lines_are_passed_over_and_stay(home):
    record(home, attempt(9000))
    with (home / FILE).open("ab") as file:
        file.write(b'{"task": "z1-add", "score": "x"}\n\xff\xfe\n[1]\n')
    record(home, attempt(5000))
    assert [a.cases[0].cycles for a in read(home)] == [9000, 5000]
    assert len((home / FILE).read_bytes().splitlines()) == 5


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert record(tmp_path / "file", attempt(9000)) is False


def test_the_oldest_attempts_of_a_long_history_go(home, monkeypatch):
    monkeypatch.setattr(history, "KEPT", 3)
    record(home, attempt(1, task="other"))
    for cycles in range(100, 107):
        record(home, attempt(cycles))
    assert [a.cases[0].cycles for a in read(home)] == [1, 104, 105, 106]
    assert KEPT > 3


def test_the_ladder_goes_down():
    steps = ladder([attempt(9000), attempt(9500), Attempt("z1-add", 0), attempt(4000)])
    assert [(n, a.cases[0].cycles) for n, a in steps] == [(1, 9000), (3, 4000)]


def test_the_command_shows_the_ladder_in_both_languages(home):
    for cycles in (8000, 4000):
        record(home, attempt(cycles))
    for name, words in (("en", "attempt 2"), ("zh", "第 2 次")):
        language.use(name)
        text = shown("z1-add").stdout
        assert words in text and "4.00" in text and "2.00" in text
    bars = [line.count("█") for line in text.splitlines() if "█" in line]
    assert bars == sorted(bars, reverse=True) and bars[0] == 2 * bars[1]


def test_no_history_is_said_and_an_unknown_task_is_one_line(home):
    assert "No attempts yet" in shown().stdout
    record(home, Attempt("z1-add", 20.0))
    assert "no time to show" in shown().stdout
    failed = shown("z9")
    assert failed.exit_code == 1 and "z1-add" in failed.stderr


def test_a_check_records_an_attempt(home, monkeypatch):
    item = Item("a", {"en": "", "zh": ""}, 1.0, 1.0, "pass")
    verdict = Verdict("z1-add", 90.0, 100.0, (item,), facts=FACTS)
    monkeypatch.setattr("npucamp.lesson.check._verdict", lambda task: verdict)
    check("z1-add")
    assert read(home) == [Attempt.of("z1-add", 90.0, FACTS)]


def test_an_untouched_cell_is_no_attempt(home, monkeypatch):
    item = Item("a", {"en": "", "zh": ""}, 0.0, 1.0, "not-attempted")
    verdict = Verdict("z1-add", 0.0, 100.0, (item,))
    monkeypatch.setattr("npucamp.lesson.check._verdict", lambda task: verdict)
    check("z1-add")
    assert read(home) == []
