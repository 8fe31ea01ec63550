"""`progress()`: what is done in this lesson and in the course, and what comes next.

The same facts as text (`npucamp progress`) and as HTML. Nothing here is a grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from npucamp.journal import unsaved
from npucamp.lesson import session
from npucamp.lesson.quiz import Message
from npucamp.lesson.showing import Shown
from npucamp.material import MaterialError
from npucamp.paths import state_home
from npucamp.speech import named, speak
from npucamp.standing import CourseStanding, Score, Standing, course_standing
from npusim.diagnostic import language as setting

SIGNS = {"done": "●", "started": "◐", "new": "○", "planned": "·"}
_CELL = "padding:1px 14px 1px 0;text-align:left;border:none;background:none"


@dataclass(frozen=True, repr=False)
class Progress(Shown):
    """The standing in the course, and in the lesson `lesson` where it is known."""

    course: CourseStanding
    lesson: str
    language: str
    unsaved: int = 0

    def _say(self, key: str, **facts: Any) -> str:
        return speak(key, self.language, **facts)

    def _title(self, standing: Standing) -> str:
        languages = setting.parts(self.language)
        return " / ".join(standing.title[one] for one in languages)

    # ------------------------------------------------------------------ this lesson
    def lesson_rows(self) -> Iterator[tuple[str, str]]:
        """(what, how far) for each kind of step and each task of this lesson."""
        own = self.course.get(self.lesson)
        if own is None:
            return
        for kind, (done, every) in own.steps.items():
            if every:
                key = "progress-guesses" if kind == "predict" else "progress-count"
                facts = {"done": done, "all": every, "right": own.first_right}
                yield self._say(f"progress-{kind}"), self._say(key, **facts)
        if own.hints:
            yield self._say("progress-hints"), self._say("progress-open", n=own.hints)
        for score in own.scores:
            yield self._say("progress-task", task=score.task), self._score(score)

    def _score(self, score: Score) -> str:
        if score.best is None:
            return self._say("progress-untried")
        best = f"{score.best:.4g}"
        return self._say("progress-best", best=best, count=score.attempts)

    # ------------------------------------------------------------------- the course
    def course_rows(self) -> Iterator[tuple[str, str, str, str, str]]:
        """(sign, id, title, state, tasks) of each lesson that exists."""
        for one in self.course.lessons:
            if one.state != "planned":
                state = self._say(f"progress-{one.state}", done=one.done, all=one.all)
                tasks = ", ".join(self._short(s) for s in one.scores)
                yield SIGNS[one.state], one.lesson, self._title(one), state, tasks

    def _short(self, score: Score) -> str:
        return f"{score.task} {'–' if score.best is None else f'{score.best:.4g}'}"

    def _closing(self) -> list[str]:
        lines = []
        planned = [s.lesson for s in self.course.lessons if s.state == "planned"]
        if planned:
            lines.append(self._say("progress-planned", lessons=" ".join(planned)))
        following = self.course.get(self.course.next)
        if following:
            facts = {"lesson": following.lesson, "title": self._title(following)}
            lines.append(self._say("progress-next", **facts))
        else:
            lines.append(self._say("progress-all-done"))
        if self.unsaved:
            count, home = self.unsaved, state_home()
            lines.append(self._say("progress-unsaved", count=count, home=home))
        return lines

    def _heading(self) -> str:
        own = self.course.get(self.lesson)
        return f"{own.lesson} · {self._title(own)}" if own else ""

    # ----------------------------------------------------------------------- as text
    def text(self) -> str:
        lines = [self._heading()] if self._heading() else []
        lines += [
            "  " + named(what, far, self.language) for what, far in self.lesson_rows()
        ]
        lines.append(self._say("progress-course"))
        for sign, lesson, title, state, tasks in self.course_rows():
            ends = " · ".join(filter(None, (title, state, tasks)))
            lines.append(f"  {sign} {lesson:<4} {ends}")
        return "\n".join([*lines, *self._closing()])

    # ----------------------------------------------------------------------- as HTML
    def html(self) -> str:
        closing = "".join(f"<div>{escape(line)}</div>" for line in self._closing())
        own = list(self.lesson_rows())
        lesson = f"<div><b>{escape(self._heading())}</b></div>{_table(own)}" * bool(own)
        head = f"<div><b>{escape(self._say('progress-course'))}</b></div>"
        body = f"{lesson}{head}{_table(self.course_rows())}{closing}"
        return f'<div style="line-height:1.5">{body}</div>'


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    body = "".join(
        "<tr style='background:none'>"
        + "".join(f"<td style='{_CELL}'>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table style='border:none;margin:2px 0 10px 0'>{body}</table>"


def progress(lesson: str | None = None) -> Shown:
    """The learner's standing: in `lesson`, else the one that began in this session,
    and in the course. Never raises: a broken course map is said in words."""
    chosen = lesson or session.lesson()
    try:
        course = course_standing()
    except (MaterialError, OSError) as error:
        return Message(str(error))
    own = course.owner(chosen)
    return Progress(course, own, setting.current(), unsaved())
