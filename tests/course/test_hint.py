"""hint: three steps, opened on demand, of lessons and of tasks."""

from __future__ import annotations

import pytest

from npucamp import hint
from npucamp.journal import entries
from npusim.diagnostic import language

pytestmark = pytest.mark.usefixtures("small")


@pytest.mark.parametrize("id", ["t1-turn-flags", "z1-add"])
def test_each_call_opens_one_more_and_the_last_stays(id):
    language.use("en")
    for step in (1, 2, 3, 3):
        assert f"Hint {step} of 3" in repr(hint(id))
    assert [e.detail for e in entries()] == ["1", "2", "3"]


def test_a_step_can_be_asked_for():
    language.use("zh")
    assert "哪条流水线在等？" in repr(hint("t1-turn-flags", 2))
    assert "提示 3/3" in repr(hint("t1-turn-flags", 99))
    assert hint("t1-turn-flags", -1).opened == 0


def test_an_unknown_id_names_lessons_and_tasks():
    language.use("en")
    text = repr(hint("no-such"))
    assert "no-such" in text and "t1-turn-flags" in text and "z1-add" in text


def test_in_a_notebook_running_the_cell_opens_nothing(monkeypatch):
    monkeypatch.setattr("npucamp.lesson.hint.has_front_end", lambda: True)
    language.use("en")
    for _ in range(2):
        shown = hint("t1-turn-flags")
        assert shown.opened == 0 and "Look at the copy." not in repr(shown)
        assert "Look at the copy." not in shown.html()
    assert entries() == []


def test_the_button_opens_the_next_step(monkeypatch):
    monkeypatch.setattr("npucamp.lesson.hint.has_front_end", lambda: True)
    language.use("en")
    shown, button = hint("t1-turn-flags").widget().children
    assert button.description == "Hint 1 of 3" and "Look" not in shown.value
    button.click()
    assert "Look at the copy." in shown.value and "Which pipe" not in shown.value
    assert button.description == "Hint 2 of 3"
    button.click()
    button.click()
    assert "Wait for MTE2_V." in shown.value and "Look at the copy." in shown.value
    assert button.layout.display == "none"
    assert hint("t1-turn-flags").opened == 3
