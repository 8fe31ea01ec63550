"""The header of a lesson source: id, slug, titles; lessons in the course's order.

A page (`page: true`: start-here, glossary, gallery) is built like a lesson and is none:
it has no place in the course map and need not have a lesson's frame.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from npucamp.build.percent import Source, SourceError, read_source
from npucamp.coursemap import course_map
from npucamp.material import COURSE

LANGUAGES = ("en", "zh")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class LessonHeader:
    """Id (`z1`), slug (`first-kernel`, "" for some pages), title in each language."""

    id: str
    slug: str
    title: tuple[tuple[str, str], ...]
    page: bool = False

    @property
    def titles(self) -> dict[str, str]:
        """Language → title."""
        return dict(self.title)

    @property
    def file_name(self) -> str:
        """Name of the built notebook, the same in every language."""
        return f"{'-'.join(filter(None, (self.id, self.slug)))}.ipynb"


def read_header(source: Source) -> LessonHeader:
    """The header; SourceError if a part is missing or not well formed."""
    table = source.header.get("npucamp")
    if not isinstance(table, Mapping):
        raise SourceError(source.path, 1, "the header has no npucamp: table")
    page = table.get("page", False) is True
    for key in ("id",) if page and "slug" not in table else ("id", "slug"):
        if not _ID.fullmatch(str(table.get(key, ""))):
            message = f"npucamp.{key} must be lower case words joined by -"
            raise SourceError(source.path, 1, message)
    title = table.get("title")
    if not isinstance(title, Mapping) or set(title) != set(LANGUAGES):
        raise SourceError(source.path, 1, "npucamp.title needs exactly en and zh")
    titles = tuple((language, str(title[language])) for language in LANGUAGES)
    return LessonHeader(table["id"], str(table.get("slug", "")), titles, page)


def lesson_header(path: Path) -> LessonHeader:
    """The header alone of the lesson source `path`."""
    return read_header(read_source(path))


def lesson_headers(sources: Path) -> list[LessonHeader]:
    """The headers of the sources in a folder: by the course map, then by name."""
    headers = [lesson_header(path) for path in sorted(sources.glob("*.py"))]
    order = _order(sources)
    return sorted(headers, key=lambda h: (order.get(h.id, len(order)), h.id))


def _order(sources: Path) -> dict[str, int]:
    if not (sources / COURSE).is_file():
        return {}
    return {one.id: n for n, one in enumerate(course_map(sources).lesson)}
