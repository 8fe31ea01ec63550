"""explain: asks, looks for key words, saves, shows the model answer last."""

from __future__ import annotations

import pytest

from npucamp import explain
from npucamp.journal import entries
from npucamp.lesson.explain import count_words, names
from npusim.diagnostic import language

pytestmark = pytest.mark.usefixtures("small")
MODEL = "both stand idle in turn"


def test_without_an_answer_the_question_stands_there():
    language.use("en")
    text = repr(explain("t1-why"))
    assert "Why is the picture full of gaps?" in text and "5 words" in text
    assert MODEL not in text and entries() == []


def test_a_short_answer_is_saved_and_asked_for_more():
    language.use("en")
    shown = explain("t1-why", "MTE2 waits")
    assert shown.outcome == "short" and MODEL not in repr(shown) + shown.html()
    assert entries()[-1].detail == "MTE2 waits"
    assert "MTE2 waits" in repr(explain("t1-why"))


def test_an_empty_answer_is_none():
    assert explain("t1-why", "  ").outcome == "open" and entries() == []


def test_a_full_answer_is_compared():
    language.use("en")
    shown = explain("t1-why", "the vector unit has nothing to do until data is there")
    assert shown.named == (False, False) and MODEL in repr(shown)
    shown = explain("t1-why", "it waits until the Copy  In is through")
    assert shown.named == (True, True)
    assert "2 of 2" in repr(shown) and "key words only" in repr(shown)
    assert [e.outcome for e in entries()] == ["compared", "compared"]


def test_chinese_is_counted_by_character():
    language.use("zh")
    shown = explain("t1-why", "Ｖ在等搬入")
    assert shown.outcome == "compared" and shown.named == (True, True)
    assert "轮流空闲" in shown.html()


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("one two", 2), ("don't stop", 2), ("等 MTE2 搬完", 4), ("… – !", 0)],
)
def test_words_are_counted(text, count):
    assert count_words(text) == count


@pytest.mark.parametrize(
    ("answer", "word", "found"),
    [
        ("it waits", "wait", True),
        ("the buffer is unaligned", "align", False),
        ("ALIGNED to 32 B", "align", True),
        ("even more", "V", False),
        ("用V计算", "V", True),
        ("V, then MTE3", "v", True),
        ("UBs", "UB", False),
        ("copy\n in", "copy in", True),
        ("先搬入再算", "搬入", True),
        ("32 B", "32", True),
        ("132", "32", False),
        ("a*b", "a*b", True),
        ("ＭＴＥ２", "MTE2", True),
    ],
)
def test_key_words(answer, word, found):
    assert names(answer, word) is found


def test_a_long_answer_is_kept_in_part_only():
    explain("t1-why", "wait " * 5000)
    assert len(entries()[-1].detail) == 4000


def test_an_unknown_id_is_said():
    language.use("en")
    assert "t1-why" in repr(explain("t1-what")) and "t1-why" in repr(explain(None))


def test_the_box_saves_and_compares():
    language.use("en")
    explain("t1-why", "too short")
    head, box, button, result = explain("t1-why").widget().children
    assert box.value == "too short"
    box.value = "it waits for MTE2 again and again"
    button.click()
    assert MODEL in result.value and entries()[-1].detail == box.value
    assert explain("t1-why", box.value).widget() is None
