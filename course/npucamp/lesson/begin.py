"""The first cell of every notebook: language, versions, where the progress lies.

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
from npucamp.paths import state_home
from npucamp.speech import preferred_language, say
from npusim.diagnostic import language as setting

_CHECKED = ("numpy", "matplotlib", "ipywidgets")


def begin(lesson: str, lang: str | None = None) -> None:
    """Start `lesson`: messages in `lang` ("en", "zh" or "both") from here on.

    Prints one line, and one more for each package that differs from the lock.
    ValueError for an unknown language."""
    wanted = lang or preferred_language()
    if wanted not in setting.LANGUAGES:
        known = ", ".join(setting.LANGUAGES)
        raise ValueError(say("begin-language", language=lang, known=known))
    setting.use(wanted)
    session.start(lesson)
    note("begin", lesson, "begun")
    print(say("begin", **_facts(lesson)))
    for package, found, tested in version_differences(_CHECKED):
        print(say("begin-version", package=package, found=found, wanted=tested))


def _facts(lesson: str) -> dict[str, Any]:
    return {
        "version": npucamp.__version__,
        "lesson": lesson,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "home": state_home(),
    }
