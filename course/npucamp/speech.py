"""The words of npucamp's own messages, in English and Chinese.

`say(key, **facts)` gives the message in the session's language ("both" gives the two
lines). The words stand in words.toml, one table a key.
"""

from __future__ import annotations

import locale
import os
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from npusim.diagnostic import language as setting

LANGUAGES = ("en", "zh")


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """Key → language → template."""
    text = files("npucamp").joinpath("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def say(key: str, /, **facts: Any) -> str:
    """The message `key` with `facts`, in the language in force."""
    return speak(key, setting.current(), **facts)


def speak(key: str, language: str, /, **facts: Any) -> str:
    """The message `key` with `facts` in `language` ("en", "zh" or "both")."""
    wanted = LANGUAGES if language == "both" else (language,)
    return "\n".join(words()[key][one].format(**facts) for one in wanted)


def listed(names: Iterable[str], language: str) -> str:
    """Names one after the other, as the language lists them ("both": as English)."""
    return words()["listed"][_one(language)].join(names)


def named(name: str, text: str, language: str) -> str:
    """`name: text` with the colon of the language ("both": of English)."""
    return words()["named"][_one(language)].format(name=name, text=text)


def _one(language: str) -> str:
    return "zh" if language == "zh" else "en"


def preferred_language() -> str:
    """`NPUCAMP_LANG`, else the locale: "zh" where that is Chinese, "en" elsewhere."""
    wanted = os.environ.get("NPUCAMP_LANG", "")
    if wanted in setting.LANGUAGES:
        return wanted
    return "zh" if _locale_name().lower().startswith(("zh", "chinese")) else "en"


def _locale_name() -> str:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(variable):
            return os.environ[variable]
    return locale.getlocale()[0] or ""
