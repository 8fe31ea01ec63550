"""`quiz("z4-order")`: a question of the lesson, with a reason for every answer.

`quiz(id)` shows it with controls, `quiz(id, "b")` or `quiz(id, "a,c")` answers in text.
The options stand in an order of their own, the same for everybody. Each option that was
chosen says why it is right or wrong; one that was not chosen says nothing, so that the
next try is still worth a thought. Answers are remembered and never graded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from npucamp.journal import note
from npucamp.lesson.showing import STYLE, Shown, block, in_language, inline, unmarked
from npucamp.material import MaterialError, Option, Quiz, find, known_ids
from npucamp.speech import listed, named, speak
from npusim.diagnostic import language as setting

LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Question:
    """A quiz with its options in the order shown, each with a letter."""

    id: str
    quiz: Quiz
    language: str

    @property
    def options(self) -> dict[str, Option]:
        """Letter → option, in an order that only the id decides."""
        numbered = enumerate(self.quiz.option)
        mixed = sorted(numbered, key=lambda pair: _mixing(self.id, pair[0]))
        return {letter: o for letter, (_, o) in zip(LETTERS, mixed, strict=False)}

    @property
    def right(self) -> frozenset[str]:
        """The letters of the right options."""
        return frozenset(x for x, option in self.options.items() if option.right)

    def outcome(self, chosen: frozenset[str]) -> str:
        """ "right", "part" (all chosen are right, some are missing) or "wrong"."""
        if chosen == self.right:
            return "right"
        return "part" if chosen < self.right else "wrong"

    def say(self, key: str, **facts: Any) -> str:
        """A message of npucamp in the question's language."""
        return speak(key, self.language, id=self.id, **facts)

    def words(self, text: Any) -> str:
        """A text of the data file in the question's language."""
        return in_language(text, self.language)


def _mixing(id: str, number: int) -> bytes:
    return hashlib.sha256(f"{id}/{number}".encode()).digest()


@dataclass(frozen=True, repr=False)
class Asked(Shown):
    """A question as it is shown: open, or with the answer in `chosen`; `trouble` says
    why an answer could not be read."""

    question: Question
    chosen: frozenset[str] | None = None
    trouble: str = ""

    @property
    def outcome(self) -> str:
        """ "open", "right", "part" or "wrong"."""
        return "open" if self.chosen is None else self.question.outcome(self.chosen)

    # ---------------------------------------------------------------------- as text
    def text(self) -> str:
        if self.chosen is not None:
            return "\n".join([self._verdict(), *map(self._why_text, self._picked())])
        ask = self.question
        lines = [named(ask.id, ask.words(ask.quiz.stem), ask.language)]
        lines += [f"  {x}) {ask.words(o)}" for x, o in ask.options.items()]
        lines += [self.trouble] if self.trouble else []
        return "\n".join([*lines, ask.say(self._how_to_answer)])

    @property
    def _how_to_answer(self) -> str:
        return "quiz-how-many" if self.question.quiz.many else "quiz-how-one"

    def _verdict(self) -> str:
        return self.question.say(f"quiz-{self.outcome}")

    def _picked(self) -> list[tuple[str, Option]]:
        chosen = self.chosen or ()
        return [(x, o) for x, o in self.question.options.items() if x in chosen]

    def _why_text(self, picked: tuple[str, Option]) -> str:
        letter, option = picked
        words, sign = self.question.words, "✓" if option.right else "✗"
        why = words(option.why).replace("\n", "\n     ")
        return f"  {sign} {letter}) {words(option)}\n     {why}"

    # ---------------------------------------------------------------------- as HTML
    def html(self) -> str:
        if self.chosen is not None:
            return self.verdict_html()
        ask = self.question
        rows = [f"{x}) {inline(ask.words(o))}" for x, o in ask.options.items()]
        how = inline(ask.say(self._how_to_answer))
        trouble = [inline(self.trouble)] if self.trouble else []
        return block("note", self.stem_html(), *rows, *trouble, how)

    def stem_html(self) -> str:
        """The question alone."""
        return f"<b>{inline(self.question.words(self.question.quiz.stem))}</b>"

    def verdict_html(self) -> str:
        """The verdict and the reason of each chosen option."""
        kind = "right" if self.outcome == "right" else "wrong"
        words = self.question.words
        reasons = [
            block(
                "right" if option.right else "wrong",
                f"{'✓' if option.right else '✗'} {letter}) {inline(words(option))}",
                inline(words(option.why)),
            )
            for letter, option in self._picked()
        ]
        return block(kind, f"<b>{inline(self._verdict())}</b>") + "".join(reasons)

    # -------------------------------------------------------------------- as widget
    def widget(self) -> Any | None:
        if self.chosen is not None:
            return None
        return _board(self)


