"""The language in which messages are shown: `en`, `zh` or `both`.

It is a setting of the process, made by the lesson's first cell or by the environment
variable `NPUCAMP_LANG`; it changes words only, never a result.
"""

from __future__ import annotations

import os

WRITTEN = ("en", "zh")  # every sentence exists in these
LANGUAGES = (*WRITTEN, "both")  # what a reader can choose
_chosen: list[str] = []


def current() -> str:
    """The language in force: what `use` chose, else `NPUCAMP_LANG`, else `en`."""
    if _chosen:
        return _chosen[-1]
    wanted = os.environ.get("NPUCAMP_LANG", "")
    return wanted if wanted in LANGUAGES else "en"


def use(language: str) -> None:
    """Show messages in `language` from now on; an unknown one is a ValueError."""
    parts(language)
    _chosen[:] = [language]


def parts(language: str) -> tuple[str, ...]:
    """The languages that `language` shows: itself, or both; ValueError if unknown."""
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r} is not one of {', '.join(LANGUAGES)}")
    return WRITTEN if language == "both" else (language,)


def shown() -> tuple[str, ...]:
    """The languages to show now, in order: one, or two where `both` is chosen."""
    return parts(current())
