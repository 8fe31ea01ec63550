"""The glossary: each term once, said in its lesson, the same word in Chinese."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from lessondata import TEXT, write

from npucamp.build.glossary import (
    glossary_cell,
    glossary_entries,
    glossary_page,
    twice,
)
from npucamp.build.headers import lesson_headers
from npucamp.build.lessons import build_lesson
from npucamp.coursemap import course_map

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "course" / "src"
ENTRIES = glossary_entries(SOURCES)
LESSONS = [h.id for h in lesson_headers(SOURCES) if not h.page]
HEADER = """# ---
# jupyter:
#   npucamp:
#     id: t1
#     slug: small
#     title: {en: Small, zh: 小}
# ---
# %% [markdown] lang="en"
# # Pipes
# %% [markdown] lang="zh"
# # 流水线
"""


@cache
def prose(lesson: str, language: str) -> str:
    (path,) = SOURCES.glob(f"{lesson}.py")
    notebook = build_lesson(path)[language]
    cells = [c.source for c in notebook.cells if c.cell_type == "markdown"]
    return re.sub(r"[*_]", "", "\n".join(cells)).casefold()


def says(text: str, word: str) -> bool:
    """Whether `text` uses the word: English at the start of a word, plural or not;
    line ends count as spaces."""
    wanted, text = word.casefold(), " ".join(text.split())
    start = r"(?<![a-z0-9])" if wanted[:1].isascii() else ""
    return re.search(start + re.escape(wanted), text) is not None


def test_every_term_stands_once():
    assert twice(ENTRIES) == []


@pytest.mark.parametrize("entry", ENTRIES, ids=[e.term.id for e in ENTRIES])
def test_a_term_is_said_in_the_lesson_that_introduces_it(entry):
    for language in ("en", "zh"):
        word = getattr(entry.term, language)
        assert says(prose(entry.lesson.id, language), word), (language, word)


@pytest.mark.parametrize("lesson", LESSONS)
def test_chinese_uses_the_word_of_the_glossary(lesson):
    """Where the English of a lesson says a term that it or an earlier lesson brought,
    its Chinese says the glossary's word, or keeps the English one."""
    english, chinese = prose(lesson, "en"), prose(lesson, "zh")
    order = {one.id: n for n, one in enumerate(course_map(SOURCES).lesson)}
    before = [e for e in ENTRIES if order[e.lesson.id] <= order[lesson]]
    missing = [
        (e.term.en, e.term.zh)
        for e in before
        if says(english, e.term.en)
        and not says(chinese, e.term.zh)
        and not says(chinese, e.term.en)
    ]
    assert missing == []


def test_the_committed_page_is_the_generated_one():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert page == glossary_page(SOURCES)
    assert page.count("\n| ") == len(ENTRIES) + 1


# --------------------------------------------------------------------- the machinery
@pytest.fixture
def sources(small):
    folder = small / "course" / "src"
    (folder / "t1.py").write_text(HEADER, encoding="utf-8")
    (folder / "t2.py").write_text(HEADER.replace("t1", "t2"), encoding="utf-8")
    return folder


def test_a_term_links_to_its_lesson(sources):
    (row,) = [x for x in glossary_page(sources).splitlines() if "| pipe |" in x]
    assert "T1 [en](../course/en/t1-small.ipynb)" in row and "流水线" in row
    cell = glossary_cell(sources, "zh")
    assert "## [T1 · 小](t1-small.ipynb)" in cell
    assert "* **流水线**（pipe）：与其他单元并行工作的单元" in cell
    assert "流水线" not in glossary_cell(sources, "en")


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.replace('"pipe"', '"Pipe"').replace('id = "Pipe"', 'id = "other"')],
)
def test_a_term_of_two_lessons_is_found(sources, small, text):
    write(small, text, lesson="t2")
    lines = twice(glossary_entries(sources))
    assert lines and all(line.startswith("t2: ") for line in lines)


def test_without_terms_it_says_so(sources):
    (sources / "t1.toml").unlink()
    assert glossary_cell(sources, "en") == "No lesson has named a term yet."