def _board(asked: Asked) -> Any:
    """Stem, controls, a button, and the verdict below it."""
    import ipywidgets

    ask = asked.question
    labels = {x: unmarked(f"{x})  {ask.words(o)}") for x, o in ask.options.items()}
    controls, chosen = (_boxes if ask.quiz.many else _radio)(labels)
    button = ipywidgets.Button(description=ask.say("quiz-button"))
    result = ipywidgets.HTML(inline(asked.trouble))

    def answered(_: Any) -> None:
        letters = chosen()
        if not letters:
            result.value = block("note", inline(ask.say("quiz-nothing")))
            return
        result.value = _answer(ask, letters).verdict_html()

    button.on_click(answered)
    head = asked.stem_html()
    if ask.quiz.many:
        head += f" ({inline(ask.say('quiz-several'))})"
    parts = [ipywidgets.HTML(STYLE + head), controls, button, result]
    board = ipywidgets.VBox(parts)
    board.add_class("npucamp")
    return board


def _radio(labels: dict[str, str]) -> tuple[Any, Any]:
    import ipywidgets

    wide = ipywidgets.Layout(width="auto", max_width="760px")
    options = [(label, letter) for letter, label in labels.items()]
    radio = ipywidgets.RadioButtons(options=options, value=None, layout=wide)
    return radio, lambda: frozenset({radio.value} - {None})


def _boxes(labels: dict[str, str]) -> tuple[Any, Any]:
    import ipywidgets

    wide = ipywidgets.Layout(width="auto", max_width="760px", height="auto")
    boxes = {
        letter: ipywidgets.Checkbox(description=label, indent=False, layout=wide)
        for letter, label in labels.items()
    }
    ticked = lambda: frozenset(x for x, box in boxes.items() if box.value)  # noqa: E731
    return ipywidgets.VBox(list(boxes.values())), ticked


def _answer(question: Question, chosen: frozenset[str]) -> Asked:
    asked = Asked(question, chosen)
    note("quiz", question.id, asked.outcome, ",".join(sorted(chosen)))
    return asked


# ---------------------------------------------------------------------------- calling
def quiz(id: str, answer: str | Iterable[str] | None = None) -> Shown:
    """Show the question `id`, or answer it: "b", "a,c" or ["a", "c"].

    Never raises: an answer that is no letter, or an unknown id, is said in words."""
    language = setting.current()
    try:
        found = find("quiz", id)
    except MaterialError as error:
        return Message(str(error))
    if found is None:
        return Message(unknown("quiz", id))
    question = Question(str(id), found, language)
    if answer is None:
        return Asked(question)
    letters = _letters(answer)
    trouble = _trouble(question, letters, answer)
    return Asked(question, trouble=trouble) if trouble else _answer(question, letters)


def _letters(answer: Any) -> frozenset[str]:
    """The letters of an answer, "a,c" or "ac"; a word that is none stays as it is."""
    text = answer if isinstance(answer, str) else " ".join(_items(answer))
    words = [w for w in re.split(r"[\s,;，、；()]+", text.strip().lower()) if w]
    return frozenset(x for word in words for x in _spelt(word))


def _spelt(word: str) -> Iterable[str]:
    return word if set(word) <= set(LETTERS) else [word]


def _items(answer: Any) -> list[str]:
    return [str(x) for x in answer] if isinstance(answer, Iterable) else [str(answer)]


def _trouble(question: Question, letters: frozenset[str], answer: Any) -> str:
    """Why the letters are no answer to the question; "" if they are one."""
    last = list(question.options)[-1]
    if not letters or letters - set(question.options):
        return question.say("quiz-letters", answer=repr(answer), last=last)
    if len(letters) > 1 and not question.quiz.many:
        return question.say("quiz-one-only")
    return ""


@dataclass(frozen=True, repr=False)
class Message(Shown):
    """A sentence instead of what was asked for."""

    sentence: str

    def text(self) -> str:
        return self.sentence

    def html(self) -> str:
        return block("note", inline(self.sentence))


def unknown(kind: str, id: object) -> str:
    """What to say about an id that no data file has."""
    known = listed(known_ids(kind), setting.current()) or "-"
    return speak(f"{kind}-unknown", setting.current(), id=repr(id), known=known)
