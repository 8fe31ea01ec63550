"""What a submission is told: a score of 100 and the items it is made of.

Every text exists in English and Chinese (`Text`), so one verdict can be shown in
either language. Nothing of a hidden case but its label and its kind of fault is ever
put into a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any

from npugrade.messages import Text, say

STATUSES = ("pass", "partial", "fail", "not-run", "not-attempted")
_MARKS = {
    "pass": "✔",
    "partial": "◐",
    "fail": "✘",
    "not-run": "·",
    "not-attempted": "·",
}
# JupyterLab breaks the lines of a <pre> inside words; prose is not to be broken there.
_PROSE = "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word"
_SOURCE = "white-space:pre;overflow-x:auto"  # a line of source and its caret
_COLOURS = {"pass": "#2e7d32", "partial": "#b26a00", "fail": "#c62828"}


@dataclass(frozen=True)
class Item:
    """One line of a verdict; `details` are further lines, each in both languages."""

    key: str
    title: Text
    points: float
    max_points: float
    status: str
    message: Text = field(default_factory=lambda: {"en": "", "zh": ""})
    details: tuple[Text, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "title": dict(self.title),
            "points": self.points,
            "max_points": self.max_points,
            "status": self.status,
            "message": dict(self.message),
            "details": [dict(line) for line in self.details],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Item:
        """The item of `to_json`; KeyError, TypeError or ValueError for other data."""
        if data["status"] not in STATUSES:
            raise ValueError(f"status {data['status']!r}")
        return cls(
            key=str(data["key"]),
            title=data["title"],
            points=float(data["points"]),
            max_points=float(data["max_points"]),
            status=data["status"],
            message=data["message"],
            details=tuple(data["details"]),
        )


@dataclass(frozen=True)
class Picture:
    """A timeline for a feedback page: PNG as base64, and what it shows."""

    png: str
    caption: Text


@dataclass(frozen=True)
class Verdict:
    """Score and items of one submission of one task.

    `score` is a plain float between 0 and `max_score`. `facts` are numbers for tools
    (cycles and HAP per case); those of hidden cases are left out of every text.
    `isolation`: the level at which host code ran, "" where none ran.
    """

    task: str
    score: float
    max_score: float
    items: tuple[Item, ...]
    title: Text = field(default_factory=lambda: {"en": "", "zh": ""})
    notes: tuple[Text, ...] = ()
    language: str = "en"
    facts: Mapping[str, Any] = field(default_factory=dict)
    picture: Picture | None = None
    isolation: str = ""

    @property
    def attempted(self) -> bool:
        return all(item.status != "not-attempted" for item in self.items)

    def to_json(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "score": self.score,
            "max_score": self.max_score,
            "items": [item.to_json() for item in self.items],
            "title": dict(self.title),
            "notes": [dict(note) for note in self.notes],
            "language": self.language,
            "facts": dict(self.facts),
            "picture": vars(self.picture) if self.picture else None,
            "isolation": self.isolation,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The verdict of `to_json`; KeyError, TypeError or ValueError otherwise."""
        return cls(
            task=str(data["task"]),
            score=float(data["score"]),
            max_score=float(data["max_score"]),
            items=tuple(Item.from_json(item) for item in data["items"]),
            title=data["title"],
            notes=tuple(data["notes"]),
            language=str(data["language"]),
            facts=data["facts"],
            picture=Picture(**data["picture"]) if data.get("picture") else None,
            isolation=str(data.get("isolation", "")),
        )

    # ------------------------------------------------------------------ for readers
    def text(self, language: str | None = None) -> str:
        """The verdict as lines of text in `en` or `zh`."""
        language = language or self.language
        lines = [self._headline(language)]
        for item in self.items:
            lines.append(_item_line(item, language))
            for text in (item.message, *item.details):
                lines += ["      " + line for line in text[language].splitlines()]
        lines += [note[language] for note in self._notes()]
        return "\n".join(lines)

    def html(self, language: str | None = None) -> str:
        """The verdict as one escaped `<div>` in `en` or `zh`."""
        language = language or self.language
        rows = "".join(_item_row(item, language) for item in self.items)
        notes = "".join(f"<div>{escape(n[language])}</div>" for n in self._notes())
        return (
            f'<div class="npugrade-verdict" lang="{language}">'
            f"<b>{escape(self._headline(language))}</b>"
            f'<table style="text-align:left">{rows}</table>{notes}</div>'
        )

    def _notes(self) -> tuple[Text, ...]:
        if not self.isolation:
            return self.notes
        level = say(f"isolation.{self.isolation}")
        return (*self.notes, say("note.isolation", level=level))

    def _headline(self, language: str) -> str:
        score, of = f"{self.score:.4g}", f"{self.max_score:.4g}"
        key = "headline" if self.attempted else "headline.not-attempted"
        shown = say(key, task=self.task, score=score, max_score=of)
        return f"{shown[language]}"

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()


def _points(item: Item) -> str:
    return f"{item.points:.4g}/{item.max_points:.4g}"


def _item_line(item: Item, language: str) -> str:
    status = say(f"status.{item.status}")[language]
    mark = _MARKS[item.status]
    text = say("item.line", title=item.title, status=status)[language]
    return f"  {mark} {_points(item):>9}  {text}"


def _item_row(item: Item, language: str) -> str:
    colour = _COLOURS.get(item.status, "#616161")
    status = say(f"status.{item.status}")[language]
    texts = [t[language] for t in (item.message, *item.details) if t[language]]
    below = "".join(map(_blocks, texts))
    cells = (
        f'<b style="color:{colour}">{_MARKS[item.status]} {escape(status)}</b>',
        escape(_points(item)),
        f"{escape(item.title[language])}{below}",
    )
    short = "text-align:left;white-space:nowrap"
    styles = (short, short, "text-align:left")
    tds = "".join(
        f'<td style="{style}">{cell}</td>'
        for style, cell in zip(styles, cells, strict=True)
    )
    return f'<tr style="vertical-align:top">{tds}</tr>'


def _blocks(text: str) -> str:
    """Prose that wraps between words, source lines (indented by four) that do not."""
    parts = []
    for is_source, lines in groupby(text.splitlines(), _is_source):
        style, body = _SOURCE if is_source else _PROSE, escape("\n".join(lines))
        parts.append(f'<div style="font-family:monospace;{style}">{body}</div>')
    return "".join(parts)


def _is_source(line: str) -> bool:
    return line.startswith("    ")
