"""The first cell of every notebook: language, place in the course, versions.

The build writes that cell. A lesson names its language; an assignment leaves it to
`NPUCAMP_LANG`, else the locale.
"""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import npucamp
from npucamp.journal import note
from npucamp.lesson import session
from npucamp.lock_state import version_differences
from npucamp.material import MaterialError
from npucamp.paths import state_home
from npucamp.speech import preferred_language, say, speak
from npucamp.standing import Standing, course_standing
from npusim.diagnostic import language as setting

_CHECKED = ("numpy", "matplotlib", "ipywidgets")


def begin(lesson: str, lang: str | None = None) -> None:
    """Start `lesson`: messages in `lang` ("en", "zh" or "both") from here on.

    Prints where the learner is in the course, then versions and the state folder, and
    a line for each package that differs from the lock. ValueError for an unknown
    language."""
    wanted = lang or preferred_language()
    if wanted not in setting.LANGUAGES:
        known = ", ".join(setting.LANGUAGES)
        raise ValueError(say("begin-language", language=lang, known=known))
    setting.use(wanted)
    session.start(lesson)
    note("begin", lesson, "begun")
    print("\n".join([*_place(lesson), say("begin", **_facts())]))
    for package, found, tested in version_differences(_CHECKED):
        print(say("begin-version", package=package, found=found, wanted=tested))


def _facts() -> dict[str, Any]:
    return {
        "version": npucamp.__version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "home": state_home(),
    }


def _place(lesson: str) -> list[str]:
    """Title, minutes and place in the course, a line each; for an assignment its
    lesson; nothing where the course map has no such lesson or cannot be read."""
    try:
        course = course_standing()
    except (MaterialError, OSError):
        return []
    own = course.get(course.owner(lesson))
    if own is None:
        return []
    lines = [_named("begin-lesson" if own.lesson == lesson else "begin-exercise", own)]
    if own.done:
        lines.append(say("begin-steps", done=own.done, all=own.all))
    return lines


def _named(key: str, own: Standing) -> str:
    """The message once for each language shown, each with the title in its own."""
    facts = {"minutes": own.minutes, "place": own.place, "of": own.of}
    return "\n".join(
        speak(
            key,
            one,
            lesson=own.lesson.upper(),
            title=own.title[one],
            track=own.track.get(one, ""),
            **facts,
        )
        for one in setting.shown()
    )
