"""A lesson's data file `course/src/<lesson>.toml`: terms, quizzes, hints, questions.

Models the form alone; what is asked of it at run time stands in `lesson/`. Every text
is there in English and Chinese. A mistake in a file is a `MaterialError` that names
file, line, key and what is wrong, one line for each mistake. In a clone the files lie
beside the lesson sources, in the wheel in `npucamp/lessons`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from npucamp.paths import course_root

FOLDERS = ("course/src", "lessons")  # in a clone, in the installed package
COURSE = "course.toml"  # the course map is no lesson
KEY = r"^[a-z0-9]+(-[a-z0-9]+)*$"
Key = Annotated[str, Field(pattern=KEY)]
Place = tuple[str | int, ...]


class MaterialError(ValueError):
    """A data file that is wrong, located; or an id that no file has."""


class Table(BaseModel):
    """Base of all tables: unknown keys are errors, values cannot change."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Bilingual(Table):
    """A text in both languages."""

    en: Annotated[str, Field(min_length=1)]
    zh: Annotated[str, Field(min_length=1)]


class Term(Bilingual):
    """A word of the glossary, introduced by the lesson in whose file it stands."""

    id: Key
    meaning: Bilingual


class Option(Bilingual):
    """One answer to choose; `why` is shown when it was chosen."""

    right: bool = False
    why: Bilingual


class Quiz(Table):
    """A question with one right option, or several if `many`."""

    stem: Bilingual
    many: bool = False
    option: Annotated[tuple[Option, ...], Field(min_length=2, max_length=8)]

    @field_validator("option")
    @classmethod
    def _different(cls, options: tuple[Option, ...]) -> tuple[Option, ...]:
        for language in ("en", "zh"):
            if len({getattr(o, language) for o in options}) < len(options):
                raise ValueError(f"two options say the same in {language}")
        return options

    @model_validator(mode="after")
    def _answerable(self) -> Quiz:
        right = sum(option.right for option in self.option)
        if right == 0:
            raise ValueError("no option has `right = true`")
        if right > 1 and not self.many:
            raise ValueError(f"{right} options are right: say `many = true`")
        return self


class Hint(Table):
    """Where to look, which quantity, nearly the answer."""

    steps: Annotated[tuple[Bilingual, ...], Field(min_length=3, max_length=3)]


class Point(Bilingual):
    """What a good answer names: found by `any` of these words."""

    any: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]


class Explain(Table):
    """A short-answer question; the model answer comes after `words` written words."""

    prompt: Bilingual
    model: Bilingual
    points: Annotated[tuple[Point, ...], Field(min_length=1)]
    words: Annotated[int, Field(ge=1, le=200)] = 8


class Material(Table):
    """All that one data file holds."""

    term: tuple[Term, ...] = ()
    quiz: Mapping[Key, Quiz] = {}
    hint: Mapping[Key, Hint] = {}
    explain: Mapping[Key, Explain] = {}

    @field_validator("term")
    @classmethod
    def _once(cls, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        ids = [term.id for term in terms]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"defined twice: {', '.join(twice)}")
        return terms


# ------------------------------------------------------------------------------ files
def material_folder(root: Path | None = None) -> Path:
    """Where the data files lie below `root`, a clone or the installed package."""
    base = root or course_root()
    places = [base / folder for folder in FOLDERS]
    return next((place for place in places if place.is_dir()), places[0])


def material_files(folder: Path | None = None) -> dict[str, Path]:
    """Lesson id → its data file, in order of name."""
    paths = sorted((folder or material_folder()).glob("*.toml"))
    return {path.stem: path for path in paths if path.name != COURSE}


def load_material(lesson: str, folder: Path | None = None) -> Material:
    """The data of `lesson`, empty where it has no file; MaterialError."""
    path = material_files(folder).get(lesson)
    return read_material(path) if path else Material()


def read_material(path: Path) -> Material:
    """The data file `path`; MaterialError with file and line of each mistake."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, _changed_ns: int) -> Material:
    return parse(Material, path.read_text(encoding="utf-8"), path.name)


def parse(model: type[Any], text: str, name: str) -> Any:
    """`text` of the TOML file `name` as `model`; MaterialError."""
    try:
        return model.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise MaterialError(_syntax(name, str(error), text)) from None
    except ValidationError as error:
        lines = line_numbers(text)
        found = [_located(name, lines, e["loc"], e["msg"]) for e in error.errors()]
        raise MaterialError("\n".join(found)) from None


def _syntax(name: str, message: str, text: str) -> str:
    found = re.search(r" \(at line (\d+), column \d+\)", message)
    line = int(found.group(1)) if found else text.count("\n") + 1
    return f"{name}:{line}: {message[: found.start()] if found else message}"


def _located(
    name: str, lines: Mapping[Place, int], place: Iterable[str | int], message: str
) -> str:
    where = tuple(place)
    ends = range(len(where), -1, -1)
    line = next(lines[where[:end]] for end in ends if where[:end] in lines)
    key = ".".join(map(str, where)) or "file"
    return f"{name}:{line}: {key}: {message.removeprefix('Value error, ')}"


# ------------------------------------------------------------------- lines of a TOML
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_ASSIGNED = re.compile(r"^\s*([A-Za-z0-9_.\"'-]+)\s*=")


def line_numbers(text: str) -> dict[Place, int]:
    """Place of each table and key → its line, from 1; the file itself is line 1."""
    lines: dict[Place, int] = {(): 1}
    table: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _table_place(header, lines)
            places: Iterator[Place] = _starts(table)
        elif key := _ASSIGNED.match(line):
            places = _starts((*table, *_parts(key.group(1))))
        else:
            continue
        for place in places:
            lines.setdefault(place, number)
    return lines


def _parts(dotted: str) -> Place:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _starts(place: Place) -> Iterator[Place]:
    return (place[:end] for end in range(1, len(place) + 1))


def _table_place(header: re.Match[str], lines: Mapping[Place, int]) -> Place:
    """The place of a header; tables of an array carry their number."""
    place: Place = ()
    *outer, last = _parts(header.group(2))
    for part in outer:
        place = (*place, part)
        if (*place, 0) in lines:
            place = (*place, _next_number(place, lines) - 1)
    place = (*place, last)
    is_array = header.group(1) == "[["
    return (*place, _next_number(place, lines)) if is_array else place


def _next_number(place: Place, lines: Mapping[Place, int]) -> int:
    number = 0
    while (*place, number) in lines:
        number += 1
    return number


# --------------------------------------------------------------------------- finding
def find(kind: str, id: str, folder: Path | None = None) -> Any | None:
    """What the id `<lesson>-<key>` names, kind "quiz", "hint" or "explain"; None if
    no file has it. MaterialError for a mistake in the lesson's file."""
    files = material_files(folder)
    words = str(id).split("-")
    for end in range(1, len(words)):
        lesson, key = "-".join(words[:end]), "-".join(words[end:])
        if lesson in files:
            found = getattr(read_material(files[lesson]), kind).get(key)
            if found is not None:
                return found
    return None


def known_ids(kind: str, folder: Path | None = None) -> list[str]:
    """Every id of `kind`, in order of lesson; files with a mistake are left out."""
    ids: list[str] = []
    for lesson, path in material_files(folder).items():
        try:
            ids += [f"{lesson}-{key}" for key in getattr(read_material(path), kind)]
        except MaterialError:
            continue
    return ids
