"""`hint("z3-turn-flags")`, `hint("z1-add")`: three steps, opened on demand.

Where to look, which quantity, nearly the answer. The steps of a "your turn" cell stand
in the lesson's data file, those of a task in the task's file. In a notebook a button
opens the next step, and running the cell opens nothing, so that Run All gives nothing
away; elsewhere each call opens one more. What is open stays open in this session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from npucamp.journal import note
from npucamp.lesson.quiz import Message
from npucamp.lesson.showing import (
    STYLE,
    Shown,
    block,
    has_front_end,
    in_language,
    inline,
)
from npucamp.material import MaterialError, find, known_ids
from npucamp.speech import speak
from npusim.diagnostic import language as setting

_shown: dict[str, int] = {}


@dataclass(frozen=True, repr=False)
class Hints(Shown):
    """The steps of one id, of which the first `opened` are shown."""

    id: str
    steps: Sequence[Any]
    language: str
    opened: int

    def _say(self, key: str, **facts: Any) -> str:
        return speak(key, self.language, id=self.id, steps=len(self.steps), **facts)

    def _step(self, number: int) -> str:
        text = in_language(self.steps[number - 1], self.language)
        return self._say("hint-step", step=number, text=text)

    @property
    def next(self) -> int:
        """The step that comes next; the last one again when all are open."""
        return min(self.opened + 1, len(self.steps))

    @property
    def _more(self) -> str:
        if self.opened >= len(self.steps):
            return ""
        key = "hint-more" if self.opened else "hint-closed"
        return self._say(key, step=self.next)

    def text(self) -> str:
        lines = [self._step(number) for number in range(1, self.opened + 1)]
        return "\n".join(filter(None, [*lines[-1:], self._more]))

    def html(self) -> str:
        return self.opened_html() + (
            block("note", inline(self._more)) * bool(self._more)
        )

    def opened_html(self) -> str:
        """The open steps, oldest first."""
        lines = [inline(self._step(number)) for number in range(1, self.opened + 1)]
        return block("note", *lines) if lines else ""

    def widget(self) -> Any | None:
        """The open steps above a button for the next."""
        import ipywidgets

        shown = ipywidgets.HTML(STYLE + self.opened_html())
        button = ipywidgets.Button(layout=ipywidgets.Layout(width="max-content"))

        def draw(hints: Hints) -> None:
            shown.value = STYLE + hints.opened_html()
            button.description = hints._say("hint-button", step=hints.next)
            button.layout.display = "none" if not hints._more else None

        button.on_click(lambda _: draw(opened(self, _shown.get(self.id, 0) + 1)))
        draw(self)
        board = ipywidgets.VBox([shown, button])
        board.add_class("npucamp")
        return board


def opened(hints: Hints, wanted: int) -> Hints:
    """The hints with `wanted` steps open (at most all); remembered."""
    count = max(0, min(wanted, len(hints.steps)))
    if count > _shown.get(hints.id, 0):
        note("hint", hints.id, "opened", str(count))
    _shown[hints.id] = count
    return Hints(hints.id, hints.steps, hints.language, count)


def hint(id: str, step: int | None = None) -> Shown:
    """The hints of `id`, a "your turn" cell or a task; `step` opens that many.

    Never raises: an unknown id is said in words."""
    try:
        steps = _steps(str(id))
    except MaterialError as error:
        return Message(str(error))
    if steps is None:
        return Message(_unknown(id))
    before = _shown.get(str(id), 0)
    hints = Hints(str(id), steps, setting.current(), before)
    if step is None:
        step = before if has_front_end() else before + 1
    return opened(hints, step)


def _steps(id: str) -> Sequence[Any] | None:
    """The three texts of a lesson's or a task's hints; None for an unknown id."""
    found = find("hint", id)
    if found is not None:
        return found.steps
    from npugrade.tasks import TaskError, load_task

    try:
        return load_task(id).hints
    except TaskError:
        return None


def _unknown(id: object) -> str:
    from npugrade.tasks import task_names

    known = ", ".join([*known_ids("hint"), *task_names()])
    return speak("hint-unknown", setting.current(), id=repr(id), known=known)
