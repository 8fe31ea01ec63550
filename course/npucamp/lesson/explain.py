"""`explain("z3-why", my_answer)`: say it in your own words, then compare.

With None the question stands there with a box to write in. An answer is saved, what a
good answer names is looked for by key words, and the model answer is shown beside it.
Key words are all that is checked: whether the sentence is true, the reader judges
against the model answer. Never graded.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from npucamp.journal import entries, latest, note
from npucamp.lesson.quiz import Message, unknown
from npucamp.lesson.showing import STYLE, Shown, block, in_language, inline
from npucamp.material import Explain, MaterialError, Point, find
from npucamp.speech import named, speak
from npusim.diagnostic import language as setting

SHORT = 3  # a key word of so many letters or fewer must stand alone
_WORD = re.compile(r"[a-z0-9_]+(?:[-'.][a-z0-9_]+)*|[\u3400-\u9fff]")


def plain(text: str) -> str:
    """Text as it is compared: one width, lower case, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split())


def count_words(text: str) -> int:
    """Words of a text; each Chinese character counts as one."""
    return len(_WORD.findall(plain(text)))


def names(answer: str, word: str) -> bool:
    """Whether `answer` has the key word: at the start of a word ("wait" in "waits",
    not "align" in "unaligned"); one of up to three letters only as a whole word."""
    wanted = plain(word)
    start = r"(?<![a-z0-9_])" if wanted[:1].isascii() and wanted[:1].isalnum() else ""
    alone = wanted.isascii() and len(wanted) <= SHORT
    end = r"(?![a-z0-9_])" if alone and wanted[-1:].isalnum() else ""
    return re.search(start + re.escape(wanted) + end, plain(answer)) is not None


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """A question, and what came of an answer: outcome "open", "short" or "compared"."""

    id: str
    question: Explain
    language: str
    answer: str = ""
    before: str = ""

    @property
    def outcome(self) -> str:
        if not self.answer.strip():
            return "open"
        enough = count_words(self.answer) >= self.question.words
        return "compared" if enough else "short"

    @property
    def named(self) -> tuple[bool, ...]:
        """For each point whether the answer names it."""
        return tuple(
            any(names(self.answer, word) for word in point.any)
            for point in self.question.points
        )

    def _say(self, key: str, **facts: Any) -> str:
        return speak(key, self.language, id=self.id, **facts)

    def _words(self, text: Any) -> str:
        return in_language(text, self.language)

    def _points(self) -> list[tuple[bool, Point]]:
        return list(zip(self.named, self.question.points, strict=True))

    def _lead(self) -> str:
        found, of = sum(self.named), len(self.named)
        facts = {"found": found, "of": of, "words": self.question.words}
        return self._say(f"explain-{self.outcome}", **facts)

    # ---------------------------------------------------------------------- as text
    def text(self) -> str:
        if self.outcome != "compared":
            lines = [named(self.id, self._words(self.question.prompt), self.language)]
            if self.before:
                lines.append(self._say("explain-before", answer=self.before))
            return "\n".join([*lines, self._lead()])
        lines = [self._lead()]
        lines += [
            f"  {'✓' if ok else '–'} {self._words(p)}" for ok, p in self._points()
        ]
        model = self._words(self.question.model).replace("\n", "\n  ")
        return "\n".join([*lines, self._say("explain-model"), f"  {model}"])

    # ---------------------------------------------------------------------- as HTML
    def html(self) -> str:
        if self.outcome == "compared":
            return self.result_html()
        lines = [self.prompt_html(), inline(self._lead())]
        return block("note", *lines)

    def prompt_html(self) -> str:
        """The question alone."""
        return f"<b>{inline(self._words(self.question.prompt))}</b>"

    def result_html(self) -> str:
        """What is named, what is not, and the model answer; or what is missing."""
        if self.outcome != "compared":
            return block("note", inline(self._lead()))
        kind = "right" if all(self.named) else "note"
        rows = [
            f"{'✓' if ok else '–'} {inline(self._words(p))}" for ok, p in self._points()
        ]
        model = inline(self._words(self.question.model))
        head = f"<b>{inline(self._say('explain-model'))}</b>"
        return block(kind, inline(self._lead()), *rows) + block("note", head, model)

    # -------------------------------------------------------------------- as widget
    def widget(self) -> Any | None:
        """A box to write in and a button; None once an answer is compared."""
        if self.outcome == "compared":
            return None
        import ipywidgets

        wide = ipywidgets.Layout(width="95%", max_width="760px", height="90px")
        box = ipywidgets.Textarea(self.answer or self.before, layout=wide)
        button = ipywidgets.Button(description=self._say("explain-button"))
        result = ipywidgets.HTML()

        def compare(_: Any) -> None:
            made = _compared(self, box.value)
            empty = block("note", inline(self._say("explain-empty")))
            result.value = empty if made.outcome == "open" else made.result_html()

        button.on_click(compare)
        head = ipywidgets.HTML(STYLE + self.prompt_html())
        board = ipywidgets.VBox([head, box, button, result])
        board.add_class("npucamp")
        return board


def _compared(asked: Explanation, answer: str) -> Explanation:
    made = Explanation(asked.id, asked.question, asked.language, answer)
    if made.outcome != "open":
        note("explain", made.id, made.outcome, answer)
    return made


def explain(id: str, text: str | None = None) -> Shown:
    """Ask the question `id`; with `text`, save it and compare it with the model answer.

    Never raises: an unknown id is said in words."""
    try:
        found = find("explain", id)
    except MaterialError as error:
        return Message(str(error))
    if found is None:
        return Message(unknown("explain", id))
    asked = Explanation(str(id), found, setting.current(), before=_before(str(id)))
    return asked if text is None else _compared(asked, str(text))


def _before(id: str) -> str:
    """The learner's last answer, "" if there is none."""
    entry = latest(entries(), "explain", id)
    return entry.detail if entry else ""
