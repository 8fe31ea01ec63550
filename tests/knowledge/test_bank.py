"""The bank of the knowledge check: true, complete, even, and no key for readers."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from npucamp.build.coverage import sentences
from npucamp.build.knowledge import BANK, FOLDER, bank_outputs, topics
from npucamp.material import MaterialError
from npugrade.banks import bank
from npugrade.checkers.knowledge import LETTERS, key_of
from npugrade.draw import Ticket, shuffled

ROOT = Path(__file__).parents[2]
TOPICS = topics(ROOT)
QUESTIONS = [question for topic in TOPICS for question in topic.question]
ASSIGNMENT = "k1-knowledge-check"


def test_there_are_at_least_160_questions_spread_over_topics():
    assert len(QUESTIONS) >= 160
    assert min(len(topic.question) for topic in TOPICS) >= 5  # of each, forty draw five


def test_the_committed_bank_is_what_the_sources_give():
    (text,) = bank_outputs(ROOT).values()
    assert (ROOT / BANK).read_text("utf-8") == text


def test_no_two_questions_share_stem_and_answer():
    for language in ("en", "zh"):
        seen = Counter(
            (getattr(q.stem, language), tuple(getattr(r, language) for r in q.right))
            for q in QUESTIONS
        )
        assert [pair for pair, count in seen.items() if count > 1] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_chinese_is_chinese_and_english_is_english(question):
    assert re.search(r"[\u4e00-\u9fff]", question.stem.zh + question.why.zh)
    for text in (question.stem, question.why, *question.right, *question.wrong):
        assert not re.search(r"[\u3000-\u9fff\uff00-\uffef]", text.en)
        assert not re.search(r"[\u4e00-\u9fff][,;:?!]", text.zh)


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q.code], ids=lambda q: q.id
)
def test_an_output_question_prints_its_right_option(question):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(question.code, question.id, "exec"), {})
    assert printed.getvalue().strip() == question.right[0].en


def test_every_sentence_of_the_definitions_is_asked():
    """B §1–§2 and A §1.2 define what the entry level must know."""
    asked = {q.source.split(".")[0] for q in QUESTIONS}
    wanted = {
        one.id.split(".")[0]
        for one in sentences()
        if "B005" <= one.id <= "B029.9" or "A019" <= one.id <= "A022.9"
    }
    headings = {"B005", "B008", "B011", "B015", "B017", "B020", "B023", "B027", "B014"}
    assert wanted - asked - headings - {"B019", "B024", "B025"} <= set()
    assert {"B019", "B024", "B025"} <= asked


def test_wrong_options_say_what_they_believe():
    """Held by the reader; here: no belief stands behind half of them."""
    beliefs = Counter(w.origin for q in QUESTIONS for w in q.wrong)
    assert sum(beliefs.values()) > 450
    assert beliefs.most_common(1)[0][1] < 0.1 * sum(beliefs.values())


# ------------------------------------------------------------- the place of the answer
def _places(place_of) -> Counter[int]:
    places: Counter[int] = Counter()
    for question in (q for q in QUESTIONS if q.kind in ("single", "output")):
        item = bank("k1")["items"][question.id]
        right = question.right[0].en
        stored = [option["en"] for option in item["options"]].index(right)
        places.update(place_of(question.id, stored))
    return places


def _is_even(places: Counter[int]) -> bool:
    """Chi-squared with three degrees of freedom below its 99.9 % point, 16.27."""
    expected = sum(places.values()) / 4
    chi2 = sum((places[place] - expected) ** 2 / expected for place in range(4))
    return chi2 < 16.27


def test_the_right_option_stands_at_every_place_as_often_stored_and_shown():
    def shown(id_: str, stored: int) -> list[int]:
        tickets = (Ticket("class", f"learner-{n}") for n in range(20))
        orders = (shuffled(4, ASSIGNMENT, id_, ticket) for ticket in tickets)
        return [order.index(stored) for order in orders]

    assert _is_even(_places(lambda _, stored: [stored]))
    assert _is_even(_places(shown))
    assert not _is_even(Counter({0: 60, 1: 30, 2: 30, 3: 30}))


# ---------------------------------------------------------------------- what leaks
def test_the_built_bank_tells_no_answer():
    text = (ROOT / BANK).read_text("utf-8")
    fields = {name for item in json.loads(text)["items"].values() for name in item}
    assert fields == {
        "topic",
        "kind",
        "source",
        "lesson",
        "stem",
        "code",
        "options",
        "salt",
        "key",
    }
    for question in QUESTIONS:
        assert question.why.en not in text and question.why.zh not in text


def test_keys_differ_where_options_are_alike_and_salts_are_all_different():
    items = bank("k1")["items"]
    assert len({item["salt"] for item in items.values()}) == len(items)
    assert key_of("a", "00" * 8, {0}) != key_of("b", "00" * 8, {0})
    assert len(LETTERS) >= max(len(item["options"]) for item in items.values())


# -------------------------------------------------------------------------- mistakes
@pytest.mark.parametrize(
    "old, new, said",
    [
        ('kind = "single"', 'kind = "several"', "kind"),
        ('from = "B009.1"', 'from = "B999.1"', "B999.1"),
        ('id = "stack-inner"', 'id = "stack-layers"', "stands twice"),
        ('stem.en = "From', 'stam.en = "From', "question.0.stem.en"),
        ("right = [", "right = ", "1-stack.toml"),
        ('en = "graph optimiser"', 'en = "the training framework"', "the same in en"),
    ],
)
def test_a_mistake_in_a_source_is_named(tmp_path, old, new, said):
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    path = tmp_path / FOLDER / "1-stack.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(MaterialError, match=re.escape(said)):
        topics(tmp_path)
