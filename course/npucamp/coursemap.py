"""The course map, and what each lesson holds.

`course/src/course.toml` lists tracks, lessons in their order with minutes and what they
need, and the cuts. What exists is read from the built notebooks: a lesson without one
is planned; its predictions, quizzes, questions, turns and tasks are the calls of the
helpers in its cells. Nothing here knows the learner.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from npucamp.material import COURSE, Bilingual, Key, Table, material_folder, parse
from npucamp.paths import course_root
from npucamp.workspace import notebooks

# kind of step → the helper that a lesson calls for it
STEPS = {
    "predict": "predict",
    "quiz": "quiz",
    "explain": "explain",
    "turn": "check",
    "expect": "expect",
}


class Track(Bilingual):
    """A part of the course: one letter and its name."""

    id: Annotated[str, Field(pattern="^[A-Z]$")]


class Cut(Bilingual):
    """A way through part of the course; no lessons means all of them."""

    id: Key
    lessons: tuple[Key, ...] = ()


class Lesson(Bilingual):
    """A lesson as planned: title, track, minutes, the lessons that it needs."""

    id: Key
    track: str
    minutes: Annotated[int, Field(ge=5, le=240)]
    needs: tuple[Key, ...] = ()


class CourseMap(Table):
    """Tracks, cuts and lessons in the order in which they are taken."""

    track: tuple[Track, ...]
    cut: tuple[Cut, ...]
    lesson: tuple[Lesson, ...]

    @field_validator("track", "cut", "lesson")
    @classmethod
    def _once(cls, rows: tuple[Any, ...]) -> tuple[Any, ...]:
        ids = [row.id for row in rows]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"there twice: {', '.join(twice)}")
        return rows

    @model_validator(mode="after")
    def _fits(self) -> CourseMap:
        tracks = {track.id for track in self.track}
        known: set[str] = set()
        for lesson in self.lesson:
            if lesson.track not in tracks:
                raise ValueError(f"lesson {lesson.id}: no track {lesson.track!r}")
            if missing := sorted(set(lesson.needs) - known):
                named = ", ".join(missing)
                raise ValueError(f"lesson {lesson.id} needs {named}, not before it")
            known.add(lesson.id)
        for cut in self.cut:
            if missing := sorted(set(cut.lessons) - known):
                raise ValueError(f"cut {cut.id}: no lesson {', '.join(missing)}")
        return self

    def get(self, lesson: str) -> Lesson | None:
        """The lesson with this id, None if the map has none."""
        return next((one for one in self.lesson if one.id == lesson), None)

    def lessons_of(self, cut: Cut) -> tuple[Lesson, ...]:
        """The lessons of a cut, in the course's order."""
        chosen = set(cut.lessons) or {one.id for one in self.lesson}
        return tuple(one for one in self.lesson if one.id in chosen)


def course_map(folder: Path | None = None) -> CourseMap:
    """The course map; MaterialError, located, for a mistake in it."""
    path = (folder or material_folder()) / COURSE
    return parse(CourseMap, path.read_text(encoding="utf-8"), path.name)


# --------------------------------------------------------------------------- contents
@dataclass(frozen=True)
class Contents:
    """A built notebook: where it lies, its title, and the ids its cells call for.

    `steps` are (kind, id) in the order of the cells, kinds as in `STEPS`; `tasks` are
    the ids that its check cells ask the judge about."""

    lesson: str
    place: Path
    title: str
    steps: tuple[tuple[str, str], ...]
    tasks: tuple[str, ...]


def built_lessons(
    language: str = "en", root: Path | None = None
) -> dict[str, Contents]:
    """Lesson id → contents of each built lesson, in order of file name."""
    found: dict[str, Contents] = {}
    for path, place in notebooks(root or course_root()):
        if place.parts[:2] == ("course", language):
            contents = _contents(path, place, path.stat().st_mtime_ns)
            found[contents.lesson] = contents
    return found


def tasks_of(lesson: str, root: Path | None = None) -> tuple[str, ...]:
    """Tasks of the assignments that belong to a lesson (`z1-…` to lesson `z1`)."""
    tasks: list[str] = []
    for path, place in notebooks(root or course_root()):
        if place.parts[0] == "exercises" and place.stem.startswith(f"{lesson}-"):
            tasks += _contents(path, place, path.stat().st_mtime_ns).tasks
    return tuple(dict.fromkeys(tasks))


@lru_cache(maxsize=256)
def _contents(path: Path, place: Path, _changed_ns: int) -> Contents:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    about = notebook["metadata"].get("npucamp", {})
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    calls = [call for cell in cells for call in helper_calls("".join(cell["source"]))]
    lesson = about.get("id", place.stem)
    steps = [
        (kind, met_id(lesson, id) if kind == "expect" else id)
        for kind, id in calls
        if kind in STEPS
    ]
    tasks = [id for kind, id in calls if kind == "task"]
    return Contents(
        lesson,
        place,
        about.get("title", place.stem),
        tuple(dict.fromkeys(steps)),
        tuple(dict.fromkeys(tasks)),
    )


def met_id(lesson: str, code: str) -> str:
    """The id of a deliberate failure: the message `code` met in `lesson`."""
    return f"{lesson}-{code.lower()}"


def helper_calls(text: str) -> Iterator[tuple[str, str]]:
    """(kind, id) of each call of a helper in a cell, in order: kinds as in `STEPS`,
    "hint", and "task" for a check by the judge. None for a cell that is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda c: (c.lineno, c.col_offset)):
        name, id = _name(call), _first_text(call)
        if id is not None and name in (*STEPS.values(), "hint"):
            yield _kind(name, call), id


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _first_text(call: ast.Call) -> str | None:
    first = call.args[0] if call.args else None
    text = first.value if isinstance(first, ast.Constant) else None
    return text if isinstance(text, str) else None


def _kind(name: str, call: ast.Call) -> str:
    if name != "check":
        return name
    return "turn" if len(call.args) + len(call.keywords) > 1 else "task"
