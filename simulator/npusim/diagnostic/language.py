"""The language in which messages are shown: `en`, `zh` or `both`.

It is a setting of the process, made by the lesson's first cell or by the environment
variable `NPUCAMP_LANG`; it changes words only, never a result.
"""

from __future__ import annotations

import os

WRITTEN = ("en", "zh")  # every sentence exists in these
LANGUAGES = (*WRITTEN, "both")  # what a reader can choose
_chosen: list[str] = []
_UNKNOWN = {
    "en": "language {!r} is not one of {}",
    "zh": "语言 {!r} 不在 {} 之中",
}


class UnknownLanguage(ValueError):
    """No sentence is written in the language; a notebook shows one line, no trace."""

    def __init__(self, language: object):
        known = ", ".join(LANGUAGES)
        texts = [_UNKNOWN[one].format(language, known) for one in shown()]
        super().__init__(" / ".join(texts))

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def current() -> str:
    """The language in force: what `use` chose, else `NPUCAMP_LANG`, else `en`."""
    if _chosen:
        return _chosen[-1]
    wanted = os.environ.get("NPUCAMP_LANG", "")
    return wanted if wanted in LANGUAGES else "en"


def use(language: str) -> None:
    """Show messages in `language` from now on; UnknownLanguage if there is no such."""
    parts(language)
    _chosen[:] = [language]


def parts(language: str) -> tuple[str, ...]:
    """The languages that `language` shows: itself, or both; or UnknownLanguage."""
    if language not in LANGUAGES:
        raise UnknownLanguage(language)
    return WRITTEN if language == "both" else (language,)


def shown() -> tuple[str, ...]:
    """The languages to show now, in order: one, or two where `both` is chosen."""
    return parts(current())
