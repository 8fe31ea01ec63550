"""`npucamp progress [LESSON]`: the text of `progress()` on the command line."""

from __future__ import annotations

from npucamp.coursemap import course_map
from npucamp.lesson.progress import progress
from npucamp.speech import say


def progress_text(lesson: str | None) -> str:
    """The standing in the course, and in `lesson` if given.

    ValueError names the lessons where `lesson` is none."""
    known = [one.id for one in course_map().lesson]
    if lesson is not None and lesson not in known:
        raise ValueError(say("progress-none", lesson=lesson, known=" ".join(known)))
    return progress(lesson).text()
