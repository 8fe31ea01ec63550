"""Draws: the same on every machine, other for each learner, even over the topics."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npucamp import draw
from npucamp.build.assignments import source_notebook
from npugrade.banks import bank, bank_groups
from npugrade.checkers.knowledge import LETTERS, key_of
from npugrade.classroom.assign import assign
from npugrade.classroom.folder import create_class
from npugrade.classroom.settings import load_settings
from npugrade.client import run_judge
from npugrade.draw import Ticket, class_key, draw_text, drawn, read_draw, shuffled
from npugrade.taskparts import Draw

ASSIGNMENT, TASK = "k1-knowledge-check", "k1-knowledge"
GROUPS = bank_groups("k1")
SEED = "ab" * 32


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_draw_has_forty_different_questions_five_of_each_topic(key, learner):
    ids = drawn(GROUPS, 40, ASSIGNMENT, Ticket(key, learner))
    topics = Counter(bank("k1")["items"][id_]["topic"] for id_ in ids)
    assert len(set(ids)) == 40
    assert set(topics.values()) == {5}
    assert ids == drawn(GROUPS, 40, ASSIGNMENT, Ticket(key, learner))


def test_learners_classes_and_assignments_draw_differently():
    tickets = [Ticket(key, who) for key in ("a", "b") for who in ("x", "y")]
    draws = {drawn(GROUPS, 40, ASSIGNMENT, ticket) for ticket in tickets}
    draws.add(drawn(GROUPS, 40, "other", tickets[0]))
    assert len(draws) == 5


def test_over_many_learners_every_question_is_drawn_about_as_often():
    counts = Counter(
        id_
        for number in range(200)
        for id_ in drawn(GROUPS, 40, ASSIGNMENT, Ticket("class", str(number)))
    )
    assert len(counts) == 160
    assert min(counts.values()) > 25 and max(counts.values()) < 80  # 50 on average


def test_more_than_the_bank_has_is_refused():
    with pytest.raises(ValueError, match="160"):
        drawn(GROUPS, 161, ASSIGNMENT, Ticket())


def test_the_text_of_a_draw_gives_it_back():
    ticket = Ticket("key", "a learner")
    text = draw_text(Draw(bank="k1", count=8), ASSIGNMENT, ticket)
    found, ids = read_draw(text)
    assert found == ticket and len(ids) == 8


# ------------------------------------------------------------------ learner and judge
def right_letters(ticket: Ticket) -> dict[int, str]:
    """Found by trying all sets of options against the salted hashes."""
    _, ids = read_draw(draw_text(Draw(bank="k1", count=40), ASSIGNMENT, ticket))
    return {n: _right(id_, ticket) for n, id_ in enumerate(ids, start=1)}


def _right(id_: str, ticket: Ticket) -> str:
    item = bank("k1")["items"][id_]
    count = len(item["options"])
    for bits in range(1, 1 << count):
        chosen = {place for place in range(count) if bits >> place & 1}
        if key_of(id_, item["salt"], chosen) == item["key"]:
            order = shuffled(count, ASSIGNMENT, id_, ticket)
            return "".join(
                LETTERS[shown] for shown, place in enumerate(order) if place in chosen
            )
    raise AssertionError(id_)


def answer(letters: dict[int, str]) -> str:
    return f"def answers():\n    return {letters!r}\n"


def test_what_a_learner_of_a_class_is_shown_is_what_is_graded():
    ticket = Ticket(class_key(SEED), "ada")
    letters = right_letters(ticket)
    pair = (ticket.key, ticket.learner)
    full = run_judge(TASK, answer(letters), seed=SEED, ticket=pair)
    assert full.score == 100.0
    other = run_judge(TASK, answer(letters), seed=SEED, ticket=(ticket.key, "bob"))
    assert other.score < 70.0  # a friend's letters are worth what guessing is worth
    letters[7] = ""
    less = run_judge(TASK, answer(letters), seed=SEED, ticket=pair)
    assert less.score == pytest.approx(100 * 40 / 41, abs=1e-4)


def test_feedback_names_question_lesson_and_source_and_no_letter():
    ticket = Ticket(class_key(SEED), "ada")
    letters = {**right_letters(ticket), 3: "a", 4: "a", 5: "a"}
    pair = (ticket.key, ticket.learner)
    verdict = run_judge(TASK, answer(letters), seed=SEED, ticket=pair)
    missed = [line for line in verdict.text("en").splitlines() if "not right" in line]
    assert 1 <= len(missed) <= 3
    assert all(re.search(r"lesson [A-Z]\d, source \S+", line) for line in missed)


def test_without_a_seed_a_check_tells_the_form_only():
    ticket = (class_key(SEED), "ada")
    verdict = run_judge(TASK, answer({1: "a"}), ticket=ticket)
    assert verdict.score == 100.0  # of what it may tell: the hidden ones are not run
    assert "40 hidden" in verdict.text("en")
    wrong = run_judge(TASK, answer({41: "a"}), ticket=ticket)
    assert "41" in wrong.text("en") and wrong.score == 0.0


@pytest.mark.parametrize(
    "text, said",
    [
        ("def answers():\n    return []\n", "dict"),
        ("def answers():\n    return {1: 'aa'}\n", "each once"),
        ("def answers():\n    return {1: 5}\n", "letters"),
        ("def answers():\n    return {'1': 'a'}\n", "no question"),
        ("def answers():\n    return {1: 'a, c'}\n", ""),
    ],
)
def test_the_form_is_explained(text, said):
    verdict = run_judge(TASK, text)
    assert (verdict.score == 100.0) == (not said)
    assert said in verdict.text("en")


def test_a_class_writes_its_key_into_the_notebook(tmp_path):
    folder = tmp_path / "camp"
    create_class(folder, "npu101")
    path = assign(folder, ASSIGNMENT, source_notebook(ASSIGNMENT))
    key = class_key(load_settings(folder).seed)
    assert f'key=\\"{key}\\"' in path.read_text("utf-8")
    assert load_settings(folder).seed not in path.read_text("utf-8")
    assert assign(folder, ASSIGNMENT, source_notebook(ASSIGNMENT)) == path  # no change


def test_draw_shows_every_question_in_both_languages(monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")
    shown = draw(ASSIGNMENT, key=class_key(SEED))
    assert shown.ticket.learner == "ada"
    text, page = shown.text(), shown.html()
    for number in range(1, 41):
        assert f"{number}. " in text and f"<b>{number}.</b>" in page
    with pytest.raises(ValueError, match="z1-vector-add"):
        draw("z1-vector-add")
