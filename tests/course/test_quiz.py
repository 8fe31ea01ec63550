"""quiz: shown, answered, reasoned, remembered; never raises."""

from __future__ import annotations

import pytest
from lessondata import TEXT, write

from npucamp import quiz
from npucamp.journal import Entry, entries
from npusim.diagnostic import language

pytestmark = pytest.mark.usefixtures("small")


def letters(id: str) -> dict[str, str]:
    """English text of an option → its letter."""
    return {option.en: x for x, option in quiz(id).question.options.items()}


def asked_outcomes() -> list[tuple[str, str]]:
    return [(e.outcome, e.detail) for e in entries() if e.kind == "quiz"]


def test_the_question_is_readable_text():
    language.use("en")
    text = repr(quiz("t1-order"))
    assert "Which pipe runs `data_copy` into UB?" in text
    assert 'quiz("t1-order", "a")' in text
    assert "MTE2 moves" not in text and entries() == []


def test_a_right_answer_says_why():
    language.use("en")
    shown = quiz("t1-order", letters("t1-order")["MTE2"])
    assert shown.outcome == "right"
    assert "right" in repr(shown) and "MTE2 moves from GM to UB." in repr(shown)
    assert "MTE3 moves out." not in repr(shown)


def test_a_wrong_answer_gives_its_reason_and_not_the_right_one():
    language.use("zh")
    wrong = letters("t1-order")["MTE3"]
    shown = quiz("t1-order", f" {wrong.upper()} ")
    assert shown.outcome == "wrong"
    for text in (repr(shown), shown.html()):
        assert "MTE3 负责搬出。" in text and "MTE2 负责" not in text
    assert asked_outcomes() == [("wrong", wrong)]


@pytest.mark.parametrize("join", [",", "，", " ", ";", "、", ", ", ""])
def test_several_answers(join):
    at = letters("t1-several")
    both = join.join([at["MTE3"], at["MTE2"]])
    assert quiz("t1-several", both).outcome == "right"
    assert quiz("t1-several", [at["MTE2"], at["MTE3"]]).outcome == "right"


def test_some_of_several_is_not_all():
    at = letters("t1-several")
    assert quiz("t1-several", at["MTE2"]).outcome == "part"
    assert quiz("t1-several", [at["MTE2"], at["V"]]).outcome == "wrong"
    assert quiz("t1-several", "a,b,c").outcome == "wrong"


@pytest.mark.parametrize("answer", ["z", "", "ab", "MTE2", 3, [], ["a", None], "a,b"])
def test_what_is_no_answer_is_said_and_not_kept(answer):
    for name in ("en", "zh"):
        language.use(name)
        shown = quiz("t1-order", answer)
        assert shown.outcome == "open" and shown.trouble in repr(shown)
        assert shown.trouble and entries() == []


@pytest.mark.parametrize("id", ["t1-none", "", None, 7, "t9-order"])
def test_an_unknown_id_is_said_with_the_known_ones(id):
    language.use("en")
    assert "t1-order, t1-several" in repr(quiz(id))
    assert "t1-order" in quiz(id).html()


def test_a_broken_file_is_said_with_its_line(small):
    write(small, TEXT.replace("right = true", "wrong = true", 1))
    text = repr(quiz("t1-order"))
    assert text.startswith("t1.toml:") and "wrong" in text


# ------------------------------------------------------------------------------ order
def test_the_order_is_the_same_for_everybody_and_differs_between_questions(small):
    options = "".join(
        f'[[quiz.{key}.option]]\nen = "o{n}"\nzh = "选{n}"\n'
        f"right = {'true' if n == 0 else 'false'}\n"
        f'why.en = "w"\nwhy.zh = "因"\n'
        for key in ("p", "q", "r", "s", "t", "u")
        for n in range(5)
    )
    stems = "".join(f'[quiz.{k}]\nstem.en = "?"\nstem.zh = "？"\n' for k in "pqrstu")
    write(small, stems + options, lesson="t2")
    orders = {key: tuple(letters(f"t2-{key}")) for key in "pqrstu"}
    assert orders == {key: tuple(letters(f"t2-{key}")) for key in "pqrstu"}
    assert len(set(orders.values())) > 3
    firsts = {letters(f"t2-{key}")["o0"] for key in "pqrstu"}
    assert len(firsts) > 1, "the right answer is not always the same letter"


def test_the_language_does_not_change_the_order():
    language.use("zh")
    chinese = letters("t1-order")
    language.use("en")
    assert letters("t1-order") == chinese


# ------------------------------------------------------------------------------- html
def test_text_of_a_file_is_escaped_and_marked_up():
    language.use("en")
    html = quiz("t1-order").html()
    assert "<code>data_copy</code>" in html and "<b>pipe</b>" in html
    assert "V &lt;vector&gt;" in html and "<vector>" not in html


def test_both_languages_at_once():
    language.use("both")
    text = repr(quiz("t1-order"))
    assert "Which pipe" in text and "哪条流水线" in text


# ----------------------------------------------------------------------------- widget
def pressed(board, choose):
    head, controls, button, result = board.children
    choose(controls)
    button.click()
    return result.value


def test_the_radio_buttons_answer():
    language.use("en")
    board = quiz("t1-order").widget()
    at = letters("t1-order")
    nothing = pressed(board, lambda c: None)
    assert "Choose an answer" in nothing and entries() == []
    wrong = pressed(board, lambda c: setattr(c, "value", at["V <vector>"]))
    assert "V computes." in wrong
    right = pressed(board, lambda c: setattr(c, "value", at["MTE2"]))
    assert "right" in right and "V computes." not in right
    assert [o for o, _ in asked_outcomes()] == ["wrong", "right"]


def test_the_boxes_answer():
    board = quiz("t1-several").widget()
    at = list(quiz("t1-several").question.options.values())

    def tick(controls):
        for box, option in zip(controls.children, at, strict=True):
            box.value = option.right

    assert "in" in pressed(board, tick)
    assert entries()[-1] == Entry("quiz", "t1-several", "right", entries()[-1].detail)


def test_labels_carry_no_marks():
    controls = quiz("t1-order").widget().children[1]
    assert not any("`" in label or "*" in label for label, _ in controls.options)
