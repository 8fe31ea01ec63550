"""`draw("k1-knowledge-check")`: what this learner is asked, filled in at run time.

The released notebook is the same for all. In a class, `npucamp class assign` has
written the key of the class into the call; the learner's id is the one under which
nbgrader submits (JupyterHub's name, else the account's). Who studies alone has the
public draw.
"""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from html import escape
from typing import Any

from npucamp.lesson import session
from npucamp.lesson.showing import Shown
from npucamp.speech import speak
from npugrade.banks import bank
from npugrade.checkers.knowledge import LETTERS
from npugrade.draw import PUBLIC_KEY, SELF, Ticket, draw_text, read_draw, shuffled
from npugrade.taskmodel import Task
from npugrade.taskparts import Draw
from npugrade.tasks import load_task, task_names
from npusim.diagnostic import language as setting


def draw(
    assignment: str, *, key: str = PUBLIC_KEY, learner: str | None = None
) -> Questions:
    """The questions that `learner` is asked in `assignment`, numbered.

    ValueError for an assignment that draws nothing.
    """
    recipe = _recipe(assignment)
    ticket = Ticket(key, learner or (SELF if key == PUBLIC_KEY else account()))
    session.keep_ticket(assignment, ticket)
    _, ids = read_draw(draw_text(recipe, assignment, ticket))
    return Questions(assignment, recipe.bank, ticket, ids)


def account() -> str:
    """The name under which nbgrader submits from here."""
    return os.environ.get("JUPYTERHUB_USER") or getpass.getuser()


@dataclass(frozen=True, repr=False)
class Questions(Shown):
    """The drawn questions of a bank, options in this learner's order."""

    assignment: str
    bank: str
    ticket: Ticket
    ids: tuple[str, ...]

    def text(self) -> str:
        """Every question with its options, as plain text."""
        return "\n\n".join([self._head(), *self._blocks()])

    def html(self) -> str:
        """The same for a page."""
        items = bank(self.bank)["items"]
        parts = [f"<p>{escape(self._head())}</p>"]
        for number, id_ in enumerate(self.ids, start=1):
            parts.append(self._question_html(number, id_, items[id_]))
        return f'<div class="npucamp-draw">{"".join(parts)}</div>'

    def _head(self) -> str:
        return speak(
            "draw-head", setting.current(), learner=self.ticket.learner, n=len(self.ids)
        )

    def _blocks(self) -> list[str]:
        items = bank(self.bank)["items"]
        return [
            self._block(number, id_, items[id_])
            for number, id_ in enumerate(self.ids, start=1)
        ]

    def _block(self, number: int, id_: str, item: dict[str, Any]) -> str:
        first = f"{number}. {_said(item['stem'])}{_note(item)}"
        return "\n".join([first, *_code_lines(item), *self._options(id_, item)])

    def _options(self, id_: str, item: dict[str, Any]) -> list[str]:
        order = shuffled(len(item["options"]), self.assignment, id_, self.ticket)
        said = [_said(item["options"][place]) for place in order]
        return [f"   {LETTERS[place]}) {text}" for place, text in enumerate(said)]

    def _question_html(self, number: int, id_: str, item: dict[str, Any]) -> str:
        code = f"<pre>{escape(item['code'].rstrip())}</pre>" if item["code"] else ""
        stem = escape(_said(item["stem"]) + _note(item))
        options = "<br>".join(escape(line.strip()) for line in self._options(id_, item))
        return f"<p><b>{number}.</b> {stem}</p>{code}<p>{options}</p>"


def _said(text: dict[str, str]) -> str:
    return " / ".join(text[one] for one in setting.parts(setting.current()))


def _note(item: dict[str, Any]) -> str:
    many = item["kind"] == "multiple"
    return " " + speak("draw-many", setting.current()) if many else ""


def _code_lines(item: dict[str, Any]) -> list[str]:
    return [f"   | {line}" for line in item["code"].rstrip().splitlines()]


def _recipe(assignment: str) -> Draw:
    tasks: list[Task] = [load_task(name) for name in task_names()]
    for task in tasks:
        for value in task.attributes.values():
            if task.assignment == assignment and isinstance(value, Draw):
                return value
    raise ValueError(speak("draw-none", setting.current(), assignment=assignment))
