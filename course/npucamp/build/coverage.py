"""docs/coverage.md: which cell shows, and which graded cell asks, each sentence.

Two articles stand at the start of the course: A, an announcement of a CANN training
camp with a report on distributed inference, and B, a practitioner's account of CANN.
`sentences.csv` has their sentences by id, the first characters to find each, and the
lessons that take it up; the texts themselves are not here. A cell takes up a sentence
by the tag `seed:B037.1`, in a lesson source or in the master of an assignment.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from nbformat import NotebookNode

TAG = "seed:"
Cells = Mapping[str, NotebookNode]  # place below the clone → notebook

_HEAD = """\
# Which cell shows which sentence

Made by `npucamp build` from the tags of the cells; do not edit. The course starts from
two public articles in Chinese: **A**, an announcement of a CANN training camp with a
report on distributed inference, **B**, a practitioner's account of CANN. The locator is
the beginning of the sentence. Lessons in *italics* are planned, not written yet. Claims
of the articles are tested in the cells, not repeated.

"""
_COLUMNS = (
    "| id | locator | lessons | what is shown | cells | graded cells |\n"
    "|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True)
class Sentence:
    """One sentence, table row or line of code of the articles."""

    id: str
    locator: str
    lessons: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Tagged:
    """A cell that takes up sentences: where it is and whether it is graded."""

    place: str
    lesson: str
    cell: str
    sentences: tuple[str, ...]
    graded: bool


@cache
def sentences() -> tuple[Sentence, ...]:
    """Every sentence, in order."""
    source = files("npucamp.build").joinpath("sentences.csv")
    rows = csv.DictReader(source.read_text(encoding="utf-8").splitlines())
    return tuple(
        Sentence(r["id"], r["locator"], tuple(r["lessons"].split()), r["how"])
        for r in rows
    )


def tagged_cells(notebooks: Cells) -> list[Tagged]:
    """The cells with a tag of a sentence, in order of notebook and cell."""
    return [
        Tagged(place, _lesson(notebook, place), cell.id, found, _is_graded(cell))
        for place, notebook in notebooks.items()
        for cell in notebook.cells
        if (found := _sentences(cell))
    ]


def _sentences(cell: NotebookNode) -> tuple[str, ...]:
    tags = cell.metadata.get("tags", ())
    return tuple(t.removeprefix(TAG) for t in tags if t.startswith(TAG))


def _is_graded(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader"))


def _lesson(notebook: NotebookNode, place: str) -> str:
    """The lesson of a notebook; an assignment belongs to that of its first word."""
    about = notebook.metadata.get("npucamp", {})
    return about.get("id") or Path(place).stem.split("-")[0]


# -------------------------------------------------------------------------- complaints
def unknown_tags(found: Iterable[Tagged]) -> list[str]:
    """Tags of sentences that do not exist, one line each, located."""
    known = {sentence.id for sentence in sentences()}
    return [
        f"{one.place}: cell {one.cell}: no sentence {name!r}"
        for one in found
        for name in one.sentences
        if name not in known
    ]


def not_shown(found: Iterable[Tagged], lessons: Iterable[str]) -> list[str]:
    """Sentences that one of `lessons` should take up and no cell of it does."""
    shown = {(one.lesson, name) for one in found for name in one.sentences}
    wanted = [(lesson, s) for s in sentences() for lesson in s.lessons]
    written = set(lessons)
    return [
        f"{lesson}: no cell has the tag {TAG}{s.id} ({s.how})"
        for lesson, s in wanted
        if lesson in written and (lesson, s.id) not in shown
    ]


# -------------------------------------------------------------------------------- page
def coverage_page(notebooks: Cells) -> str:
    """docs/coverage.md for the built notebooks of the clone."""
    found = tagged_cells(notebooks)
    written = {_lesson(notebook, place) for place, notebook in notebooks.items()}
    by_sentence: dict[str, list[Tagged]] = {}
    for one in found:
        for name in one.sentences:
            by_sentence.setdefault(name, []).append(one)
    rows = [_row(s, by_sentence.get(s.id, []), written) for s in sentences()]
    return _HEAD + _summary(by_sentence, written) + _COLUMNS + "".join(rows)


def _summary(by_sentence: Mapping[str, list[Tagged]], written: set[str]) -> str:
    due = [s for s in sentences() if written & set(s.lessons)]
    shown = sum(s.id in by_sentence for s in sentences())
    graded = sum(any(t.graded for t in found) for found in by_sentence.values())
    return (
        f"Sentences: {len(sentences())}; belonging to a lesson that is written: "
        f"{len(due)}; shown in a cell: {shown}; with a graded cell: {graded}.\n\n"
    )


def _row(sentence: Sentence, found: list[Tagged], written: set[str]) -> str:
    lessons = " ".join(
        lesson.upper() if lesson in written else f"*{lesson.upper()}*"
        for lesson in sentence.lessons
    )
    cells = ", ".join(f"[{t.cell}](../{t.place})" for t in found if not t.graded)
    graded = ", ".join(f"[{t.cell}](../{t.place})" for t in found if t.graded)
    parts = (sentence.id, _safe(sentence.locator), lessons or "–", sentence.how)
    return f"| {' | '.join((*parts, cells or '–', graded or '–'))} |\n"


def _safe(text: str) -> str:
    """Text of a table cell: no mark of a table, link or tag."""
    for mark in "|<[*_":
        text = text.replace(mark, f"\\{mark}")
    return text
