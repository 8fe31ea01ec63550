"""The table's numbers are the run's numbers, in every form and language."""

import re

import pytest

from npusim.profile.amounts import figures, nbytes_text, share_text
from npusim.profile.spans import class_spans
from npusim.profile.words import WORDS, parts


def test_numbers_are_those_of_the_run(run):
    row = run.profile.as_dict()
    assert row["Op Name"] == "queue_add"
    assert row["Task Duration(us)"] == run.time_us
    assert row["Block Dim"] == 48
    assert row["aiv_total_cycles"] == sum(run.core_cycles)
    assert row["gm_read(B)"] == 2 * row["gm_write(B)"] == 2 * 48 * 8 * 8192 * 2
    assert row["gm_bw(GB/s)"] == pytest.approx(
        (run.nbytes_read + run.nbytes_written) / (run.time_us * 1e-6) / 1e9
    )
    assert row["roofline_ratio"] == pytest.approx(run.floor_us / run.time_us)
    mean = sum(run.core_cycles) / len(run.core_cycles)
    for pipe, name in (("V", "vec"), ("MTE2", "mte2"), ("MTE3", "mte3")):
        assert row[f"aiv_{name}_ratio"] == pytest.approx(run.pipe_cycles[pipe] / mean)


def test_pipes_know_what_they_moved(run):
    mte2, mte3 = run.profile.pipe("MTE2"), run.profile.pipe("MTE3")
    assert (mte2.nbytes, mte3.nbytes) == (run.nbytes_read, run.nbytes_written)
    assert (mte2.instructions, mte3.instructions) == (48 * 16, 48 * 8)
    assert mte2.copy_nbytes == 8192 * 2
    assert run.profile.pipe("FIX").cycles == 0


def test_spans_agree_with_the_timing(run):
    (part,) = run.timing.classes
    spans = class_spans(part)
    for pipe in ("V", "MTE2", "MTE3"):
        assert spans[pipe].busy_cycles == pytest.approx(run.pipe_cycles[pipe], abs=1)
    # S issues to the end of its last own step; what it issues after that is not known
    assert spans["S"].busy_cycles == pytest.approx(run.pipe_cycles["S"], rel=0.05)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_table_shows_the_numbers(run, language):
    text = run.profile.text(language)
    html = run.profile.html(language)
    shown = [
        f"{figures(run.time_us)} µs", f"{run.cycles:,}", "910B1", "cold", "warm",
        share_text(run.floor_us / run.time_us), nbytes_text(run.nbytes_read), "MTE2",
    ]  # fmt: skip
    for piece in shown:
        assert piece in text
        assert piece in html
    assert language == "en" or not re.search(r"[()]", text.partition("\n")[2])
    has_chinese = any("一" <= c <= "鿿" for c in text)
    assert has_chinese == (language == "zh")


def test_both_languages_one_after_the_other(run):
    both = run.profile.text("both")
    assert both == run.profile.text("en") + "\n" + run.profile.text("zh")
    with pytest.raises(ValueError, match="en, zh, both"):
        run.profile.text("fr")


def test_repr_follows_the_session(run, monkeypatch):
    monkeypatch.setattr("npusim.profile.counters.current", lambda: "zh")
    assert repr(run.profile) == run.profile.text("zh")
    assert run.profile._repr_html_() == run.profile.html("zh")


def test_every_word_exists_in_both_languages():
    for key in WORDS:
        assert set(WORDS._table[key]) == {"en", "zh"}, key
        assert all(text.strip() for text in WORDS._table[key].values()), key
    assert parts("both") == ("en", "zh")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.1234, "0.123"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1,234")],
)
def test_figures(value, text):
    assert figures(value) == text


def test_amounts():
    assert nbytes_text(402_653_184) == "403 MB"
    assert nbytes_text(12) == "12 B"
    assert share_text(0.0312) == "3.1%"
    assert share_text(0.966) == "97%"
