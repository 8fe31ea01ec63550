"""The glossary, from the `[[term]]` tables of all lessons.

docs/glossary.md has both languages beside each other, in the order of the English word;
the page of a language, which learners have in their workspace, goes lesson by lesson.
Each term links to the lesson that introduces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from npucamp.build.headers import LessonHeader, lesson_headers
from npucamp.material import Term, load_material

_HEAD = """\
# Glossary / 术语表

Made by `npucamp build` from the lessons' data files; do not edit. Each term links to
the lesson that introduces it. 由 `npucamp build` 生成，请勿手改；每个术语链接到最先讲它的那一课。

| English | 中文 | meaning | 意思 | lesson / 课 |
|---|---|---|---|---|
"""
_EMPTY = {"en": "No lesson has named a term yet.", "zh": "还没有课程给出术语。"}
_BESIDE = {"en": "{word}: {meaning}", "zh": "{word}（{other}）：{meaning}"}


@dataclass(frozen=True)
class Entry:
    """A term and the lesson that introduces it."""

    term: Term
    lesson: LessonHeader


def glossary_entries(sources: Path) -> list[Entry]:
    """Every term of the lessons whose sources lie in `sources`, lesson by lesson.

    MaterialError, located, for a mistake in a data file."""
    return [
        Entry(term, header)
        for header in lesson_headers(sources)
        for term in load_material(header.id, sources).term
    ]


def twice(entries: Iterable[Entry]) -> list[str]:
    """Terms that two lessons introduce, by id, English or Chinese word; one line
    each."""
    seen: dict[tuple[str, str], str] = {}
    found = []
    for entry in entries:
        keys = {"id": entry.term.id, "en": entry.term.en, "zh": entry.term.zh}
        for kind, word in keys.items():
            first = seen.setdefault((kind, word.casefold()), entry.lesson.id)
            if first != entry.lesson.id:
                found.append(f"{entry.lesson.id}: {word!r} stands in {first} already")
    return list(dict.fromkeys(found))


def glossary_page(sources: Path) -> str:
    """docs/glossary.md."""
    entries = glossary_entries(sources)
    return _HEAD + "".join(map(_row, sorted(entries, key=_english)))


def _english(entry: Entry) -> str:
    return entry.term.en.casefold()


def _row(entry: Entry) -> str:
    term, lesson = entry.term, entry.lesson
    name = lesson.id.upper()
    links = (f"[{one}](../course/{one}/{lesson.file_name})" for one in ("en", "zh"))
    parts = (term.en, term.zh, term.meaning.en, term.meaning.zh)
    cells = " | ".join(part.replace("|", "\\|") for part in parts)
    return f"| {cells} | {name} {' '.join(links)} |\n"


def glossary_cell(sources: Path, language: str) -> str:
    """The terms as Markdown in one language, under a heading for each lesson."""
    by_lesson: dict[LessonHeader, list[Term]] = {}
    for entry in glossary_entries(sources):
        by_lesson.setdefault(entry.lesson, []).append(entry.term)
    blocks = [_block(h, terms, language) for h, terms in by_lesson.items()]
    return "\n\n".join(blocks) or _EMPTY[language]


def _block(header: LessonHeader, terms: list[Term], language: str) -> str:
    title = f"{header.id.upper()} · {header.titles[language]}"
    return "\n".join(
        [f"## [{title}]({header.file_name})", "", *_lines(terms, language)]
    )


def _lines(terms: list[Term], language: str) -> Iterator[str]:
    for term in terms:
        word, meaning = getattr(term, language), getattr(term.meaning, language)
        other = term.en if language == "zh" else term.zh
        same = word.casefold() == other.casefold()
        form = _BESIDE["en" if same else language]
        yield "* " + form.format(word=f"**{word}**", other=other, meaning=meaning)
