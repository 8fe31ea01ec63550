"""Where a learner stands: what of each lesson is done, and which lesson comes next.

Joins three things that know nothing of each other: the course map, the journal and the
attempts at tasks. A step counts as done when a prediction was made, a quiz answered
right, an explanation compared with the model answer, a turn done, a message met. A
lesson is done when all its steps are; the points of its tasks stand beside, and decide
nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from npucamp import history
from npucamp.coursemap import (
    STEPS,
    Contents,
    CourseMap,
    Lesson,
    built_lessons,
    course_map,
    tasks_of,
)
from npucamp.journal import Entry, entries
from npucamp.paths import state_home

# kind of step → outcomes that make it done
DONE = {
    "predict": {"right", "close", "wrong"},
    "quiz": {"right"},
    "explain": {"compared"},
    "turn": {"done"},
    "expect": {"met"},
}


@dataclass(frozen=True)
class Score:
    """A task: attempts counted, the best score of 100 (None: not tried)."""

    task: str
    attempts: int
    best: float | None


@dataclass(frozen=True)
class Standing:
    """One lesson: `state` is "planned", "new", "started" or "done"; `steps` gives for
    each kind (done, all); `first_right` counts predictions right at the first guess.
    `place` counts from 1 within the track, `of` are its lessons (0 for a page)."""

    lesson: str
    title: Mapping[str, str]
    minutes: int
    state: str
    steps: Mapping[str, tuple[int, int]]
    first_right: int = 0
    hints: int = 0
    scores: tuple[Score, ...] = ()
    track: Mapping[str, str] = field(default_factory=dict)
    place: int = 0
    of: int = 0

    @property
    def done(self) -> int:
        """Steps done."""
        return sum(done for done, _ in self.steps.values())

    @property
    def all(self) -> int:
        """Steps that the lesson has."""
        return sum(every for _, every in self.steps.values())


@dataclass(frozen=True)
class CourseStanding:
    """Every lesson in the course's order."""

    lessons: tuple[Standing, ...]

    @property
    def next(self) -> str:
        """The first lesson that exists and is not done, "" where all are."""
        open_ones = (s.lesson for s in self.lessons if s.state in ("new", "started"))
        return next(open_ones, "")

    def get(self, lesson: str) -> Standing | None:
        """The standing of a lesson, None for an unknown id."""
        return next((s for s in self.lessons if s.lesson == lesson), None)

    def owner(self, id: str) -> str:
        """The lesson that `id` is, or begins with (an assignment); "" if none."""
        words = id.split("-")
        starts = ("-".join(words[:end]) for end in range(len(words), 0, -1))
        return next((one for one in starts if self.get(one)), "")


def course_standing() -> CourseStanding:
    """The learner's standing now, from the state folder."""
    found = entries()
    attempts = history.read(state_home())
    built = {language: built_lessons(language) for language in ("en", "zh")}
    course = course_map()
    rows = []
    for lesson in with_pages(course, built["en"]):
        contents = built["en"].get(lesson.id)
        titles = _titles(lesson, built)
        row = lesson_standing(lesson, titles, contents, found, attempts)
        rows.append(_placed(row, course))
    return CourseStanding(tuple(rows))


def _placed(row: Standing, course: CourseMap) -> Standing:
    """The standing with its track and its place in it."""
    lesson = course.get(row.lesson)
    if lesson is None:
        return row
    track = next(track for track in course.track if track.id == lesson.track)
    ids = [one.id for one in course.lesson if one.track == track.id]
    names = {"en": track.en, "zh": track.zh}
    return replace(row, track=names, place=ids.index(row.lesson) + 1, of=len(ids))


def with_pages(course: CourseMap, built: Mapping[str, Contents]) -> list[Lesson]:
    """The lessons of the map, then built pages with steps that it does not list."""
    listed = {lesson.id for lesson in course.lesson}
    extra = [
        Lesson(id=one.lesson, track="", minutes=15, en=one.title, zh=one.title)
        for one in built.values()
        if one.lesson not in listed and one.steps
    ]
    return [*course.lesson, *extra]


def _titles(
    lesson: Lesson, built: Mapping[str, Mapping[str, Contents]]
) -> dict[str, str]:
    own = {"en": lesson.en, "zh": lesson.zh}
    made = {x: b[lesson.id].title for x, b in built.items() if lesson.id in b}
    return own | made


def lesson_standing(
    lesson: Lesson,
    titles: Mapping[str, str],
    contents: Contents | None,
    found: Iterable[Entry],
    attempts: Iterable[history.Attempt],
) -> Standing:
    """The standing of one lesson; planned where it has no contents."""
    if contents is None:
        return Standing(lesson.id, titles, lesson.minutes, "planned", {})
    by_id: dict[tuple[str, str], list[str]] = {}
    for entry in found:
        by_id.setdefault((entry.kind, entry.id), []).append(entry.outcome)
    steps = {kind: _count(kind, contents, by_id) for kind in STEPS}
    scores = tuple(_score(t, attempts) for t in _all_tasks(contents))
    guesses = (by_id.get(step) for step in contents.steps if step[0] == "predict")
    return Standing(
        lesson.id,
        titles,
        lesson.minutes,
        _state(steps, ("begin", lesson.id) in by_id, scores),
        steps,
        first_right=sum(bool(g) and g[0] == "right" for g in guesses if g),
        hints=sum(k == "hint" and _belongs(i, contents) for k, i in by_id),
        scores=scores,
    )


def _count(
    kind: str, contents: Contents, by_id: Mapping[tuple[str, str], list[str]]
) -> tuple[int, int]:
    own = [step for step in contents.steps if step[0] == kind]
    done = sum(bool(DONE[kind] & set(by_id.get(step, ()))) for step in own)
    return done, len(own)


def _belongs(id: str, contents: Contents) -> bool:
    return id.startswith(f"{contents.lesson}-")


def _all_tasks(contents: Contents) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*contents.tasks, *tasks_of(contents.lesson))))


def _score(task: str, attempts: Iterable[history.Attempt]) -> Score:
    own = [a.score for a in attempts if a.task == task]
    return Score(task, len(own), max(own, default=None))


def _state(
    steps: Mapping[str, tuple[int, int]], begun: bool, scores: Iterable[Score]
) -> str:
    done = sum(n for n, _ in steps.values())
    every = sum(n for _, n in steps.values())
    if every and done == every:
        return "done"
    touched = begun or done or any(score.attempts for score in scores)
    return "started" if touched else "new"
